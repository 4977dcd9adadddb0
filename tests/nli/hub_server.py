"""A hub on loopback: as much of its protocol as the client speaks to fetch a model."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

Answer = tuple[int, Mapping[str, str], bytes]
COMMITS = COMMIT, NEXT = (
    "0123456789abcdef0123456789abcdef01234567",
    "76543210fedcba9876543210fedcba9876543210",
)


class Hub:
    """One repository with the files of a folder; `asked` are the paths of requests for it.

    Its main branch is at `COMMIT`, or, where `is_moving`, at `NEXT` after the first look at it.
    `fault` is a status and the code by which the hub names a reason, in place of any answer.
    """

    def __init__(self, repository: str, folder: Path) -> None:
        self.repository = repository
        self.folder = folder
        self.asked: list[str] = []
        self.fault: tuple[int, str] | None = None
        self.is_moving = False
        self._commit = COMMIT
        self.url = ""

    @property
    def downloaded(self) -> set[str]:
        """The names of the files that were asked for."""
        return {Path(path).name for path in self.asked if "/resolve/" in path}

    def answer(self, path: str) -> Answer:
        """What the hub says to a request for `path`."""
        if self.repository in path:
            self.asked.append(path)
        api = f"/api/models/{self.repository}"
        if self.fault is not None:
            return _refused(*self.fault)
        if path.startswith(f"{api}/tree/"):
            return 200, {}, json.dumps(self._tree()).encode()
        if path.removeprefix(api) in {"", "/revision/main", *(f"/revision/{c}" for c in COMMITS)}:
            return 200, {}, json.dumps(self._info(path)).encode()
        if match := re.fullmatch(rf"/{self.repository}/resolve/({'|'.join(COMMITS)})/(.+)", path):
            content = (self.folder / match[2]).read_bytes()
            return 200, {"X-Repo-Commit": match[1], "ETag": f'"{_digest(content)}"'}, content
        return _refused(404, "RevisionNotFound" if path.startswith(f"{api}/") else "RepoNotFound")

    def _info(self, path: str) -> object:
        files = [{"rfilename": file.name} for file in sorted(self.folder.iterdir())]
        name, now = path.rpartition("/")[2], self._commit
        self._commit = NEXT if self.is_moving else COMMIT
        sha = name if name in COMMITS else now
        return {"id": self.repository, "sha": sha, "siblings": files}

    def _tree(self) -> object:
        contents = {file.name: file.read_bytes() for file in sorted(self.folder.iterdir())}
        return [
            {"type": "file", "path": name, "size": len(content), "oid": _digest(content)}
            for name, content in contents.items()
        ]


def _refused(status: int, code: str) -> Answer:
    return status, {"X-Error-Code": code, "X-Error-Message": code}, b"{}"


def _digest(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


@contextmanager
def served(hub: Hub) -> Iterator[Hub]:
    """The hub, answering at its `url`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = hub.answer(urlsplit(self.path).path)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
