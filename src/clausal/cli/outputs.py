"""The files a command is to write: checked before any work is done, then written.

Writing over an older result is normal; writing over an input never is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

STANDARD = "-"
"""Standard input or output, in place of a file's name."""


def check_outputs(outputs: Iterable[str | None], inputs: Iterable[str]) -> None:
    """Refuse outputs that are inputs, each other, folders, or in a folder that does not exist."""
    taken = {os.path.realpath(path): "is read by this command" for path in inputs if path != STANDARD}
    for path in outputs:
        if path is None or path == STANDARD:
            continue
        target = Path(os.path.realpath(path))
        if str(target) in taken:
            raise ValueError(f"{path} must not be written, as it {taken[str(target)]}.")
        if target.is_dir():
            raise ValueError(f"{path} must be a file to write. Got a folder.")
        if not target.parent.is_dir():
            raise ValueError(f"{path} must be in a folder that exists. Got none called {target.parent}.")
        taken[str(target)] = "is written twice by this command"


def write_bytes(path: str, content: bytes) -> None:
    """Write a file, or to standard output for `-`."""
    if path == STANDARD:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        Path(path).write_bytes(content)
