"""What may stand around the core of a refusal: apologies, offers, and where a claim begins."""

from __future__ import annotations

import re
from typing import Final

from pytest_trace.language.word_sets import word_set

CONTRASTS: Final = re.compile(
    r"""
    [;:–—.!?。！？；।]\s* | \s-\s
    | \b(?:but|however|although|though|yet|nevertheless|instead|still|except|aber|jedoch
      |allerdings|sondern|dennoch
      |mais|cependant|toutefois|pourtant|pero|embargo|aunque|però|tuttavia|mas|porém|contudo|maar
        |echter|но|однако)\b
    | लेकिन | परंतु | किंतु | पर\s | 但是 | 但 | 不过 | 不過 | 然而 | しかし | ですが | ますが
      | せんが | 하지만 | ولكن
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Where a refusal may end and a claim begin."""

COMMAS: Final = re.compile(r"[,，、()]\s*")
"""Where it may end, or go on with a list of what is not known."""

CLAUSE: Final = re.compile(
    r"\b(?:it|this|that|they|which|who|he|she|you|is|are|was|were|has|can|will|costs?|ist|sind"
    r"|beträgt|kostet"
    r"|est|sont|è|sono|é|são|het|zijn|kost)\b|是|です|है|为|為",
    re.IGNORECASE,
)
"""A verb or its subject: what follows a comma is no list but says something."""

FILLERS: Final = word_set("""
    note sorry apologize apologise apologies unfortunately afraid im i'm am regret based according
    given provided available
    retrieved context document documents information question answer passage passages text source
    sources your my
    however therefore thus so hi hello thanks thank you ai language model assistant moment
    currently well honestly
    regarding about question specific really unable
    es tut mir leid leider entschuldigung bedaure dazu darüber hierzu laut basierend grundlage
    bereitgestellten
    dokumente dokumenten frage kontext
    je suis désolé désolée malheureusement regrette excusez selon après documents fournis contexte
    lo siento lamento lamentablemente desafortunadamente disculpe perdón según documentos
    proporcionados contexto
    mi dispiace purtroppo spiacente scusi base documenti forniti contesto
    sinto desculpe desculpa infelizmente acordo fornecidos
    het spijt helaas excuses volgens
    माफ़ कीजिए क्षमा करें खेद माफ कीजिये दस्तावेज़ों दस्तावेज़ संदर्भ अनुसार दिए गए इस बारे
    к сожалению извините простите
    抱 歉 对 不 起 對 根 据 據 提 供 文 档 檔 您 好 中 里 裡 上 下 所 件 本 很 非 常 遗 憾 遺 资
    料 資
    申 し 訳 あ り ま せ ん す み 残 念 な が ら 恐 れ 入 り 提 供 さ れ た 文 書 資 料 こ の 質 問
    죄 송 합 니 다 만
    """)
"""Words around a refusal that claim nothing: apologies, "based on the provided documents"."""

OFFERS: Final = re.compile(
    r"""
    \b(?:please|feel\ free|let\ me\ know|contact|reach\ out|ask\ (?:me|again|another|our)
      |happy\ to|glad\ to|try\ (?:again|asking|rephrasing)
      |could\ you|can\ you|would\ you|i\ can\ help|need\ more|more\ (?:context|information)|bitte
        |wenden\ sie|kontaktieren
      |veuillez|n\ hésitez|contactez|por\ favor|póngase|contacte|contacta|prego|si\ prega|contatt
        |entre\ em\ contato|neem\ contact|alstublieft)
    | कृपया | संपर्क | 请 | 請 | 联系 | 聯繫 | ください | お問い合わせ | пожалуйста | обратитесь
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Advice to ask elsewhere, which may follow a refusal."""
