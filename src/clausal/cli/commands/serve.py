"""`clausal serve`: a model as an HTTP service on this machine."""

from __future__ import annotations

import errno
import os
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated, Any

import typer

from clausal import load
from clausal.cli.options import ModelPath, Quiet, command
from clausal.cli.screen import Screen
from clausal.files.rules import load_rules
from clausal.frames import not_installed

_LOOPBACK = "127.0.0.1"


@dataclass(kw_only=True)
class ServeOptions:
    """The options; see the help of each."""

    model: ModelPath
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on; 0.0.0.0 is every one.")
    ] = _LOOPBACK
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 is any free one.")] = 8000
    max_rows: Annotated[int, typer.Option(min=1, help="The most rows of a request to /predict.")] = 10_000
    max_explained_rows: Annotated[
        int, typer.Option(min=1, help="The most rows of a request to /explain.")
    ] = 100
    max_body_bytes: Annotated[int, typer.Option(min=1, help="The largest body of a request.")] = 4 * 2**20
    quiet: Quiet = False


@command(
    ServeOptions,
    """
clausal serve model.json
clausal serve model.json --port 9000 --max-rows 1000
clausal serve rules.json
""",
)
def serve(options: ServeOptions) -> None:
    """Answer requests over HTTP with the predictions and explanations of a model, until Ctrl-C.

    The model may also be the JSON of a RuleSet. The page /docs describes the service.
    """
    from clausal.service import make_app

    try:
        import uvicorn
    except ModuleNotFoundError:
        raise not_installed("clausal serve", "uvicorn", "clausal[serve]") from None
    app = make_app(
        load_rules(options.model) or load(options.model),
        max_body_bytes=options.max_body_bytes,
        max_rows=options.max_rows,
        max_explained_rows=options.max_explained_rows,
    )
    screen = Screen(options.quiet)
    if not _is_loopback(options.host):
        screen.warning("Other machines can reach the service, which has neither passwords nor encryption.")
    with _listening(options.host, options.port) as listener:
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        screen.note(
            f"{options.model} is served at http://{shown}:{port}, described at /docs. Ctrl-C stops it."
        )
        settings: dict[str, Any] = {"access_log": not options.quiet, "server_header": False}
        uvicorn.Server(uvicorn.Config(app, log_level="warning" if options.quiet else "info", **settings)).run(
            sockets=[listener]
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens; an OSError that names the address otherwise."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family)
        # connections inherit it; without it, each answer waits 40 ms for an acknowledgement
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        number = error.errno if isinstance(error.errno, int) and error.errno > 0 else errno.EADDRNOTAVAIL
        raise OSError(number, os.strerror(number), f"{host}:{port}") from None
