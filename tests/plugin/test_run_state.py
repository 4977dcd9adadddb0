"""What the processes of a run share: a file for workers, nothing for one process alone."""

from __future__ import annotations

import tempfile

import pytest


@pytest.mark.parametrize(("workers", "folders"), [(0, 0), (2, 1)])
def test_only_workers_share_a_file(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: int, folders: int
) -> None:
    """Calls are counted, for one process in memory; what workers share is removed in the end."""
    temporary = project.mkdir("temporary")
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    project.makepyfile(
        f"""
        from pathlib import Path
        import pytest
        from pytest_trace import BudgetExceeded, assert_adherent
        from traces import trace

        def test_it():
            assert_adherent(trace())
            with pytest.raises(BudgetExceeded):
                assert_adherent(trace("It is blue."))
            made = list(Path({str(temporary)!r}).glob("pytest-rag-*"))
            assert len(made) == {folders}
        """
    )
    result = project.runpytest("-n", str(workers), "--rag-max-calls=1")
    result.assert_outcomes(passed=1)
    assert list(temporary.glob("pytest-rag-*")) == []
