"""Requests to a service without a network: an ASGI application is called as a server would call it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.support.sql_scoring import Columns


class Answer(NamedTuple):
    """Status, headers and body of an answer; `n_read` pieces of the request were read."""

    status: int
    headers: dict[str, str]
    body: bytes
    n_read: int

    @property
    def content(self) -> Any:
        """What the JSON of the body says."""
        return json.loads(self.body)


def request(app: Any, method: str, path: str, pieces: Iterable[bytes | None] = (b"",)) -> Answer:
    """Send a request whose body comes in pieces; None is a client that goes away."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
    waiting, sent, n_read = iter(pieces), [], 0

    async def receive() -> dict[str, Any]:
        nonlocal n_read
        piece = next(waiting, b"")
        n_read += 1
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(piece)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    start, *bodies = sent
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], headers, b"".join(part.get("body", b"") for part in bodies), n_read)


def get(app: Any, path: str) -> Answer:
    """Ask for a path."""
    return request(app, "GET", path)


def post(app: Any, path: str, content: Any) -> Answer:
    """Send bytes as they are, anything else as JSON."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return request(app, "POST", path, [body])


def plain_rows(columns: Columns) -> list[dict[str, Any]]:
    """Rows by name as JSON has them, NaN as null."""
    values = ([None if v is None or v != v else v for v in column] for _, column in columns.values())
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]
