"""Raw results on disk: one JSON line per cell, one file per part, compressed if it is large.

Lines are added to NAME.jsonl; NAME.jsonl.gz, made by `Record.pack`, is read as well. Not here: the
content of a line (evaluation.py, run.py).
"""

import gzip
import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


class Record:
    """The results of one part; an incomplete last line of an interrupted run is ignored."""

    def __init__(self, folder: Path, part: str) -> None:
        self.file = folder / f"{part}.jsonl"
        self.packed = folder / f"{part}.jsonl.gz"
        self.lines: dict[str, dict[str, Any]] = {}
        self._torn = False
        for line in self._packed_lines() + self._open_lines():
            self.lines.setdefault(line["key"], line)

    def add(self, line: dict[str, Any]) -> None:
        """Write a line and remember it; it is on disk when this returns."""
        if line["key"] in self.lines:
            raise ValueError(f"A cell must be recorded once. Got {line['key']!r} again.")
        self.file.parent.mkdir(parents=True, exist_ok=True)
        if self._torn:  # only a writer removes the incomplete line, because another run may be writing it
            self.file.write_bytes(_whole_lines(self.file.read_bytes()))
            self._torn = False
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(_text(line) + "\n")
        self.lines[line["key"]] = line

    def pack(self) -> None:
        """Write all lines to the gzip file, sorted by key, and remove the uncompressed file."""
        if not self.lines:
            return
        text = "".join(_text(self.lines[key]) + "\n" for key in sorted(self.lines))
        self.packed.write_bytes(gzip.compress(text.encode(), mtime=0))
        self.file.unlink(missing_ok=True)

    def _packed_lines(self) -> list[dict[str, Any]]:
        if not self.packed.exists():
            return []
        return [json.loads(line) for line in gzip.decompress(self.packed.read_bytes()).splitlines()]

    def _open_lines(self) -> list[dict[str, Any]]:
        if not self.file.exists():
            return []
        content = self.file.read_bytes()
        whole = _whole_lines(content)
        self._torn = len(whole) < len(content)
        return [json.loads(line) for line in whole.splitlines()]


def _whole_lines(content: bytes) -> bytes:
    return content[: content.rfind(b"\n") + 1]


def _text(line: dict[str, Any]) -> str:
    return json.dumps(line, separators=(",", ":"))
