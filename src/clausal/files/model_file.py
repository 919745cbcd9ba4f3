"""The format of model files: a versioned JSON document with a checksum, arrays in base64 (docs/formats.md).

Reading is safe for untrusted files: no code is executed, memory is limited by the size of the file, and any
error is a ValueError. Not here: the content for each estimator (machine.py,
rule_classifier.py, scorecard.py).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from clausal.untrusted import read_integer, read_record, read_text, wrong

FORMAT = "clausal model"
VERSION = 1
_MAX_DEPTH = 16  # of nested lists and dictionaries; a model file needs 6
_MAX_DIGITS = 310  # of an integer: those of the largest float64, and its sign


def write_document(
    path: str | os.PathLike[str], content: Mapping[str, Any], format_name: str = FORMAT
) -> None:
    """Write content with format, version and checksum. The file is replaced atomically."""
    text = canonical_json(content)
    head = json.dumps({"format": format_name, "version": VERSION, "sha256": _digest(text)})
    target = Path(os.path.realpath(path))  # follows links
    temporary = target.with_name(f".clausal-{secrets.token_hex(8)}.part")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:  # names the file that the user has named
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(f'{head[:-1]}, "content": {text}}}\n'.encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def read_document(path: str | os.PathLike[str], format_name: str = FORMAT) -> object:
    """The content of a file, after checks of its format, version and checksum."""
    try:
        document = parse_json(Path(path).read_bytes().decode("utf-8"))
    except RecursionError:
        raise ValueError(f"{path} is not a {format_name} file: it is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"{path} is not a {format_name} file, or is damaged: {error}.") from None
    if not isinstance(document, dict) or document.get("format") != format_name:
        raise ValueError(f"{path} is not a {format_name} file: its 'format' must be {format_name!r}.")
    version = read_integer(document.get("version"), "version", 1, 2**31)
    if version > VERSION:
        raise ValueError(
            f"{path} has version {version} of the {format_name} file; this clausal reads up to version "
            f"{VERSION}. Install a newer clausal."
        )
    record = read_record(document, f"the {format_name} file", ("format", "version", "sha256", "content"))
    content = record["content"]
    if read_text(record["sha256"], "sha256") != _digest(canonical_json(content)):
        raise ValueError(f"{path} is damaged or was altered: its checksum does not match.")
    return content


def encode_array(array: NDArray[Any]) -> str:
    """The little-endian bytes of an array in base64, without its type and shape."""
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def decode_array(data: object, where: str, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """The array of this type and shape; the length of the text is checked before anything is allocated."""
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


def canonical_json(content: object) -> str:
    """The unique JSON text of a content: sorted keys, no spaces, ASCII."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def parse_json(text: str) -> object:
    """Parse JSON, but refuse infinite numbers, repeated keys and deep nesting."""
    document: object = json.loads(
        text,
        parse_int=_short_integer,
        parse_float=_finite_float,
        parse_constant=_refuse_constant,
        object_pairs_hook=_without_repeats,
    )
    level = [document]
    for _ in range(_MAX_DEPTH):
        level = [item for node in level for item in _items(node) if isinstance(item, (dict, list))]
    if level:
        raise ValueError(f"it is nested too deeply, beyond {_MAX_DEPTH} levels")
    return document


def _items(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _short_integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"the integer {text[:20]}... has {len(text)} digits, more than {_MAX_DIGITS}")
    return int(text)


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]} is not finite")
    return number


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a key is repeated in one record")
    return record
