"""The score table and the lines under it, as whole screens of 80 columns."""

from __future__ import annotations

import pytest
from building import row, scores

from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.quoting import width
from pytest_trace.report.ledger import JudgeFault
from pytest_trace.report.screen import Screen
from pytest_trace.report.summary import fault_lines, judge_lines, mix_lines
from pytest_trace.report.table import score_table

SCREEN = Screen(80)
NODE = "tests/test_shop.py::test_refund"
ISLAND = "tests/test_shop.py::TestDelivery::test_how_long_it_takes[an-island-in-winter]"
THREE = [
    row(NODE, scores(2 / 3, 1 / 3, 0.5, 1.0, 1.0)),
    row(NODE, scores(0.2, None, None, 0.0, 0.5)),
    row(ISLAND, scores(0.999, 1.0, 1.0, 1.0, None), is_refusal=True),
]


def shown(lines):
    """The texts of lines, as they stand one under the other."""
    return "\n".join(line.text for line in lines)


def screen_of(text):
    """A screen as a test writes it, without the line end in front."""
    return text.strip("\n")


def summary(rows, calls=None, faults=(), screen=SCREEN, remarks=None):
    """The lines under the table."""
    sources = {judge: {"judge": count} for judge, count in (calls or {}).items()}
    lines = judge_lines(rows, sources, screen, remarks or {})
    return [*lines, *fault_lines(faults, screen)]


def test_each_trace_has_a_row():
    """A test with two traces has two rows, undefined scores are dashes, means say of how many."""
    assert shown(score_table(THREE, "auto", SCREEN)) == screen_of("""
test                                     R     T     C     A    support  judge
------------------------------------  ----  ----  ----  ----  ---------  -------
tests/test_shop.py::test_refund       0.67  0.33  0.50  1.00       1.00  lexical
tests/test_shop.py::test_refund       0.20     –     –  0.00       0.50  lexical
…test_how_long_it_…island-in-winter]  0.99  1.00  1.00  1.00          –  lexical
mean of 3 traces                      0.62  0.67  0.75  0.67       0.75  lexical
traces with that score                   3     2     2     3          2
""")


def test_styles_tell_what_is_bad_and_what_is_a_mean():
    """A row that does not adhere stands out, and so do the means."""
    styles = [line.style for line in score_table(THREE, "auto", SCREEN)]
    assert styles == ["plain", "plain", "plain", "bad", "plain", "strong", "strong"]


def test_one_row_has_its_mean():
    """A single trace is counted in the singular."""
    assert shown(score_table([row()], "auto", SCREEN)) == screen_of("""
test                          R     T     C     A    support  judge
-------------------------  ----  ----  ----  ----  ---------  -------
test_shop.py::test_refund  0.50  0.50  0.50  1.00       1.00  lexical
mean of 1 trace            0.50  0.50  0.50  1.00       1.00  lexical
traces with that score        1     1     1     1          1
""")


def test_judges_are_never_mixed():
    """Each judge has means of its own, and a line of its own."""
    rows = [
        row("test_a.py::test_x", scores(1.0)),
        row("test_a.py::test_x", scores(0.0), judge="groq:openai/gpt-oss-120b"),
        row("test_a.py::test_y", scores(0.5)),
    ]
    assert shown(score_table(rows, "auto", SCREEN)) == screen_of("""
test                       R     T     C     A    support  judge
----------------------  ----  ----  ----  ----  ---------  --------------------
test_a.py::test_x       1.00  0.50  0.50  1.00       1.00  lexical
test_a.py::test_x       0.00  0.50  0.50  1.00       1.00  groq:opena…-oss-120b
test_a.py::test_y       0.50  0.50  0.50  1.00       1.00  lexical
mean of 2 traces        0.75  0.50  0.50  1.00       1.00  lexical
traces with that score     2     2     2     2          2
mean of 1 trace         0.00  0.50  0.50  1.00       1.00  groq:opena…-oss-120b
traces with that score     1     1     1     1          1
""")
    calls = {"groq:openai/gpt-oss-120b": 1, "lexical": 2, "other": 1}
    assert shown(summary(rows, calls)) == screen_of("""
lexical: 2 traces, 2 calls, 0 cached, 0 refusals
groq:openai/gpt-oss-120b: 1 trace, 1 call, 0 cached, 0 refusals
other: 0 traces, 1 call, 0 cached, 0 refusals
""")


def test_wide_characters_align():
    """A CJK test id takes its columns; every number stands where its head is."""
    rows = [
        row("tests/test_返品.py::test_返品は三十日以内[ノートパソコン]"),
        row("tests/test_返品.py::test_返品", judge="評価"),
    ]
    lines = score_table(rows, "auto", SCREEN)
    assert shown(lines) == screen_of("""
test                                    R     T     C     A    support  judge
-----------------------------------  ----  ----  ----  ----  ---------  -------
…test_返品は三十日…[ノートパソコン]  0.50  0.50  0.50  1.00       1.00  lexical
tests/test_返品.py::test_返品        0.50  0.50  0.50  1.00       1.00  評価
mean of 1 trace                      0.50  0.50  0.50  1.00       1.00  lexical
traces with that score                  1     1     1     1          1
mean of 1 trace                      0.50  0.50  0.50  1.00       1.00  評価
traces with that score                  1     1     1     1          1
""")
    ends = {width(line.text[: line.text.index(" 1.00  ")]) for line in lines if "1.00" in line.text}
    assert len(ends) == 1


@pytest.mark.parametrize(
    ("encoding", "name", "judge", "fault"),
    [
        ("utf-8", "test_返品.py::test_a", "評価", "返品 …\n  test_é.py"),
        ("gbk", "test_返品.py::test_a", "評価", "返品 …\n  test_é.py"),
        (
            "cp1252",
            "test_\\u8fd4\\u54c1.py::test_a",
            "\\u8a55\\u4fa1",
            "\\u8fd4\\u54c1 …\n  test_é.py",
        ),
        (
            "ascii",
            "test_\\u8fd4\\u54c1.py::test_a",
            "\\u8a55\\u4fa1",
            "\\u8fd4\\u54c1 \\u2026\n  test_\\xe9.py",
        ),
    ],
)
def test_console_shows_what_its_encoding_has(encoding, name, judge, fault):
    """What an encoding lacks is an escape; glyphs of ours are ASCII where it is no Unicode."""
    screen = Screen(80, encoding)
    rows = [row("test_返品.py::test_a", scores(None), judge="評価"), row("x" * 90)]
    faults = [JudgeFault("test_é.py", "返品 …")]
    lines = [*score_table(rows, "auto", screen), *summary(rows, faults=faults, screen=screen)]
    text = shown(lines)
    text.encode(encoding)
    assert f"\n{name} " in text
    assert f"  {judge}\n" in text
    assert text.endswith(fault)
    assert ("–  0.50" in text, "x…x" in text) == (encoding == "utf-8",) * 2
    assert ("-  0.50" in text, "x...x" in text) == (encoding != "utf-8",) * 2
    assert all(width(line.text) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("nodeid", "expected"),
    [
        ("tests/test_the_shop_and_its_branches.py::test_refund", "…test_refund "),
        ("tests/test_the_shop_and_its_branches.py::TestA::test_x[a::b]", "…test_x[a::b] "),
        ("tests/test_shop.py::test_" + "x" * 40, f"…test_{'x' * 12}…{'x' * 17} "),
        ("tests/test_shop.py::test_x", "tests/test_shop.py::test_x "),
        ("README.md" * 9, "README.mdREADME.md…EADME.mdREADME.md "),
    ],
)
def test_of_a_long_name_the_file_goes_first(nodeid, expected):
    """A test's own name tells more than its file; its middle goes only where it is too long."""
    line = score_table([row(nodeid)], "auto", SCREEN)[2].text
    assert line.startswith(expected)


def test_control_characters_are_made_visible():
    """A parameter with an escape sequence or a line end does not break the table."""
    text = shown(score_table([row("test_a.py::test_x[\x1b[31m\n\ud800]")], "auto", SCREEN))
    assert "test_a.py::test_x[\\x1b[31m\\n\\ud800]" in text


def many(count):
    """Rows that get better, the first of them bad."""
    return [
        row(f"test_a.py::test_{number:02}", scores(number / count, adherence=float(number > 2)))
        for number in range(count)
    ]


def names(lines):
    """The test names in a table."""
    return [line.text.split()[0] for line in lines if line.text.startswith("test_a.py")]


def test_fifty_rows_are_all_shown():
    """`auto` shows all that a screen can be asked to hold."""
    assert len(names(score_table(many(50), "auto", SCREEN))) == 50


def test_of_more_than_fifty_the_worst_are_shown():
    """The 20 worst, a line that says so, and the means of all."""
    rows = many(60)
    lines = score_table(rows[::-1], "auto", SCREEN)
    assert lines[0].text == "the 20 worst of 60 traces; all of them: --rag-table=all"
    assert names(lines) == [f"test_a.py::test_{number:02}" for number in range(20)]
    assert [line.style for line in lines[3:23]] == ["bad"] * 3 + ["plain"] * 17
    assert lines[-2].text.startswith("mean of 60 traces  ")
    assert names(score_table(rows, "all", SCREEN)) == [item.nodeid for item in rows]


def test_worst_come_first():
    """What does not adhere is worse than any mean; then the lower mean is."""
    rows = [
        row("test_a.py::good", scores(1.0)),
        row("test_a.py::poor", scores(0.0)),
        row("test_a.py::unsupported", scores(1.0, 1.0, 1.0, 0.0)),
        row("test_a.py::undefined", scores(None, None, None, 1.0)),
    ]
    lines = score_table(rows, "worst", SCREEN)
    assert names(lines) == [
        "test_a.py::unsupported",
        "test_a.py::poor",
        "test_a.py::good",
        "test_a.py::undefined",
    ]
    assert lines[0].text.startswith("test ")


@pytest.mark.parametrize(("rows", "choice"), [(THREE, "none"), ([], "auto"), ([], "worst")])
def test_without_rows_or_wish_there_is_no_table(rows, choice):
    """Nothing is shown, not even a head."""
    assert score_table(rows, choice, SCREEN) == []


def test_undefined_scores_count_in_no_mean():
    """A score that no trace has is undefined in the mean, too."""
    rows = [
        row("test_a.py::x", scores(None, None, None, 1.0, None)),
        row("test_a.py::y", scores(0.5)),
    ]
    assert shown(score_table(rows, "auto", SCREEN)[-2:]) == screen_of("""
mean of 2 traces        0.50  0.50  0.50  1.00       1.00  lexical
traces with that score     1     1     1     2          1
""")
    lines = score_table(rows[:1], "auto", SCREEN)
    assert shown(lines[-2:]) == screen_of("""
mean of 1 trace           –    –    –  1.00          –  lexical
traces with that score    0    0    0     1          0
""")


def test_a_remark_on_a_judge_is_told():
    """What has to be known of a judge stands beside its numbers, folded to the screen."""
    remark = "known to find about 56 % of unsupported responses"
    text = shown(summary(THREE, {"lexical": 3}, remarks={"lexical": remark, "groq": "not shown"}))
    assert text == screen_of("""
lexical: 3 traces, 3 calls, 0 cached, 1 refusal; known to find about 56 % of
  unsupported responses
""")


def test_faults_are_listed_apart():
    """Tests whose judge could not decide have no row; they stand under what the judge said."""
    faults = [
        JudgeFault("test_a.py::test_x", "groq: the key is not valid"),
        JudgeFault(
            ISLAND, "groq: the quota of 100 requests a day is used up, try again tomorrow at 8"
        ),
        JudgeFault("test_b.py::test_y", "groq: the key is not valid"),
    ]
    lines = summary([], {"groq": 1}, faults)
    assert shown(lines) == screen_of(f"""
groq: 0 traces, 1 call, 0 cached, 0 refusals
3 tests with a judge that could not decide:
groq: the key is not valid
  test_a.py::test_x
  test_b.py::test_y
groq: the quota of 100 requests a day is used up, try again tomorrow at 8
  {ISLAND}
""")
    assert [line.style for line in lines[:4]] == ["plain", "bad", "bad", "plain"]


@pytest.mark.parametrize("columns", [64, 80, 120, 200])
def test_nothing_is_wider_than_the_screen(columns):
    """Long ids, long judges and wide characters fit any screen that holds the numbers."""
    long = [ISLAND * 3, "返品" * 60, "x" * 300]
    rows = [row(name, judge=judge) for name in long for judge in ("lexical", "評" * 50, "j" * 90)]
    faults = [JudgeFault(name, name) for name in long]
    screen = Screen(columns)
    lines = [*score_table(rows, "auto", screen), *summary(rows, {}, faults, screen)]
    assert max(width(line.text) for line in lines) <= columns


def test_means_over_configurations_say_so():
    """One line for each judge whose traces were retrieved in different ways."""
    small, large = (EvaluationConfig(chunk_size=size, top_k=5) for size in (256, 512))
    rows = [
        *(row(config=small), row(config=large), row(config=large)),
        *(row(judge="groq:gpt", config=small), row(judge="groq:gpt", config=small)),
    ]
    lines = mix_lines(rows, SCREEN)
    assert shown(lines) == screen_of("""
lexical: the means are over 2 configurations of retrieval: chunk_size 512 (2
  traces); chunk_size 256 (1 trace)
""")
    assert {line.style for line in lines} == {"bad"}
    assert mix_lines([row(), row()], SCREEN) == []
