"""The hooks that other plugins and conftest files may implement.

Mark an implementation `@pytest.hookimpl(optionalhook=True)`, and it is no error where this plugin
is not installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_trace.evaluation import Evaluation
    from pytest_trace.judges import Judge
    from pytest_trace.report.ledger import Ledger
    from pytest_trace.sentences import Sentencizer


@pytest.hookspec(firstresult=True)
def pytest_rag_make_judge(spec: str, config: pytest.Config) -> Judge | None:
    """Make the judge that `spec` stands for.

    Called when a spec is used for the first time in a process, before the known specs are tried.
    Return a judge, or None to leave the spec to others::

        @pytest.hookimpl(optionalhook=True)
        def pytest_rag_make_judge(spec, config):
            if spec == "house-rules":
                return HouseRules(config.rootpath / "rules.txt")
    """


@pytest.hookspec(firstresult=True)
def pytest_rag_make_sentencizer(spec: str, config: pytest.Config) -> Sentencizer | None:
    """Make the sentencizer that `spec` (`--rag-sentencizer`) stands for.

    Called once in a process, before the known names are tried. Return an object with `version`
    and `split(text)`, or None::

        @pytest.hookimpl(optionalhook=True)
        def pytest_rag_make_sentencizer(spec, config):
            return LineSentencizer() if spec == "lines" else None
    """


@pytest.hookspec
def pytest_rag_evaluated(item: pytest.Item, evaluation: Evaluation) -> None:
    """A trace was judged and scored in the test `item`.

    Called in the process that runs the test (under xdist: in the worker), in the thread of the
    assertion, once for each distinct trace of a test. What it returns is ignored::

        @pytest.hookimpl(optionalhook=True)
        def pytest_rag_evaluated(item, evaluation):
            log.info("%s %s", item.nodeid, evaluation.scores)
    """


@pytest.hookspec
def pytest_rag_summary(ledger: Ledger, config: pytest.Config) -> None:
    """The run is over and every evaluation is in `ledger`.

    Called once, in the controller, when there was at least one evaluation. What it returns is
    ignored::

        @pytest.hookimpl(optionalhook=True)
        def pytest_rag_summary(ledger, config):
            Path("judged.txt").write_text(str(len(ledger.rows)))
    """
