"""A chat-completions server on loopback that says what a test tells it to say.

It speaks the wire format to the real SDKs. What it answers stands in a script; it is nobody's
opinion, least of all a model's.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One answer. `body` is JSON, text or bytes; `delay` comes before anything is sent.

    `trickle` sends "headers" or "body" a byte at a time for ever; `cut` closes the connection
    before the last so many bytes of the body; `drop` closes it without an answer.
    """

    body: object = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    trickle: str = ""
    cut: int = 0
    drop: bool = False


def completion(text: str | None = "{}", *, finish_reason: str = "stop", **usage: int) -> Reply:
    """A chat completion; `usage` is `prompt`, `cached`, `completion`, `reasoning`."""
    message = {"role": "assistant", "content": text}
    return Reply(
        {
            "id": "chatcmpl-0",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": _usage(**usage),
        }
    )


def _usage(prompt: int = 100, cached: int = 0, completion: int = 10, reasoning: int = 0) -> Body:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def error(status: int, message: str = "no", *, code: str = "", **more: Any) -> Reply:
    """An error as Groq and OpenAI nest it; `headers` and whatever else the error holds."""
    headers = more.pop("headers", {})
    body = {"error": {"message": message, "type": "scripted", "code": code or None, **more}}
    return Reply(body, status, headers)


_DOCUMENT = re.compile(r"^\[(\d+[a-z]+)\] (.*)$", re.MULTILINE)
_RESPONSE = re.compile(r"^\[([a-z]+)\] (.*)$", re.MULTILINE)


def answer_keyed(
    body: Body,
    *,
    is_relevant: Callable[[str], bool] = lambda _: True,
    is_supported: Callable[[str], bool] = lambda _: True,
) -> Reply:
    """RAGBench's reply format for the keyed lines of a prompt.

    Supported response sentences cite the first relevant document sentence. The defaults call
    everything relevant and supported.
    """
    prompt = body["messages"][-1]["content"]
    relevant = [key for key, text in _DOCUMENT.findall(prompt) if is_relevant(text)]
    support = [
        {
            "response_sentence_key": key,
            "explanation": "Scripted.",
            "supporting_sentence_keys": relevant[:1] if is_supported(text) else [],
            "fully_supported": is_supported(text),
        }
        for key, text in _RESPONSE.findall(prompt)
    ]
    verdict = {
        "relevance_explanation": "Scripted.",
        "all_relevant_sentence_keys": relevant,
        "overall_supported_explanation": "Scripted.",
        "overall_supported": all(each["fully_supported"] for each in support),
        "sentence_support_information": support,
        "all_utilized_sentence_keys": relevant[:1],
    }
    return completion(json.dumps(verdict), prompt=len(prompt) // 4, completion=len(support) * 40)


class ChatServer:
    """Answers with the scripted replies in their order, then with the answer function.

    `requests` are the parsed bodies, `arrivals` when each came (unix time), `paths` and `headers`
    where it went and what it carried, `clients` by which connection.
    """

    def __init__(self) -> None:
        self.requests: list[Body] = []
        self.arrivals: list[float] = []
        self.paths: list[str] = []
        self.clients: list[tuple[str, int]] = []
        self.headers: list[dict[str, str]] = []
        self.closing = threading.Event()
        self.lost = threading.Event()  # a client has gone away while it was answered
        self._replies: deque[Reply] = deque()
        self._answer: Callable[[Body], Reply] = lambda _: completion()
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def base_url(self) -> str:
        """Where it is, as Groq's SDK wants it; OpenAI's wants `/v1` behind it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *replies: Reply) -> None:
        """The next answers, in this order."""
        self._replies.extend(replies)

    def answer(self, function: Callable[[Body], Reply]) -> None:
        """What is answered when no scripted reply is left."""
        self._answer = function

    def reply(self, handler: _Handler) -> Reply:
        """Take a request and choose its answer."""
        body = json.loads(handler.rfile.read(int(handler.headers.get("content-length") or 0)))
        with self._lock:
            self.requests.append(body)
            self.arrivals.append(time.time())
            self.paths.append(handler.path)
            self.clients.append(handler.client_address)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            scripted = self._replies.popleft() if self._replies else None
        return scripted or self._answer(body)

    def close(self) -> None:
        """Let whatever hangs go, and stop."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, chat: ChatServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.chat = chat

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # it holds a body back for 40 ms after its headers
    server: _Server

    def do_POST(self) -> None:
        chat = self.server.chat
        reply = chat.reply(self)
        chat.closing.wait(reply.delay)
        self.close_connection = bool(reply.drop or reply.cut or reply.trickle)
        if reply.drop:
            return
        content = _bytes(reply.body)
        try:
            self._send(reply, content)
        except OSError:
            chat.lost.set()
            raise

    def do_GET(self) -> None:
        self.do_POST()

    def _send(self, reply: Reply, content: bytes) -> None:
        if reply.trickle == "headers":
            self._trickle(b"HTTP/1.1 200 OK\r\nx-slow: ")
        self.send_response(reply.status)
        kind = "application/json" if isinstance(reply.body, dict | list) else "text/plain"
        for name, value in ({"content-type": kind} | reply.headers).items():
            self.send_header(name, value)
        length = 10**9 if reply.trickle else len(content)
        self.send_header("content-length", str(length))
        self.end_headers()
        if reply.trickle == "body":
            self._trickle(b'{"id": ')
        self.wfile.write(content[: len(content) - reply.cut])

    def _trickle(self, beginning: bytes) -> None:
        self.wfile.write(beginning)
        while not self.server.chat.closing.wait(0.02):
            self.wfile.write(b" ")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Nothing is logged."""


def _bytes(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else json.dumps(body)).encode()
