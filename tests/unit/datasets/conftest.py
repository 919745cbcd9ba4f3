"""Fixtures for the data set tests: a stand-in bankruptcy file, a fake download.

Not here: tests.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from clausal.datasets import bankruptcy


@pytest.fixture
def fake_text(monkeypatch: pytest.MonkeyPatch) -> str:
    """250 made-up rows in UCI's form, which the loader takes for the real ones within this test."""
    letters = [[*"APNAPNA"[i % 2 : i % 2 + 5], "P" if i % 3 else "N"] for i in range(250)]
    lines = [",".join([*row, "NB" if i < 143 else "B"]) for i, row in enumerate(letters)]
    digest = hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()
    monkeypatch.setattr(bankruptcy, "SORTED_ROWS_SHA256", digest)
    return "\r\n".join(lines) + "\r\n"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Empty folders for CLAUSAL_DATA and CLAUSAL_CACHE; no test here touches the real ones or the network."""
    folders = {"data": tmp_path / "data", "cache": tmp_path / "deep" / "cache"}
    folders["data"].mkdir()
    monkeypatch.setenv("CLAUSAL_DATA", str(folders["data"]))
    monkeypatch.setenv("CLAUSAL_CACHE", str(folders["cache"]))
    return folders


@pytest.fixture
def serve(
    monkeypatch: pytest.MonkeyPatch, folders: dict[str, Path]
) -> Callable[[bytes | Exception], list[str]]:
    """`serve(answer)` makes the download give these bytes or raise, and lists the addresses asked for."""

    def install(answer: bytes | Exception) -> list[str]:
        asked: list[str] = []

        def opener(url: str, timeout: float) -> io.BytesIO:
            assert 0 < timeout <= 60
            asked.append(url)
            if isinstance(answer, Exception):
                raise answer
            return io.BytesIO(answer)

        monkeypatch.setattr(bankruptcy, "urlopen", opener)
        return asked

    install(AssertionError("unexpected download"))
    return install


def zip_of(files: dict[str, str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


@pytest.fixture
def make_zip() -> Callable[..., bytes]:
    return zip_of
