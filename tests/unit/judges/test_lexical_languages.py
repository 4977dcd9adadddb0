"""The embedded judge in languages other than English: what it tells apart, and what it does not."""

import pytest

from pytest_trace.judges.lexical import LexicalJudge
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Trace

DOCUMENTS = {
    "de": (
        "Die Firma wurde im März 1998 in Leipzig gegründet und beschäftigt rund 2.500 Mitarbeiter."
        " Der Umsatz stieg im Jahr 2022 um 12,5 Prozent auf 1,2 Milliarden Euro."
        " Das Werk in Dresden wurde nicht geschlossen."
        " Die Krankenversicherungsbeiträge werden vom Arbeitgeber zur Hälfte übernommen."
        " Kinder unter sechs Jahren fahren kostenlos."
    ),
    "es": (
        "La empresa fue fundada el 3 de mayo de 1998 en Sevilla y tiene unos 2.500 empleados."
        " Las ventas aumentaron un 12,5 % en 2022 hasta 1,2 millones de euros."
        " La fábrica de Vigo no cerró."
        " Los niños menores de seis años viajan gratis."
        " El museo abre todos los días excepto los lunes."
    ),
    "fr": (
        "L'entreprise a été fondée en mars 1998 à Lyon et emploie environ 2 500 salariés."
        " Le chiffre d'affaires a augmenté de 12,5 % en 2022 pour atteindre 1,2 milliard d'euros."
        " L'usine de Nantes n'a pas été fermée."
        " Les enfants de moins de six ans voyagent gratuitement."
        " Le musée n'est ouvert que le samedi."
    ),
    "hi": (
        "कंपनी की स्थापना मार्च 1998 में पुणे में हुई थी और इसमें लगभग 2,500 कर्मचारी हैं।"
        " वर्ष 2022 में बिक्री 12.5 प्रतिशत बढ़कर 1.2 करोड़ रुपये हो गई।"
        " नागपुर का कारखाना बंद नहीं हुआ।"
        " छह वर्ष से कम उम्र के बच्चों का टिकट मुफ़्त है।"
        " संग्रहालय सोमवार को बंद रहता है।"
    ),
}
TRUE = [
    ("de", "Das Unternehmen wurde 1998 in Leipzig gegründet."),
    ("de", "Die Firma hat etwa 2500 Mitarbeiter."),
    ("de", "Der Umsatz betrug 1,2 Milliarden Euro."),
    ("de", "Der Umsatz erhöhte sich um 12,5 %."),
    ("de", "Das Werk in Dresden blieb offen und wurde nicht geschlossen."),
    ("de", "Der Arbeitgeber übernimmt die Hälfte der Beiträge zur Krankenversicherung."),
    ("de", "Kinder unter 6 Jahren fahren gratis."),
    ("es", "La compañía se fundó en 1998 en Sevilla."),
    ("es", "La empresa cuenta con 2500 empleados."),
    ("es", "En 2022 las ventas crecieron un 12,5 por ciento."),
    ("es", "La fábrica de Vigo no fue cerrada."),
    ("es", "Los menores de 6 años viajan gratis."),
    ("es", "El museo cierra los lunes."),
    ("fr", "La société a été créée en 1998 à Lyon."),
    ("fr", "Elle emploie près de 2500 salariés."),
    ("fr", "Le chiffre d'affaires a atteint 1,2 milliard d'euros."),
    ("fr", "L'usine de Nantes n'a pas fermé."),
    ("fr", "Les enfants de moins de 6 ans voyagent gratuitement."),
    ("fr", "Le musée ouvre le samedi."),
    ("hi", "कंपनी १९९८ में पुणे में स्थापित हुई।"),
    ("hi", "कंपनी में 2500 कर्मचारी हैं।"),
    ("hi", "2022 में बिक्री 12.5% बढ़ी।"),
    ("hi", "नागपुर का कारखाना बंद नहीं किया गया।"),
    ("hi", "6 वर्ष से कम उम्र के बच्चों का टिकट मुफ़्त है।"),
    ("hi", "संग्रहालय सोमवार को बंद है।"),
]
FALSE = [
    ("de", "Die Firma wurde im März 1989 gegründet."),
    ("de", "Die Firma beschäftigt rund 25.000 Mitarbeiter."),
    ("de", "Der Umsatz stieg um 15,2 Prozent."),
    ("de", "Das Werk in Dresden wurde geschlossen."),
    ("de", "Kinder unter acht Jahren fahren kostenlos."),
    ("de", "Der Umsatz stieg auf 1,2 Millionen Euro."),
    ("de", "Kinder unter sechs Jahren fahren niemals kostenlos."),
    ("es", "La empresa fue fundada el 5 de mayo de 1998."),
    ("es", "La empresa tiene 25.000 empleados."),
    ("es", "Las ventas aumentaron un 15 % en 2022."),
    ("es", "La fábrica de Vigo cerró."),
    ("es", "Los niños menores de ocho años viajan gratis."),
    ("es", "La empresa fue fundada en Madrid."),
    ("es", "Los niños menores de seis años nunca viajan gratis."),
    ("fr", "L'entreprise a été fondée en mars 1989."),
    ("fr", "L'entreprise emploie 25 000 salariés."),
    ("fr", "Le chiffre d'affaires a augmenté de 15 % en 2022."),
    ("fr", "L'usine de Nantes a été fermée."),
    ("fr", "Les enfants de moins de huit ans voyagent gratuitement."),
    ("fr", "L'entreprise a été fondée à Paris."),
    ("fr", "Les enfants de moins de six ans ne voyagent jamais gratuitement."),
    ("hi", "कंपनी की स्थापना मार्च 1989 में हुई थी।"),
    ("hi", "कंपनी में लगभग 25,000 कर्मचारी हैं।"),
    ("hi", "वर्ष 2022 में बिक्री 15 प्रतिशत बढ़ी।"),
    ("hi", "नागपुर का कारखाना बंद हुआ।"),
    ("hi", "आठ वर्ष से कम उम्र के बच्चों का टिकट मुफ़्त है।"),
    ("hi", "संग्रहालय सोमवार को बंद नहीं रहता है।"),
]


def is_supported(language, claim):
    trace = Trace("", [DOCUMENTS[language]], claim)
    (support,) = LexicalJudge().judge(KeyedTrace.from_trace(trace, make_sentencizer())).support
    return support.supported


@pytest.mark.parametrize(("language", "claim"), TRUE)
def test_a_true_claim_is_supported(language, claim):
    """Inflection, other words in between, and other spellings of a figure or date do no harm."""
    assert is_supported(language, claim)


@pytest.mark.parametrize(("language", "claim"), FALSE)
def test_a_false_claim_is_not(language, claim):
    """Another figure, date or place, and a negation on one side, are seen in every language."""
    assert not is_supported(language, claim)
