"""The socket that `clausal serve` listens on."""

from __future__ import annotations

import socket

import pytest

from clausal.cli.commands.serve import _listening


def test_answers_are_sent_without_delay() -> None:
    """Otherwise the second part of an answer waits for the acknowledgement of the first, 40 ms."""
    with _listening("127.0.0.1", 0) as listener:
        address = listener.getsockname()
        with socket.create_connection(address), listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_an_address_that_is_taken_is_named() -> None:
    with _listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(OSError) as error:
            _listening("127.0.0.1", port)
    assert error.value.filename == f"127.0.0.1:{port}"
