"""Which tests are RAG tests, and the cases they are run on."""

from __future__ import annotations

import json

import pytest

FILES = {
    "test_named": """
        from pytest_trace import assert_adherent as supported
        from traces import trace
        def test_it(): supported(trace())
    """,
    "test_module": """
        import pytest_trace
        from traces import trace
        def test_it(): pytest_trace.assert_adherent(trace())
    """,
    "test_inside": """
        from traces import trace
        def test_it():
            from pytest_trace import evaluate
            assert evaluate(trace()).scores.adherence
    """,
    "test_nested": """
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace
        @pytest.mark.parametrize("n", [1])
        class TestIt:
            def test_it(self, n):
                [assert_adherent(trace()) for _ in range(n)]
    """,
    "test_unittest": """
        import unittest
        from pytest_trace import assert_adherent
        from traces import trace
        class TestIt(unittest.TestCase):
            def test_it(self): assert_adherent(trace())
    """,
    "test_fixture": """
        def test_it(rag_judge): assert rag_judge.kind == "fake"
    """,
    "test_cases": """
        import pytest
        @pytest.mark.rag_cases("cases.jsonl")
        def test_it(rag_case): assert rag_case["question"]
    """,
}


def test_rag_tests_are_marked_by_themselves(project: pytest.Pytester) -> None:
    """Tests that use a fixture, the cases or an assertion of ours are what -m rag selects."""
    project.makefile(".jsonl", cases='{"question": "Why?"}')
    project.makepyfile(
        **FILES,
        test_unrelated="def assert_adherent(x): pass\ndef test_it(): assert_adherent(1)\n",
    )
    result = project.runpytest("-m", "rag", "-q")
    result.assert_outcomes(passed=len(FILES), deselected=1)
    project.runpytest("-m", "not rag").assert_outcomes(passed=1, deselected=len(FILES))


def test_markers_are_described(pytester: pytest.Pytester) -> None:
    """`pytest --markers` explains both."""
    shown = pytester.runpytest("--markers").stdout.str()
    assert "@pytest.mark.rag(judge=SPEC, votes=COUNT): a test of a RAG application" in shown
    assert "@pytest.mark.rag_cases(PATH, shape=NAME, fields=DICT, on_bad_row='skip')" in shown


def test_fixtures_are_described(pytester: pytest.Pytester) -> None:
    """`pytest --fixtures` has a useful line for each."""
    shown = pytester.runpytest("--fixtures").stdout.str()
    assert "rag_judge" in shown
    assert "The judge of this run; override it to bring your own" in shown
    assert "What splits texts into sentences; override it to bring your own" in shown


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("judge='nope'", "the marker rag: unknown judge 'nope'; known: lexical"),
        ("votes=2", "the marker rag(votes=…) is 2; expected an odd number from 1 on"),
        ("votes=3", "the marker rag(votes=…) is 3, but rag_temperature is 0"),
        ("model='x'", "the marker rag got model; it takes judge=SPEC and votes=COUNT"),
        ("'lexical'", "the marker rag got lexical; it takes judge=SPEC and votes=COUNT"),
    ],
)
def test_a_marker_that_says_what_nobody_knows_is_a_usage_error(
    project: pytest.Pytester, marker: str, message: str
) -> None:
    """A wrong marker stops the run at collection, with the test's name."""
    project.makepyfile(f"import pytest\n@pytest.mark.rag({marker})\ndef test_it(): pass\n")
    result = project.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"::test_it: {message}" in result.stderr.str()


CASES_TEST = """
    import pytest
    from pytest_trace import assert_adherent

    @pytest.mark.rag_cases("data/cases.jsonl")
    def test_it(rag_case):
        assert_adherent(rag_case.trace(documents=["The bicycle is red."], response="It is red."))
"""


def _cases(project: pytest.Pytester, *lines: str) -> None:
    folder = project.mkdir("data")
    (folder / "cases.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_a_test_is_run_on_each_case_with_its_id(project: pytest.Pytester, run) -> None:
    """The id is the row's, or its line, and made unique; the path is beside the test file."""
    rows = [{"id": "colour"}, {"question": "Q"}, {"id": "colour"}, {"id": "自転車"}]
    _cases(project, *(json.dumps({"question": "What?"} | row) for row in rows), "")
    project.makepyfile(CASES_TEST)
    result = run("-v")
    result.assert_outcomes(passed=4)
    shown = result.stdout.str()
    for name in ("colour", "2", "colour-line3", "\\u81ea\\u8ee2\\u8eca"):
        assert f"test_it[{name}]" in shown


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"question": "Q"}', "{oops"], "cases.jsonl:2 is no JSON"),
        (["[1]"], "cases.jsonl:1 is a list; expected a JSON object"),
        (['{"question": 3}'], "cases.jsonl:1, field question: 3 is a int; expected a string"),
        (['{"documents": "x"}'], "cases.jsonl:1, field documents: a str; expected a list"),
        (["", ""], "holds no case; expected one JSON object a line"),
    ],
)
def test_a_bad_row_is_named_by_line_and_field(
    project: pytest.Pytester, lines: list[str], message: str
) -> None:
    """A row that cannot be read is a collection error without a traceback."""
    _cases(project, *lines)
    project.makepyfile(CASES_TEST)
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    assert message in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


def test_a_missing_cases_file_is_named(project: pytest.Pytester) -> None:
    """The collection error says which file was looked for."""
    project.makepyfile(CASES_TEST)
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*cannot read the cases in *data*cases.jsonl: No such file*"])


def test_a_test_must_take_its_case(project: pytest.Pytester) -> None:
    """`rag_cases` on a test without the argument is an error that says so."""
    _cases(project, '{"question": "Q"}')
    project.makepyfile(
        "import pytest\n@pytest.mark.rag_cases('data/cases.jsonl')\ndef test_it(): pass\n"
    )
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    assert "does not take the argument rag_case" in result.stdout.str()


def test_a_case_says_what_it_lacks(project: pytest.Pytester) -> None:
    """A trace without a response names the line and how to give one."""
    _cases(project, '{"id": "colour", "question": "What?", "documents": ["It is red."]}')
    project.makepyfile(
        """
        import pytest

        @pytest.mark.rag_cases("data/cases.jsonl")
        def test_it(rag_case):
            rag_case.trace()
        """
    )
    result = project.runpytest()
    assert "cases.jsonl:1 has no response; give it: case.trace(response=" in result.stdout.str()


PEER_TEST = """
    import pytest
    from pytest_trace import assert_adherent

    @pytest.mark.rag_cases({arguments})
    def test_it(rag_case):
        assert_adherent(rag_case.trace())
"""


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("ragas.csv", "user_input,retrieved_contexts,response\nQ?,['It is red.'],Red.\n", ""),
        (
            "deepeval.json",
            '[{"input": "Q?", "retrieval_context": ["It is red."], "actual_output": "Red."}]',
            "",
        ),
        (
            "table.tsv",
            "input\tcontext\tactual_output\nQ?\tIt is red.\tRed.\n",
            ", shape='deepeval', fields={'documents': 'context'}",
        ),
    ],
)
def test_files_of_other_tools_are_cases(
    project: pytest.Pytester, run, name: str, text: str, options: str
) -> None:
    """A test is run on what RAGAS or DeepEval wrote, beside the test file."""
    (project.path / name).write_text(text, encoding="utf-8")
    project.makepyfile(PEER_TEST.format(arguments=f"{name!r}{options}"))
    run().assert_outcomes(passed=1)


def test_a_row_that_is_left_out_is_named(project: pytest.Pytester, run) -> None:
    """A warning at the test says how many rows were left out, which, and why."""
    rows = [{"question": "Q?", "documents": ["It is red."], "response": "Red."}, {"question": 3}]
    _cases(project, *map(json.dumps, rows), "{oops")
    project.makepyfile(PEER_TEST.format(arguments="'data/cases.jsonl', on_bad_row='skip'"))
    result = run("-W", "always")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "test_a_row_that_is_left_out_is_named.py:*",
            "*SkippedRows: cases.jsonl: left out 2 of 3 rows, which cannot be read:",
            "    cases.jsonl:2, field question: 3 is a int; expected a string",
            "    cases.jsonl:3 is no JSON: Expecting property name enclosed in double quotes *",
        ]
    )


def test_where_warnings_are_errors_a_row_is_not_left_out(project: pytest.Pytester) -> None:
    """The run stops at collection with what the warning says, and no traceback."""
    _cases(project, '{"question": "Q?"}', "{oops")
    project.makepyfile(PEER_TEST.format(arguments="'data/cases.jsonl', on_bad_row='skip'"))
    result = project.runpytest("-W", "error")
    result.assert_outcomes(errors=1)
    shown = result.stdout.str()
    assert "test_it: cases.jsonl: left out 1 of 2 rows, which cannot be read:" in shown
    assert "Traceback" not in shown
    assert "warn_explicit" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("'cases.jsonl', shape='ragflow'", "test_it: unknown shape 'ragflow' of cases; known: own"),
        ("'cases.jsonl', fields={'answer': 'x'}", "test_it: a case has no part 'answer'; known: "),
        ("'cases.jsonl', fields=['answer']", "test_it: fields is a list; expected a dict such as"),
        ("'cases.jsonl', on_bad_row='no'", "test_it: on_bad_row is 'no'; known: fail, skip"),
        (
            "'cases.jsonl', skip=True",
            (
                'test_it: rag_cases takes one path, as in rag_cases("c.jsonl"), '
                "and may take shape, fields, on_bad_row"
            ),
        ),
        ("", 'test_it: rag_cases takes one path, as in rag_cases("c.jsonl"), '),
    ],
)
def test_wrong_options_of_cases_are_named(
    project: pytest.Pytester, arguments: str, message: str
) -> None:
    """A collection error of one line, without a traceback."""
    (project.path / "cases.jsonl").write_text('{"question": "Q?"}', encoding="utf-8")
    project.makepyfile(PEER_TEST.format(arguments=arguments))
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    assert message in result.stdout.str()
    assert "Traceback" not in result.stdout.str()
