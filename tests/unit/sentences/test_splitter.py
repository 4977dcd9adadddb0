"""Splitting texts into sentences: boundaries, contexts, offsets, hostile texts."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest
import sentencex
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.sentences import Span
from pytest_trace.sentences.splitter import SentencexSentencizer

HOSTILE = (
    *("\r\n", "\n", "\r", "\n\n", "\t", "\f", "\0", "\u2028", "\x85", "\xa0", "\u3000", "\ufeff"),
    *("\ud83d", "\udc00", "- ", "1. ", "# ", "```\n", "|", "|-|\n", "> ", "---\n", ":\n", "**"),
    *("A.", "b.", "e.g.", "etc. ", "…", "(", ")", '"', "“", "”", "。", "।", "؟", "🎉", "The "),
)
hostile_texts = st.lists(
    st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=()), max_size=4)),
    max_size=30,
).map("".join)
PROSE = (
    *("a", "cat", "It", "Dr.", "etc.", "(see", "it.)", "“Yes.”", "U.S.", "3.5", "5.", "…", "C."),
    *("no.", "Why?", "🎉", "文。", "है।", "node.js", "x@y.org.", "[1]", "**Note.**", "end."),
)
prose_texts = st.lists(
    st.tuples(st.sampled_from(PROSE), st.sampled_from((" ", "  ", "\n", "\r\n", "\n\n")))
).map(lambda pairs: "".join(word + space for word, space in pairs))


def split(text, language=None):
    """The texts of the sentences, whose spans must fit the text they come from."""
    spans = SentencexSentencizer(language).split(text)
    position = 0
    for span in spans:
        assert text[span.start : span.end] == span.text == span.text.strip() != ""
        assert span.start >= position
        position = span.end
    return [span.text for span in spans]


def contexts(text):
    """Sentence and context of those that have one."""
    return {span.text: span.context for span in SentencexSentencizer().split(text) if span.context}


@pytest.mark.parametrize(
    "text",
    [
        "Ask Dr. Lee.| She left at 3 p.m. on Sunday.",
        "It grew to approx. 40 kg.| See vol. 2, pp. 3-9 and Figs. 1 and 2.",
        "Bring cups, plates, etc.| Parking is free.",
        "Bring cups, plates, etc. to the party.",
        "Choose plan B.| Pay later.",
        "The book by J. Doe and A. B. Roe sold well.",
        "Carrots have vitamin A.| Eggs have it too.",
        "(The shop is closed.)| Come back later.",
        "The shop (it opens at 9. sharp) is near.",
        "The firm (Acme Inc.) London moved.",
        "Nobody knew…| They waited.",
        "He was … somewhere.",
        "Well… maybe.",
        "“It stopped… Then it went on,” she said.",
        "We sell 3. the pens and 4. the ink.",
        "1. Stir. |2. Wait. |3. Serve.",
        "It ended.|It began.",
        "Use ASP.NET, Node.JS and java.lang.String today.",
        "Get an Au.D. degree.",
        "**Careful.**| It is _hot._| Wait.",
        "We won! 🎉🎉| Thanks 🙏.| Bye.",
        "✅ Fast. |✅ Small.",
        "It rained.[3][4]| It snowed [5].",
        "Stop! !!| Go.",
        "... Go on. |Stop.",
        "Bring cups, e.g. 3 or e.g. Dr. Lee's.| Or ask.",
        "Read it.          " + " " * 60 + "|Write it.",
    ],
)
def test_boundaries_in_english(text):
    """Stops within abbreviations, numbers, names, brackets and quotes end no sentence."""
    assert split(text.replace("|", "")) == [part.strip() for part in text.split("|")]


@pytest.mark.parametrize(
    "text",
    [
        "Der Laden ist am 3. Mai zu.| Das kostet z. B. 5 Euro.",
        "Er endet am 31. März 2025.| Danach gilt er bis 30. September 2026.",
        "Im 19. Jahrhundert war es anders.",
        "We sold 12.| August was slow.",
        "Wir haben Tee, Kaffee usw.| Die Auswahl ist groß.",
        "La Sra. Gil vive en la Av. Mayor.| ¿Está lejos?| ¡No!",
        "M. Petit est là.| Il est dans le vol. 2.",
        "O Sr. Lima não está na Av. Brasil.| Ele mora em Lisboa.",
        "Il dott. Neri è a Roma.| La casa è in vendita, ecc.",
        "Dom jest przy ul. Polnej.| To jest np. szkoła.",
        "Живу в г. Туле.| Там тихо, т. е. хорошо.",
        "Τι είναι αυτό;| Ένα βιβλίο.",
        "قابلت د. سامي.| هل تعرفه؟| نعم.",
        "یہ گھر ہے۔| وہ بڑا ہے۔",
        "डॉ. राव आए।| वे चले गए।",
        "天气很好。|我们走吧！|你呢？",
        "他想了想……|他没说话。",
        "「はい。」と言った。|帰った。",
        "오늘은 맑다.| 내일은 비가 온다.",
        "Սա տուն է։| Նա գնաց։",
        "ฉันไปตลาด วันนี้ฝนตก",
    ],
)
def test_boundaries_in_other_languages(text):
    """Every script's stops end a sentence, and a language's abbreviations do not, unasked."""
    assert split(text.replace("|", "")) == [part.strip() for part in text.split("|")]


def test_language_is_taken_as_said():
    """A language that is named is not guessed, and shows in the version."""
    text = "Ankunft: 3. April."
    assert split(text) == ["Ankunft: 3.", "April."]
    assert split(text, "de") == [text]
    installed = version("sentencex")
    assert SentencexSentencizer().version == f"sentencex/{installed}+blocks/2"
    assert SentencexSentencizer("de").version == f"sentencex/{installed}+blocks/2+de"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t\r\n\f\u2028 ", []),
        ("...", ["..."]),
        (">", [">"]),
        ("|---|", ["|---|"]),
        ("OK", ["OK"]),
        ("One\0 two. Three.", ["One\0 two.", "Three."]),
        ("A \ud83d bit. \udc00 It.", ["A \ud83d bit.", "\udc00 It."]),
        ("\ufeffOne. Two.", ["\ufeffOne.", "Two."]),
        ("Das ist A\xa0. Ja\u3000. Und es.", ["Das ist A\xa0. Ja\u3000.", "Und es."]),
        ("One two\nthree. Four\r\nfive.\u2028Six.", ["One two\nthree.", "Four\r\nfive.", "Six."]),
        ("> One two\n> three. Four.\n> Five.", ["> One two\n> three.", "Four.", "> Five."]),
        ("- One. Two.\n- Three", ["- One.", "Two.", "- Three"]),
        ("# What? A title. Yes.\nText.", ["# What? A title. Yes.", "Text."]),
    ],
)
def test_texts_are_kept_exactly(text, expected):
    """A sentence is what stands in the text, with line ends, markers and odd characters."""
    assert split(text) == expected


def test_items_carry_their_lead_in():
    """A lead-in is the last sentence of the paragraph, and it holds for every item's sentences."""
    text = "We sell tea. The kinds\nare:\n\n- green. Hot.\n- black\n\nThe end."
    assert contexts(text) == {
        "- green.": "The kinds are:",
        "Hot.": "The kinds are:",
        "- black": "The kinds are:",
    }


def test_nested_items_carry_their_parent_and_rows_their_header():
    """The nearest thing that an item or a row hangs on is its context."""
    assert contexts("- Pro\n  plan\n  - 5 users\n- Free") == {"- 5 users": "- Pro plan"}
    assert contexts("| Plan | Users |\n|---|--:|\n| Pro | 5 |") == {
        "| Pro | 5 |": "| Plan | Users |"
    }


def test_contexts_are_short():
    """A context that is repeated for thousands of items cannot be long."""
    found = contexts(f"{'word ' * 1000}:\n- a\n- b")
    assert list(found) == ["- a", "- b"]
    assert all(len(context) <= 400 for context in found.values())


def test_sentences_may_come_already_split():
    """Strings of a sequence are the sentences of their text, joined by single spaces."""
    parts = ["One. Two.", " Three", "", "Four. "]
    spans = SentencexSentencizer().split(parts)
    assert [span.text for span in spans] == ["One. Two.", "Three", "Four."]
    assert all(" ".join(parts)[span.start : span.end] == span.text for span in spans)


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        ("It is a sentence of its own. ", 700),
        ("今天天气很好。", 3000),
        ("“Open quotes, never closed. ", 400),
        ("word ", 5000),
        ("x", 9000),
    ],
)
def test_long_paragraphs_are_read_in_windows(unit, count):
    """No sentence is lost, cut or doubled where a paragraph is longer than a window."""
    sentences = split(unit * count)
    whole = {unit.strip()} if len(sentences) > 1 else {(unit * count).strip()}
    assert "".join("".join(sentences).split()) == "".join((unit * count).split())
    assert unit.startswith("“") or set(sentences) == whole


def test_a_panic_of_sentencex_costs_boundaries_only(monkeypatch):
    """Where the Rust code panics the paragraph stays whole; other exits are not swallowed."""

    class PanicException(BaseException):
        pass

    def fail(error):
        def segment(language, text):
            raise error

        monkeypatch.setattr(sentencex, "segment", segment)

    fail(PanicException())
    assert split("One. Two.\n\nThree.") == ["One. Two.", "Three."]
    fail(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        split("One. Two.")


def test_sentencex_is_loaded_at_first_use():
    """Importing the splitter does not import sentencex."""
    code = "import sys, pytest_trace.sentences.splitter; sys.exit('sentencex' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(hostile_texts)
def test_spans_fit_any_text(text):
    """Spans are exact, stripped, in order and apart; only blank texts have none."""
    assert bool(split(text)) == bool(text.strip())


@given(prose_texts)
def test_prose_is_covered(text):
    """Every character of prose but white space is in exactly one sentence."""
    assert "".join("".join(split(text)).split()) == "".join(text.split())


@given(st.lists(hostile_texts, max_size=5))
def test_split_sentences_fit_any_text(parts):
    """Spans of sentences that come already split fit their joined text."""
    joined = " ".join(parts)
    for span in SentencexSentencizer().split(parts):
        assert span == Span(joined[span.start : span.end], span.start, span.end)
