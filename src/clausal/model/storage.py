"""The model file: a versioned JSON document with a checksum, arrays as base64 (docs/formats.md).

Reading is safe for files from strangers: no code runs, nothing is allocated that the file's own size does
not cover, and whatever is wrong is a ValueError. Not here: what an estimator stores (estimators/persistence).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from clausal.untrusted import read_integer, read_record, read_text, wrong

FORMAT = "clausal model"
VERSION = 1


def write_document(path: str | os.PathLike[str], content: Mapping[str, Any]) -> None:
    """Write content with format, version and checksum; the file appears whole or not at all."""
    text = _canonical(content)
    digest = hashlib.sha256(text.encode("ascii")).hexdigest()
    head = json.dumps({"format": FORMAT, "version": VERSION, "sha256": digest})
    target = Path(path)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(head[:-1] + ', "content": ' + text + "}\n")
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def read_document(path: str | os.PathLike[str]) -> object:
    """The content of a model file after its format, version and checksum have been checked."""
    try:
        document = json.loads(
            Path(path).read_bytes().decode("utf-8"),
            parse_float=_finite_float,
            parse_constant=_refuse_constant,
            object_pairs_hook=_without_repeats,
        )
    except RecursionError:
        raise ValueError(f"{path} is not a clausal model file: it is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"{path} is not a clausal model file, or a damaged one: {error}.") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{path} is not a clausal model file: it does not start with that format's name.")
    version = read_integer(document.get("version"), "version", 1, 2**31)
    if version > VERSION:
        raise ValueError(
            f"{path} has version {version} of the model file; this clausal reads up to version {VERSION}. "
            "Install a newer clausal."
        )
    record = read_record(document, "the model file", ("format", "version", "sha256", "content"))
    content = record["content"]
    digest = hashlib.sha256(_canonical(content).encode("ascii")).hexdigest()
    if read_text(record["sha256"], "sha256") != digest:
        raise ValueError(f"{path} is damaged or was altered: its checksum does not fit its content.")
    return content


def encode_array(array: NDArray[Any]) -> str:
    """An array's bytes, little-endian, in base64; its type and shape are stored elsewhere."""
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def decode_array(data: object, where: str, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """The array of this type and shape; its size is compared with the text's before anything is made."""
    text = read_text(data, where)
    n_bytes = np.dtype(dtype).itemsize * math.prod(shape)
    if len(text) != 4 * -(-n_bytes // 3):
        raise wrong(where, f"base64 of {n_bytes} bytes, for shape {shape}", f"{len(text)} characters")
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise wrong(where, "base64", text) from None
    if len(raw) != n_bytes:
        raise wrong(where, f"base64 of {n_bytes} bytes", f"{len(raw)} bytes")
    return np.frombuffer(raw, np.dtype(dtype).newbyteorder("<")).reshape(shape).astype(dtype)


def _canonical(content: object) -> str:
    """The one text of a content: sorted keys, no spaces, ASCII."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is not finite")
    return number


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a key stands twice in one record")
    return record


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
