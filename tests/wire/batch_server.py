"""A server on loopback that speaks Groq's wire format of files and batches, beside its chat."""

from __future__ import annotations

import email
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from wire.server import Body, ChatServer, Reply, _Handler, answer_keyed, error

from pytest_trace.llm.batches import ENDPOINT

_FILES = "/openai/v1/files"
_BATCHES = "/openai/v1/batches"


class BatchServer(ChatServer):
    """Batches that end after `looks` looks; each request in them is answered by `in_batch`.

    `in_batch` returns a reply, whose status says whether it goes to the output or the error file,
    an error object for a request that was never sent, or None for one that gets lost. Lines come
    back in another order than they were sent. `lose(path)` does what the next POST to a path asks
    for and drops the answer; `refuse(path, reply)` answers the next call of a path so and does
    nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.in_batch: Callable[[Body], Reply | Body | None] = answer_keyed
        self.looks = 1
        self.ends = "completed"
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Body] = {}
        self.asked: list[Body] = []
        """The requests of all batches."""
        self.calls: list[tuple[str, str]] = []
        self._lost: Counter[str] = Counter()
        self._refused: dict[str, list[Reply]] = {}
        self._looks: Counter[str] = Counter()

    def lose(self, path: str) -> None:
        """Drop the next answer to a POST, and do what it asks for."""
        self._lost[path] += 1

    def refuse(self, path: str, *replies: Reply) -> None:
        """Answer the next calls of a path with these."""
        self._refused.setdefault(path, []).extend(replies)

    def reply(self, handler: _Handler) -> Reply:
        if not handler.path.startswith((_FILES, _BATCHES)):
            return super().reply(handler)
        content = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        with self._lock:
            self.calls.append((handler.command, handler.path))
            return self._reply(handler, content)

    def _reply(self, handler: _Handler, content: bytes) -> Reply:
        if self._refused.get(handler.path):
            return self._refused[handler.path].pop(0)
        if not handler.headers.get("authorization", "").startswith("Bearer "):
            return error(401, "no key")
        if handler.command == "POST":
            made = self._posted(handler, content)
            if self._lost[handler.path] > 0:
                self._lost[handler.path] -= 1
                return Reply(drop=True)
            return made
        return self._got(handler.path)

    def _posted(self, handler: _Handler, content: bytes) -> Reply:
        if handler.path == _FILES:
            purpose, sent = _uploaded(handler.headers["content-type"], content)
            if purpose != "batch":
                return error(400, f"purpose {purpose}")
            return Reply({"id": self._kept(sent), "object": "file", "purpose": purpose})
        order = json.loads(content)
        if order["endpoint"] != ENDPOINT or order["input_file_id"] not in self.files:
            return error(400, "no such file")
        batch = {
            "id": f"batch_{len(self.batches) + 1}",
            "object": "batch",
            "created_at": 0,
            "status": "validating",
            "output_file_id": None,
            "error_file_id": None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
            **order,
        }
        self.batches[batch["id"]] = batch
        return Reply(batch)

    def _got(self, path: str) -> Reply:
        if path == _BATCHES:
            return Reply({"object": "list", "data": list(self.batches.values())[::-1]})
        *_, kind, name = path.removesuffix("/content").split("/")
        if kind == "files":
            return Reply(self.files[name]) if name in self.files else error(404, "no such file")
        if name not in self.batches:
            return error(404, "no such batch")
        self._go_on(self.batches[name])
        return Reply(self.batches[name])

    def _go_on(self, batch: Body) -> None:
        self._looks[batch["id"]] += 1
        if self._looks[batch["id"]] < self.looks:
            batch["status"] = "in_progress"
        elif batch["status"] in {"validating", "in_progress"}:
            self._end(batch)

    def _end(self, batch: Body) -> None:
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        if fault := _fault(lines):
            batch |= {"status": "failed", "errors": {"object": "list", "data": [fault]}}
            return
        self.asked += [line["body"] for line in lines]
        answers = [(line["custom_id"], self.in_batch(line["body"])) for line in lines]
        random.Random(7).shuffle(answers)
        ended = [_line(name, answer) for name, answer in answers if answer is not None]
        good = [line for line in ended if _is_good(line)]
        bad = [line for line in ended if not _is_good(line)]
        batch |= {
            "status": self.ends,
            "output_file_id": self._written(good),
            "error_file_id": self._written(bad),
            "request_counts": {
                "total": len(lines),
                "completed": len(good),
                "failed": len(lines) - len(good),
            },
        }

    def _written(self, lines: list[Body]) -> str | None:
        text = "".join(json.dumps(line) + "\n" for line in lines)
        return self._kept(text.encode()) if lines else None

    def _kept(self, content: bytes) -> str:
        name = f"file_{len(self.files) + 1}"
        self.files[name] = content
        return name


def _uploaded(kind: str, content: bytes) -> tuple[str, bytes]:
    """Purpose and file of a form."""
    form: Any = email.message_from_bytes(f"content-type: {kind}\r\n\r\n".encode() + content)
    parts = {
        part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
        for part in form.get_payload()
    }
    return parts["purpose"].decode(), parts["file"]


def _fault(lines: list[Body]) -> Body | None:
    """What the server finds wrong with a file."""
    ids = Counter(line["custom_id"] for line in lines)
    for number, line in enumerate(lines, 1):
        if ids[line["custom_id"]] > 1:
            return {"code": "duplicate_custom_id", "line": number, "message": "custom_id twice"}
        if (line["method"], line["url"]) != ("POST", ENDPOINT):
            return {"code": "invalid_url", "line": number, "message": "another endpoint"}
    return None


def _line(name: str, answer: Reply | Body) -> Body:
    line: Body = {"id": f"batch_req_{name[:6]}", "custom_id": name, "response": None, "error": None}
    if isinstance(answer, Reply):
        response = {"status_code": answer.status, "request_id": "req_1", "body": answer.body}
        return line | {"response": response}
    return line | {"error": answer}


def _is_good(line: Body) -> bool:
    return line["response"] is not None and line["response"]["status_code"] == 200
