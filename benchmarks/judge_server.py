"""A chat-completions server that answers after a fixed time: a process of its own, and no model.

    python benchmarks/judge_server.py [--latency 0.3]

prints its base URL and serves until its input ends. It holds any number of requests at once, and
tells in `GET /counts` how many there were, how many at most together, and the CPU time it took.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "example_suite" / "llm"))
from scripted_server import scripted_verdict


@dataclass
class Counts:
    """What the server has done since it was asked last."""

    requests: int = 0
    most_at_once: int = 0
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class JudgeServer:
    """A server that is running."""

    base_url: str
    spec = "groq:openai/gpt-oss-20b"

    def require_calls(self, count: int) -> Counts:
        """What it has done since it was asked last; ends the benchmark for other than `count`."""
        counts = self.take_counts()
        if counts.requests != count:
            raise SystemExit(f"{counts.requests} calls were made, and {count} are expected")
        return counts

    def take_counts(self) -> Counts:
        """What it has done since it was asked last."""
        with urllib.request.urlopen(f"{self.base_url}/counts") as answer:
            return Counts(**json.load(answer))

    @property
    def environment(self) -> Mapping[str, str]:
        """What lets a pytest process ask it."""
        return {"GROQ_BASE_URL": self.base_url, "GROQ_API_KEY": "scripted", "NO_PROXY": "127.0.0.1"}


@contextmanager
def judge_server(latency_seconds: float) -> Iterator[JudgeServer]:
    """Start the server in a process of its own; it ends with the block, or with this process."""
    command = [sys.executable, __file__, "--latency", str(latency_seconds)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield JudgeServer(process.stdout.readline().strip())
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


class _Serving:
    def __init__(self, latency_seconds: float) -> None:
        self._latency = latency_seconds
        self._counts, self._now, self._cpu = Counts(), 0, time.process_time()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it is closed."""
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower():
                is_count = head.startswith("get /counts")
                length = 0 if is_count else int(head.split("content-length:")[1].split("\r\n")[0])
                body = await reader.readexactly(length)
                content = json.dumps(self._take() if is_count else await self._answer(body))
                lines = ["HTTP/1.1 200 OK", "content-type: application/json"]
                lines += [f"content-length: {len(content)}", "", content]
                writer.write("\r\n".join(lines).encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass  # the client has left, or the benchmark is over
        finally:
            writer.close()

    async def _answer(self, body: bytes) -> dict:
        self._now += 1
        self._counts.requests += 1
        self._counts.most_at_once = max(self._counts.most_at_once, self._now)
        due = asyncio.get_running_loop().time() + self._latency
        request = json.loads(body)
        verdict = json.dumps(scripted_verdict(request["messages"][-1]["content"]))
        await asyncio.sleep(due - asyncio.get_running_loop().time())
        self._now -= 1
        message = {"role": "assistant", "content": verdict}
        return {
            "id": "scripted",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": len(verdict) // 4},
        }

    def _take(self) -> dict:
        now = time.process_time()
        taken, self._counts = self._counts, Counts()
        taken.cpu_seconds, self._cpu = now - self._cpu, now
        return asdict(taken)


async def _serve(latency_seconds: float) -> None:
    serving = _Serving(latency_seconds)
    server = await asyncio.start_server(serving.serve, "127.0.0.1", 0, limit=2**20, backlog=256)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=0.3, help="seconds before an answer")
    asyncio.run(_serve(parser.parse_args().latency))
    return 0


if __name__ == "__main__":
    sys.exit(main())
