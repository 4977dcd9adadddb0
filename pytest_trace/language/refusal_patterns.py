"""How a response declines to answer, in the languages we know phrases for.

Every pattern is the core of a refusal; `refusals` decides whether anything is claimed around it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_PATTERNS: Final = {
    "en": r"""
        (?:i|we)(?:'m|\ am|'re|\ are|\ was|\ were)?\ (?:really\ |just\ |still\ |simply\
          |honestly\ )?
        (?:(?:do|did|can|could|have|was|were|am|are)(?:\ ?not|n't)|not|unable\ to)\ (?:able\ to\ )?
        (?:\w+ly\ |yet\ )?
        (?:know|find|found|answer|determine|locate|tell|say|sure|certain|aware
          |(?:provide|give|offer|confirm|verify|identify|help|assist|see|have|be)\ .{0,40}
             \b(?:information|answers?|details?|responses?|sure|certain|data|context|mention
               |evidence|knowledge|that|this))\b
      | (?:i|we)\ have\ no\ (?:idea|answer|information|knowledge|data|details)\b
      | (?:i|we)(?:'m|\ am|'re|\ are)\ (?:unaware|unsure)\b
      | (?:i|we)\ (?:found|see|saw)\ (?:no|nothing)\b
      | (?:\b(?:the|these|this|your|any\ of\ the)\ |^)
        (?:(?:provided|given|retrieved|available|supplied|above|following|search|supporting)\ )*
        (?:documents?|context|passages?|texts?|sources?|information|excerpts?|articles?|results?
          |paragraphs?
          |materials?|knowledge\ base|help\ cent(?:er|re)|documentation|data|snippets?|pages?
            |manuals?
          |guides?|faqs?|they|it)
        (?:\ (?:provided|given|retrieved|available|above|here|i\ have|you\ (?:provided|gave)))*
        \ (?:also\ )?(?:do|does|did)(?:\ not|n't)
        \ (?:(?:explicitly|specifically|directly|clearly|seem\ to|appear\ to|actually|fully)\ )*
        (?:mention|say|specify|state|answer|address|discuss|tell|indicate|clarify|describe|explain
          |(?:contain|provide|include|give|offer|have)\ (?:\w+\ ){0,3}
             (?:information|answers?|details?|mention|data|explanation|definition|evidence
               |specifics|facts
               |reference|guidance|instructions?))\b
      | \b(?:provided|given|retrieved|available)\ (?:documents?|context|passages?|texts?|sources?
        |information|articles?)
        \ (?:do|does)(?:\ not|n't)\ (?:contain|provide|include|give|cover|list|have|define
          |support)\b
      | \bnone\ of\ (?:the|these|your)\ (?:\w+\ ){0,2}(?:documents?|passages?|texts?|sources?
        |articles?|results|excerpts?)\ (?:\w+ly\ )?
        (?:mentions?|says?|specif(?:y|ies)|answers?|addresse?s?
          |(?:contains?|provides?|includes?|gives?)\ (?:\w+\ ){0,3}
           (?:information|answers?|details?))\b
      | there\ (?:is|was|are|were)(?:n't\ any|n't\ enough|n't|\ no|\ not\ enough|\ insufficient
        |\ not\ any)
        \ (?:\w+\ )?(?:information|mention|answer|evidence|details?|data|reference|indication
          |documentation|context)\b
      | \b(?:no|not\ enough|insufficient)\ (?:relevant\ |specific\ |further\ )?(?:information
        |answer|mention|details?|data|results?)
        \ (?:is|was|are|were|could\ be|can\ be|has\ been)?\ ?(?:available|found|given|provided
          |mentioned)
      | ^(?:insufficient|not\ enough|no)\ (?:information|context|data|answer)\b
      | (?:^|:\ )(?:unable|not\ able)\ to\ (?:answer|find|determine|provide|say|locate)\b
      | ^(?:unanswerable|no\ answer|don't\ know|do\ not\ know|not\ sure|no\ idea)\b
      | (?:it\ is|it's|this\ is)\ (?:not\ possible|impossible)\ to\ (?:answer|say|determine|tell
        |know)\b
      | ^i\ (?:must\ |have\ to\ )?(?:decline|refuse)\ to\ answer
    """,
    "passive": r"""
        \b(?:is|are|was|were)(?:\ not|n't)\ (?:(?:clearly|explicitly|specifically|directly)\ )?
        (?:mentioned|specified|stated|provided|given|addressed|answered|found|discussed|known
          |available|clear|covered)
        \ (?:in|by|from|within|based\ on)\ (?:any\ of\ )?(?:the|these|this|your|any)
        \ (?:\w+\ ){0,2}(?:documents?|context|passages?|texts?|sources?|information|articles?
          |results?|paragraphs?|excerpts?)
      | \b(?:is|are|was|were)(?:\ not|n't)\ (?:clearly|explicitly|specifically|directly)
        \ (?:mentioned|specified|stated|provided|given|addressed|answered|discussed)\b
      | \b(?:is|are|was|were)(?:\ not|n't)\ (?:mentioned|specified|stated|addressed)(?=\W*$)
      | \b(?:cannot|can\ not|can't|could\ not)\ be\ (?:determined|answered|found|inferred)\b
      | \bit(?:\ is|'s)\ (?:difficult|hard|unclear|not\ (?:possible|clear))
        \ (?:to\ (?:say|tell|determine|know|provide\ an?\ (?:\w+\ )?answer|answer)
           |whether|how|what|if)\b
      | \b(?:more|further|additional)\ (?:context|information|details?)\ (?:is|are|would\ be)
        \ (?:needed|required|necessary)\b
      | \b(?:i|we)\ (?:would\ )?need\ (?:more|further|additional)
        \ (?:context|information|details?)\b
    """,
    "de": r"""
        \bich\ (?:\w+\ ){0,3}weiß\ (?:\w+\ ){0,3}nicht | ich\ weiss\ (?:\w+\ ){0,3}nicht
      | \bich\ weiß\ (?:\w+\ ){0,3}nicht | weiß\ ich\ (?:\w+\ ){0,2}nicht | keine\ ahnung
      | (?:kann|konnte|könnte)\ (?:ich\ |wir\ )?(?:.{0,60}\ )?(?:nicht|nichts
        |keine?n?)\ (?:.{0,60}\ )?
        (?:beantworten|finden|sagen|geben|ermitteln|feststellen|nennen|machen|helfen)\b
      | (?:habe|haben|liegen|gibt\ es|finde|finden\ sich|besitze)\ (?:ich\ |wir\
        |mir\ )?(?:\w+\ ){0,3}
        (?:keine?n?|nicht\ genügend|nicht\ genug)\ (?:\w+\ )?(?:informationen?|angaben?
          |antworte?n?|hinweise?|daten|auskunft)
      | (?:dokumente?n?|kontext|texte?|quellen?|unterlagen|abschnitte?|passagen?|artikel
        |informationen)
        \ (?:.{0,30}\ )?(?:enthalten|enthält|erwähnen|erwähnt|nennen|nennt|geben|gibt|sagen|sagt
          |beantworten|beantwortet|steht|stehen)
        \ (?:.{0,60}\ )?(?:nicht|nichts|keine?n?)\b
      | geht\ (?:.{0,60}\ )?nicht\ hervor | (?:keine|nicht\ genügend)\ (?:informationen|angaben
        |antwort)\ (?:\w+\ ){0,3}
        (?:gefunden|vorhanden|verfügbar|enthalten)
    """,
    "fr": r"""
        (?:je|j)\ (?:ne|n)\ (?:le\ )?sais\ (?:malheureusement\ )?pas | aucune\ idée
      | (?:je|nous)\ (?:ne|n)\ (?:\w+\ ){0,2}?(?:peux|peut|pouvons|puis|trouve|trouvons|dispose
        |disposons|ai|avons|suis|parviens)
        \ (?:malheureusement\ )?(?:pas|aucune?)\b
        (?=.{0,60}(?:répondre|répons|trouv|inform|donn|dire|mesure|aider|détermin|précis))
      | aucune?\ (?:information|réponse|mention|donnée|précision)\b
      | (?:documents?|contexte|textes?|sources?|passages?|extraits?|articles?
        |informations?)\ (?:fournie?s?\ |disponibles?\ )?
        (?:ne|n)\ (?:\w+\ )?(?:mentionne|contien|précise|fourni|indique|donne|parle|répond
          |di)\w*\ (?:pas|aucune?|rien)\b
      | il\ n\ y\ a\ (?:pas|aucune?)\ (?:d\ |de\ |assez\ d\ )?(?:information|mention|réponse
        |précision)s?
      | (?:n\ est|ne\ sont)\ pas\ (?:mentionn|précis|indiqu|spécifi)\w+
    """,
    "es": r"""
        \bno\ (?:lo\ )?(?:sé|sabemos)\b | ni\ idea
      | \bno\ (?:\w+\ )?(?:puedo|podemos|pude|he\ podido|encuentro|encontré|he\ encontrado|tengo
        |dispongo|cuento|hemos\ encontrado|logré)\b
        (?=.{0,60}(?:respond|respuesta|encontr|inform|dato|decir|determin|ayud|contest|detalle))
      | (?:documentos?|contexto|textos?|fuentes?|pasajes?|artículos?
        |información)\ (?:proporcionad[oa]s?\ |disponibles?\ )?
        no\ (?:se\ )?(?:menciona|contiene|indica|especifica|proporciona|dice|incluye|ofrece
          |responde|aclara|habla)n?\b
      | \bno\ (?:hay|existe|se\ encontró|se\ encuentra)\ (?:suficiente\ |ninguna\ )?(?:información
        |datos|mención|respuesta)
      | \bno\ se\ (?:menciona|especifica|indica)\ en\ (?:el|los|la|las)
    """,
    "it": r"""
        \bnon\ (?:lo\ )?(?:so|sappiamo)\b
      | \bnon\ (?:\w+\ )?(?:posso|possiamo|riesco|trovo|ho|abbiamo|sono|dispongo)\b
        (?=.{0,60}(?:rispond|risposta|trov|inform|dire|determin|aiut|dettagl|grado))
      | (?:documenti|documento|contesto|test[oi]|font[ei]|brani|brano|articol[oi]
        |informazioni)\ (?:fornit[oiea]\ |disponibili\ )?
        non\ (?:menziona|contien|contengo|specifica|indica|fornis|dic|riporta|parla)\w*
      | \bnon\ (?:ci\ sono|c\ è|esistono|vi\ sono)\ (?:abbastanza\ )?(?:informazion|menzion
        |rispost|dat)
    """,
    "pt": r"""
        \bnão\ (?:o\ )?(?:sei|sabemos)\b
      | \bnão\ (?:\w+\ )?(?:posso|consigo|consegui|encontrei|encontramos|tenho|foi\ possível
        |disponho|pude)\b
        (?=.{0,60}(?:respond|respost|encontr|inform|dizer|determin|ajud|detalh|dado))
      | \bnão\ encontrei\b
      | (?:documentos?|contexto|textos?|fontes?|trechos?|artigos?
        |informações)\ (?:fornecid[oa]s?\ |disponíve\w+\ )?
        não\ (?:se\ )?(?:menciona|cont[éêe]m|especifica|indica|fornece|diz|inclu|responde|fala)\w*
      | \bnão\ (?:há|existe|existem)\ (?:\w+\ )?(?:informaç|menç|respost|dados)
    """,
    "nl": r"""
        \bik\ weet\ (?:\w+\ ){0,3}niet | \bweet\ ik\ (?:\w+\ ){0,2}niet | geen\ idee
      | \b(?:kan|kon)\ (?:ik\ )?(?:.{0,60}\ )?(?:niet|niets|geen)\ (?:.{0,60}\ )?(?:beantwoorden
        |vinden|zeggen|geven|bepalen|helpen)
      | \b(?:heb|hebben|is|staat|vind|beschik)\ (?:ik\ |er\ |wij\ |over\ )?(?:\w+\ ){0,3}(?:geen
        |onvoldoende|niet\ genoeg)\ (?:\w+\ )?(?:informatie|antwoord|gegevens)
      | (?:documenten|document|context|teksten?|bronnen|bron|artikelen|passages)\ (?:vermeld|bevat
        |noem|geven|geeft|zegg|zegt|bied)\w*\ (?:.{0,40}\ )?(?:niet|niets|geen)\b
    """,
    "hi": r"""
        (?:मुझे|हमें|मैं|हम)\ .{0,30}(?:नहीं\ (?:पता|मालूम|जानता|जानती|जानते)|(?:पता|मालूम)\ नहीं)
      | (?:जानकारी|उत्तर|जवाब|उल्लेख|विवरण)\ .{0,20}नहीं | नहीं\ (?:दे\ सकत|बता\ सकत|मिल)
    """,
    "ru": r"""
        \bя\ (?:этого\ )?не\ (?:знаю|могу\ (?:ответить|найти|сказать)|наш(?:ел|ёл|ла))\b
          | не\ удалось\ найти | нет\ (?:\w+\ )?(?:информации|данных|ответа)
      | (?:документах|контексте|тексте|источниках)\ .{0,30}не\ (?:упомин|указа|содерж)
    """,
    "ar": r"""لا\ (?:أعرف|أعلم|أدري|تتوفر|توجد\ معلومات|أستطيع\ الإجابة|يمكنني\ الإجابة)
      | لم\ أجد | ليس\ لدي\ معلومات""",
    "zh": r"""
        不(?:太)?(?:知道|清楚|確定|确定|了解|瞭解) | (?:无法|無法|不能)(?:回答|确定|確定|找到|提供
          |得知|判断|判斷|确认|確認)
      | (?:没有|沒有|未能?|并未|並未|没|沒)(?:找到|提到|提及|说明|說明|提供|包含|查到|检索到
        |涉及).{0,30}
      | (?:没有|沒有|缺乏|没|沒)(?:足够|足夠|相关|相關|任何|这方面|這方面|有关
        |有關)?.{0,12}(?:信息|資訊|信息|内容|內容|答案|資料|资料|数据|記載|记载)
    """,
    "ja": r"""
        (?:わかりません|分かりません|わからない|存じません|知りません|判断できません|不明です)
      | (?:見つか|みつか)り?(?:ません|らない|りません) | (?:お答え|回答|確認)(?:でき|は?でき
        |いたしかね)(?:ません|ない|ます)
      | (?:記載|言及|情報|説明|回答|データ|記述)(?:は|が|も)?.{0,12}(?:ありません|ございません
        |されていません|されておりません|見つかりません|ない)
    """,
    "ko": r"""
        모르겠 | 알\ 수\ 없 | 찾을\ 수\ 없 | 답변할\ 수\ 없 | 정보가\ 없 | 언급(?:되지|하지)\ 않
      | 나와\ 있지\ 않
    """,
}

OBJECT_FIRST: Final = frozenset({"passive", "de", "nl", "hi", "zh", "ja", "ko"})
"""Where what is not known may stand before the core: "Den Preis kenne ich nicht"."""

_ENGLISH_SIGNS: Final = (
    *(" no ", " no,", "not", "n't", "none", "unable", "unsure", "unaware", "answerable", "insuffi"),
    *("nothing", "declin", "refus", "needed", "requir", "need ", "difficult", "unclear", "hard to"),
)
_SIGNS: Final = {
    "en": _ENGLISH_SIGNS,
    "passive": _ENGLISH_SIGNS,
    "de": ("nicht", "kein"),
    "fr": (" pas", "aucun", "rien"),
    "es": (" no ", "ni idea"),
    "it": (" non ",),
    "pt": ("não",),
    "nl": ("niet", "geen"),
    "hi": ("नहीं",),
    "ru": ("не ", "нет "),
    "ar": ("لا", "لم", "ليس"),
    "zh": ("不", "没", "沒", "無", "无", "未", "缺"),
    "ja": ("ません", "ない", "不明"),
    "ko": ("없", "않", "모르"),
}
"""A refusal in a language holds one of these; they are found faster than its patterns."""


_EVERY_SIGN: Final = tuple({sign: None for signs in _SIGNS.values() for sign in signs})
_ASCII_SIGNS: Final = tuple(filter(str.isascii, _EVERY_SIGN))


def may_refuse(text: str) -> bool:
    """Whether looking for a refusal is worth it."""
    folded = f" {text.casefold()} "
    return any(sign in folded for sign in (_ASCII_SIGNS if folded.isascii() else _EVERY_SIGN))


def find_refusal(text: str) -> tuple[str, re.Match[str]] | None:
    """The first core of a refusal in `text`, and its language."""
    folded = f" {text.casefold()} "
    found = [
        (language, match)
        for language, signs in _SIGNS.items()
        if any(sign in folded for sign in signs) and (match := _pattern(language).search(text))
    ]
    return min(found, key=lambda pair: pair[1].start()) if found else None


@lru_cache(maxsize=len(_PATTERNS))
def _pattern(language: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[language], re.VERBOSE | re.IGNORECASE)
