"""Dask clusters of real processes, each in a folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import scoring

_LOCAL = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


class Cluster:
    """A scheduler and workers of one thread each, which are processes that can be killed."""

    def __init__(self, folder: Path, *, workers: int = 2) -> None:
        self.folder = folder
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)
        )
        self._wait(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"].replace("tcp", "dask")
        self.workers = [self.start_worker() for _ in range(workers)]

    def start_worker(self) -> subprocess.Popen[str]:
        """One more worker."""
        file = str(self.folder / "scheduler.json")
        return self._start("worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny")

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[str]:
        options = ["--no-dashboard", *arguments]
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": scoring.TESTS, "GROQ_API_KEY": "gsk_scripted"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _wait(self, is_there) -> None:
        end = time.monotonic() + 30
        while not is_there():
            assert self.scheduler.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)

    def close(self) -> None:
        """End whatever still runs."""
        for process in (*self.workers, self.scheduler):
            process.send_signal(signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def local_cluster(folder: Path):
    """The address of a `LocalCluster` of two worker processes."""
    script = folder / "local.py"
    script.write_text(_LOCAL)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": scoring.TESTS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process.stdout.readline().strip().replace("tcp", "dask")
    finally:
        process.communicate("")
