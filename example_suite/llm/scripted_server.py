"""A server on loopback that speaks the wire format of chat completions, and is no model.

It calls a response sentence supported if the same sentence stands in a document, word for word.
That is enough to run the suite without a key, and tells nothing about how well a model judges.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_DOCUMENT = re.compile(r"^\[(\d+[a-z]+)\] (.*)$", re.MULTILINE)
_RESPONSE = re.compile(r"^\[([a-z]+)\] (.*)$", re.MULTILINE)


def start() -> str:
    """Start the server in a thread that ends with the process; its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def scripted_verdict(prompt: str) -> dict[str, Any]:
    """The reply to a prompt, in the fields that the judge asks for."""
    documents = {text: key for key, text in _DOCUMENT.findall(prompt)}
    support = [
        {
            "response_sentence_key": key,
            "explanation": "The sentence stands in a document."
            if text in documents
            else "It does not.",
            "supporting_sentence_keys": [documents[text]] if text in documents else [],
            "fully_supported": text in documents,
        }
        for key, text in _RESPONSE.findall(prompt)
    ]
    used = [key for item in support for key in item["supporting_sentence_keys"]]
    return {
        "relevance_explanation": "Scripted: what is used is called relevant.",
        "all_relevant_sentence_keys": used,
        "overall_supported_explanation": "Scripted: sentences are compared word for word.",
        "overall_supported": all(item["fully_supported"] for item in support),
        "sentence_support_information": support,
        "all_utilized_sentence_keys": used,
    }


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        content = json.dumps(scripted_verdict(body["messages"][-1]["content"]))
        message = {"role": "assistant", "content": content}
        reply = {
            "id": "scripted",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Requests are no output of a test run."""
