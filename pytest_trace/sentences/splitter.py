"""The default sentencizer: Markdown blocks, sentencex within each, and its boundaries mended."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from itertools import accumulate, pairwise

from pytest_trace.language.word_sets import word_set
from pytest_trace.sentences.markdown import Block, read_blocks
from pytest_trace.sentences.sentencizer import Span

_WINDOW = 2_000  # characters; sentencex takes quadratic time on open quotes and on Chinese
_SAMPLE = 2_000  # characters that tell the language of a text
_NEAR = 40  # characters before a boundary that decide about it
_CONTEXT = 400  # characters; a context is repeated for each item and row
_version = cache(version)  # reading it takes as long as splitting a page
_SURROGATE = re.compile("[\ud800-\udfff]")
_OTHER_SPACE = re.compile(r"[^\S ]")  # "A\xa0. B" makes sentencex 1.0.32 panic
_NEXT = re.compile(r"\s*(\S.{,40})")
_WORD = re.compile(r"[^\W_]")

# Scripts by the first word of their letters' names, and the language whose rules fit them.
_SCRIPTS = dict(
    pair.split(":")
    for pair in word_set(
        "ARABIC:ar ARMENIAN:hy BENGALI:bn CJK:zh CYRILLIC:ru DEVANAGARI:hi ETHIOPIC:am GREEK:el "
        "GUJARATI:gu GURMUKHI:pa HANGUL:ko HIRAGANA:ja KANNADA:kn KATAKANA:ja MALAYALAM:ml "
        "MYANMAR:my TAMIL:ta TELUGU:te"
    )
)
_FUNCTION_WORDS = {
    "en": "the of and to is was are that it with for as by from this be at his her they you not",
    "de": "der die das und ist nicht ein eine er es mit von zu im den auf für sich wir sie dem ich",
    "es": "el la los las y que del un una es en con por para se su lo como más está desde",
    "fr": "le la les est des un une dans pour que qui sur au du il elle vous c avec à d l je",
    "it": "il la che di è un una per con non sono del della gli nel si le da anche alla i",
    "nl": "de het een en van is dat niet op zijn voor met te aan er ook als bij door wij naar ik",
    "pl": "w z na się i nie jest do to że przy od po za jak dla są przez oraz ten",
    "pt": "o os que e do da em um uma para com não é ao na no por se mais dos ele as",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _code, _words in _FUNCTION_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_code)

# Abbreviations beyond those of sentencex: before a name, and before a number.
_BEFORE_NAME = word_set(
    "av avda dhr dott dra dña ing inż ks mevr mgr mme mlle prof profa sig sigg sr sra srta sta ul "
    "г ул им проф акад св د أ م डॉ श्री श्रीमती प्रो"
)
_BEFORE_NUMBER = word_set(
    "abb abs approx art bd ca cap ch chap circa eq eqs fig figs jg kap nos nr num núm p pag pág "
    "págs pp rys sec secs sect tab vol vols ziff гл рис стр табл"
)
_LAST_WORD = re.compile(r"([^\s.(\[\"'“«]+)\.\Z")
_ENUMERATOR = re.compile(r"\s*\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]+)[.)]\s*")
_MIDDLE = re.compile(r"(?:(?<![\w.,])\d{1,2}|(?<![^\W\d_])[^\W\d_])\.\Z")
_AFTER_ORDINAL = re.compile(  # goes on after "3." in German; months that are English need a year
    r"(?:Jahrhundert\w*|Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b"
    r"|(?:April|August|September|November)\s\d{4}\b"
)
_INNER_DOT = re.compile(r"[^\W\d]\w*(?:[._@\\/][^\W\d]|\()")
_CLOSERS = re.compile(r"(?<=\S)[*_)\]”’»」』\"']+(?=\s|\Z)")
_EMOJI = re.compile(  # without the stars, ticks and arrows that serve as bullets
    r"\s*(?:[\u2600-\u2604\u2607-\u26ff\u2705\u270a-\u270d\u2728\u274c\u2753-\u2757\u2763\u2764"
    r"\U0001f000-\U0001faff][\u200d\ufe0f\U000e0020-\U000e007f]*)+(?=\s|\Z)"
)

# What sentencex may go on after; a class narrowed by lookbehinds is faster than alternatives.
_MARK = re.compile(
    r"[(\[“«「『„)\]”»」』\"….](?:(?<=[^.])|(?<= [A-Z]\.)|(?<=т\. [дп]\.)"
    r"|(?<=\b(?:atd|ecc|enz|etc|itd|itp|osv|usw)\.))"
)
_LABELLED = re.compile(  # by a letter, which is no initial of a name then
    r"\b(?i:appendix|category|class|exhibit|grade|group|hepatitis|level|option|part|plan|schedule"
    r"|section|step|table|terminal|type|vitamin|zone) [A-Z]\.\Z"
)
_OPENING = re.compile(r"[”’»\"')]*(\s*)(\S)")


class SentencexSentencizer:
    """Sentences as sentencex finds them within the Markdown blocks of a text.

    `language` is a code such as "de"; without it, function words and scripts tell the language.
    """

    def __init__(self, language: str | None = None) -> None:
        self._language = language

    @property
    def version(self) -> str:
        parts = (f"sentencex/{_version('sentencex')}", "blocks/2", self._language)
        return "+".join(filter(None, parts))

    def split(self, text: str | Sequence[str]) -> list[Span]:
        """The sentences of `text`; strings of a sequence are sentences, joined by a space."""
        if not isinstance(text, str):
            return _presplit(text)
        latin = self._language or _latin_language(text[:_SAMPLE])
        spans: list[Span] = []
        leads: dict[Block, str] = {}
        for block in read_blocks(text):
            context = leads[block.lead] if block.lead else None
            for start, end in self._extents(block, latin):
                spans += _stripped(text[start:end], start, context)
            leads[block] = _as_lead(block, spans[-1])
        return spans or _stripped(text, 0)

    def _extents(self, block: Block, latin: str) -> Iterator[tuple[int, int]]:
        if block.prose is None:
            yield block.start, block.end
            return
        prose = _OTHER_SPACE.sub(" ", _SURROGATE.sub("\ufffd", block.prose))
        language = self._language or _script_language(prose.strip()[:_NEAR]) or latin
        for start, end in pairwise((*_starts(prose, language), len(prose))):
            yield block.start + start, block.start + end


def _presplit(sentences: Sequence[str]) -> list[Span]:
    starts = accumulate((len(sentence) + 1 for sentence in sentences), initial=0)
    pieces = zip(sentences, starts, strict=False)  # there is one start more than sentences
    return [span for sentence, start in pieces for span in _stripped(sentence, start)]


def _stripped(piece: str, start: int, context: str | None = None) -> list[Span]:
    """A span without the white space around `piece`, or none."""
    text = piece.strip()
    start += len(piece) - len(piece.lstrip())
    return [Span(text, start, start + len(text), context)] if text else []


def _as_lead(block: Block, last: Span) -> str:
    """What is needed to read the blocks under `block`: of a paragraph its last sentence."""
    text = block.prose if block.is_item and block.prose else last.text
    return " ".join(text[:_CONTEXT].split())


def _latin_language(sample: str) -> str:
    words = re.findall(r"[^\W\d_]{2,}|[^\W\d_](?!\.)", sample.casefold())  # not the "e" of "e.g."
    scores = Counter(code for word in words for code in _LANGUAGES_OF.get(word, ()))
    best = max(_FUNCTION_WORDS, key=lambda code: scores[code])  # English where they are equal
    return best if scores[best] > 1 else "en"


def _script_language(sample: str) -> str | None:
    if sample.isascii():
        return None
    names = [unicodedata.name(c, "").partition(" ")[0] for c in sample if c.isalpha()]
    return _SCRIPTS.get(max(dict.fromkeys(names), key=names.count, default=""))


def _starts(prose: str, language: str) -> list[int]:
    """Where the sentences of a paragraph without line breaks start."""
    starts = [0]
    has_emoji_bullets = _EMOJI.match(prose)
    for cut in _cuts(prose, language):
        # White space goes to the right: the marker of a block quote is blank here.
        end = max(0, cut - _NEAR) + len(prose[max(0, cut - _NEAR) : cut].rstrip())
        trailer = _CLOSERS.match(prose, end) or (not has_emoji_bullets and _EMOJI.match(prose, end))
        start = trailer.end() if trailer else end
        if start > starts[-1] and not _goes_on(prose, starts[-1], start):
            starts.append(start)
    missed = [cut for extent in pairwise((*starts, len(prose))) for cut in _missed(prose, *extent)]
    extents = pairwise((*sorted({*starts, *missed}), len(prose)))
    worded = [start for start, end in extents if _WORD.search(prose, start, end)]
    return [0, *worded[1:]]  # "!!" or an emoji alone is no sentence


def _cuts(prose: str, language: str) -> Iterator[int]:
    """Where sentencex ends a sentence, asked for a window at a time."""
    position = 0
    while position < len(prose):
        window = prose[position : position + _WINDOW]
        cuts = list(accumulate(map(len, _segment(language, window))))[:-1]
        yield from (position + cut for cut in cuts)
        # The next window starts with the sentence that this one cuts off, unless it is too long.
        whole = cuts[-1] if cuts and cuts[-1] > _WINDOW // 2 else window.rfind(" ") + 1
        position += (whole or _WINDOW) if len(window) == _WINDOW else _WINDOW


def _segment(language: str, text: str) -> list[str]:
    from sentencex import segment  # type: ignore[import-untyped]  # it ships no types

    try:
        return list(segment(language, text))
    except BaseException as error:  # a panic of its Rust code is no Exception
        if type(error).__name__ != "PanicException":
            raise
        return [text]


def _goes_on(prose: str, start: int, cut: int) -> bool:
    """Whether the sentence from `start` goes on after `cut`, where sentencex would end it."""
    following = _NEXT.match(prose, cut)
    if not following or _ENUMERATOR.fullmatch(prose, start, cut):
        return True
    left, right = prose[max(start, cut - _NEAR) : cut], following[1]
    if not left.endswith("."):
        return left.endswith(("」", "』")) and right.startswith("と")
    if right[0].isupper() and not prose[cut].isspace():
        return _is_dotted_name(left, right)
    last = left.rfind(" ") + 1  # neither pattern reaches over a space
    if (right[0].islower() or _AFTER_ORDINAL.match(right)) and _MIDDLE.search(left, last):
        return True
    word = _LAST_WORD.search(left, last)
    known = _BEFORE_NUMBER if right[0].isdigit() else _BEFORE_NAME
    return word is not None and word[1].casefold() in known


def _is_dotted_name(left: str, right: str) -> bool:
    """Whether a stop without a space after it is none: "os.Path.join", "ASP.NET", "Au.D."."""
    before, after = left.rsplit(maxsplit=1)[-1][:-1], right.split(maxsplit=1)[0]
    is_initial = before[:1].isupper() and re.fullmatch(r"[A-Z](?:\.|[A-Z]{1,2}\W*)", after)
    return bool(is_initial or _INNER_DOT.search(before) or _INNER_DOT.search(after))


def _missed(prose: str, start: int, end: int) -> Iterator[int]:
    """Where the sentence from `start` to `end` ends although sentencex goes on."""
    word = _WORD.search(prose, start, end)
    depth, is_quoted, is_aside = 0, False, False
    for match in _MARK.finditer(prose, start, end):
        mark, position = match[0], match.start()
        is_quoted ^= mark == '"'
        if mark in "([“«「『„":
            is_aside = is_aside if depth else word is not None and position < word.start()
            depth += 1
        elif mark in ")]”»」』":
            depth = max(0, depth - 1)
        if depth == 0 and not is_quoted and _may_end(prose, position, is_aside=is_aside):
            following = _OPENING.match(prose, match.end(), end)
            if following and _begins(following, is_long=prose.startswith("……", position - 1)):
                word = _WORD.search(prose, following.start(2), end)
                yield following.start(1)


def _may_end(prose: str, position: int, *, is_aside: bool) -> bool:
    """Whether a sentence may end with the mark there, outside of brackets and quotes."""
    mark, before = prose[position], prose[position - 1] if position else " "
    if mark == ")":
        return is_aside and before in ".!?" and prose[position - 2].isalnum()
    if mark == "." and before.isupper():
        return _LABELLED.search(prose[max(0, position - _NEAR) : position + 1]) is not None
    return mark in "…." and not before.isspace()


def _begins(following: re.Match[str], *, is_long: bool) -> bool:
    """Whether a sentence begins there; after a long, Chinese ellipsis it needs no space."""
    space, letter = following.groups()
    return letter.isupper() if space else is_long and unicodedata.category(letter) == "Lo"
