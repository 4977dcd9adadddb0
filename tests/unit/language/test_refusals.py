"""Pure refusals in several languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.language.refusals import declined, is_refusal

REFUSALS = """
I don't know.
I don’t know.
I'm not sure.
I could not find an answer to that in the help centre.
The documents do not mention the price.
I'm sorry, but I don't have enough information to answer that question.
Unable to answer based on given passages.
Based on the provided context, there is no information about the price.
The price is not mentioned in the documents.
The provided context does not specify the warranty, the price, or the colour of the laptop.
I don't know, but I can help you with something else.
I could not find that. Please contact support.
No information is available.
Sorry, I cannot help with that.
**I do not know** [1]
Note: Unable to answer based on given passages.
His age is not explicitly mentioned.
None of the passages provide information about the price.
More context is needed to answer the question.
Ich weiß es leider nicht.
Es tut mir leid, dazu habe ich keine Informationen.
Die Dokumente enthalten keine Angaben zum Preis.
Über den Preis kann ich leider nichts sagen.
Das kann ich nicht beantworten.
Leider geht aus dem Kontext nicht hervor, wie lange die Garantie gilt.
Je ne sais pas.
Je suis désolé, je n'ai pas trouvé d'information à ce sujet.
Les documents ne mentionnent pas le prix.
Je ne peux pas répondre à cette question.
Aucune information n'est disponible.
No lo sé.
Lo siento, no tengo información sobre eso.
Los documentos no mencionan el precio.
No puedo responder a esa pregunta.
Non lo so.
Mi dispiace, non ho trovato informazioni su questo argomento.
I documenti non menzionano il prezzo.
Não sei.
Desculpe, não encontrei essa informação.
Os documentos não mencionam o preço.
Ik weet het niet.
Sorry, ik kan daar geen informatie over vinden.
De documenten vermelden de prijs niet.
मुझे नहीं पता।
मुझे इस बारे में जानकारी नहीं है।
दस्तावेज़ों में इसका उल्लेख नहीं है।
माफ़ कीजिए, मुझे इसका उत्तर नहीं मिला।
我不知道。
抱歉，我无法回答这个问题。
文档中没有提到价格。
对不起，我没有找到相关信息。
わかりません。
申し訳ありませんが、その情報は見つかりませんでした。
文書には価格の記載がありません。
Я не знаю.
모르겠습니다.
""".strip().splitlines()

CLAIMS = """
I'm not sure, but it is five years.
I don't know, probably five.
I don't know. It is five years.
The context does not say, however it is usually 30 days.
The laptop costs 500 euros and I don't know the colour.
The documents do not mention the price, which is 50 euros.
Ich weiß es nicht, aber die Garantie beträgt zwei Jahre.
Je ne sais pas, mais c'est cinq ans.
No lo sé, pero son cinco años.
Non lo so, ma sono cinque anni.
Não sei, mas são cinco anos.
Ik weet het niet, maar het is vijf jaar.
मुझे नहीं पता, लेकिन यह पाँच साल है।
我不知道，但是保修期是五年。
わかりませんが、5年です。
""".strip().splitlines()

NEGATIVE_STATEMENTS = """
The laptop does not come with a charger.
We cannot offer refunds after 30 days.
It is not possible to return opened software.
The warranty does not cover water damage.
There is no charge for shipping.
No refunds are given after 30 days.
You can return it within 30 days, no questions asked.
The store does not provide gift cards.
We do not have a store in Berlin.
Die Garantie gilt nicht für Wasserschäden.
Das Gerät enthält kein Ladegerät.
La garantie ne couvre pas les dégâts des eaux.
La garantía no cubre daños por agua.
La garanzia non copre i danni da acqua.
A garantia não cobre danos causados pela água.
De garantie dekt geen waterschade.
वारंटी में पानी से नुकसान शामिल नहीं है।
保修不包括水损。
充電器は付属していません。
The answer is 42.
""".strip().splitlines()


@pytest.mark.parametrize("sentence", REFUSALS)
def test_a_pure_refusal(sentence):
    """A sentence that only declines, apologises or offers other help is a refusal."""
    assert is_refusal(sentence)


@pytest.mark.parametrize("sentence", CLAIMS)
def test_a_refusal_with_a_claim(sentence):
    """A sentence that claims something beside not knowing is no pure refusal."""
    assert not is_refusal(sentence)


@pytest.mark.parametrize("sentence", [*NEGATIVE_STATEMENTS, "", "   "])
def test_an_ordinary_negative_statement(sentence):
    """A negative statement about the world declines nothing."""
    assert not is_refusal(sentence)


@given(st.text())
def test_any_text_is_read(text):
    """No text makes reading fail."""
    assert is_refusal(text) in (True, False)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The documents do not mention the price of the X-200.", ["price", "200"]),
        ("I'm sorry, I don't know.", []),
        ("The price is not mentioned in the documents.", ["price"]),
        ("It costs 50 euros.", []),
    ],
)
def test_what_a_refusal_declines(sentence, expected):
    """The content words of what is not known are those around the refusal itself."""
    assert declined(sentence) == expected
