"""What is fuzzed: for each target, how a case is made from random numbers, and what reads it.

A case is accepted, or refused with one of `REFUSED`; any other exception is a finding. What is accepted is
also used. Not here: the loop (__main__.py).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from clausal import Booleanizer
from clausal.tables.table_file import read_table
from clausal.tables.training_table import Reading, read_training_table
from tests.support.checkpoints import checkpoint_content, checkpoint_document, go_on
from tests.support.fuzz.differential import compare, make_case, policies
from tests.support.model_kinds import KINDS, MODEL_FILE, RULES_JSON, Family, document_and_content, rows_for
from tests.support.spoiled_documents import mutated

FOLDER = Path(tempfile.mkdtemp(prefix="clausal-fuzz-"))
REFUSED = (ValueError,)


class Target(NamedTuple):
    """`make` gives a case, `read` reads it and uses what was read; `refused` are the exceptions allowed."""

    make: Callable[[Random], Any]
    read: Callable[[Any], None]
    refused: tuple[type[Exception], ...] = REFUSED


def spoiled_bytes(data: bytes, random: Random) -> bytes:
    """Some bytes changed, removed, repeated or inserted."""
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4, 16])):
        start = random.randrange(len(changed) + 1)
        stop = min(len(changed), start + random.choice([0, 1, 1, 2, 8, 100]))
        tokens = (
            b"\0",
            b'"',
            b"\\",
            b",",
            b"\n",
            b"\r",
            b"\xff",
            b"\xef\xbb\xbf",
            b"9" * 400,
            b"-",
            b"1e999",
            b"{",
        )
        new = random.choice([b"", random.choice(tokens), random.randbytes(3), bytes(changed[start:stop]) * 2])
        changed[start:stop] = new
    return bytes(changed)


# --- model files and rule sets ---


def _document(family: Family) -> Target:
    names = [name for name, kind in KINDS.items() if kind.family is family]

    def make(random: Random) -> tuple[str, bytes, Any]:
        name = random.choice(names)
        data, content = document_and_content(name, FOLDER)
        if random.random() < 0.3:
            return name, spoiled_bytes(data, random), None
        changed = mutated(content, random)
        return name, family.wrap(changed), changed

    def read(case: tuple[str, bytes, Any]) -> None:
        name, data, content = case
        model = family.read(data, FOLDER / "case.json")
        if content is not None:  # the rows that a model must accept are known by its content
            KINDS[name].use(model, rows_for(content))

    return Target(make, read)


# --- checkpoints ---


def _checkpoint(random: Random) -> bytes:
    content = checkpoint_content(FOLDER)
    if random.random() < 0.3:
        return spoiled_bytes(checkpoint_document(content), random)
    return checkpoint_document(mutated(content, random))


def _go_on(data: bytes) -> None:
    assert go_on(data, FOLDER / "case.checkpoint").n_iter_ >= 2


# --- CSV ---

CELLS = [
    "1",
    "2.5",
    "-3e5",
    "",
    "?",
    "NA",
    "red",
    "blue",
    "true",
    "no",
    "2024-01-01",
    "é",
    '"a,b"',
    "007",
    "1,5",
    "inf",
]


def _csv(random: Random) -> bytes:
    """A table of a few columns, the last with labels; then often spoiled."""
    separator = random.choice([",", ",", ";", "\t"])
    kinds = [random.sample(CELLS, random.choice([1, 2, 4])) for _ in range(random.randint(1, 4))]
    lines = [separator.join([*(f"c{index}" for index in range(len(kinds))), "class"])]
    lines += [
        separator.join([*(random.choice(cells) for cells in kinds), random.choice("ab")])
        for _ in range(random.choice([0, 1, 5, 30]))
    ]
    data = (
        random.choice(["\n", "\r\n"])
        .join(lines)
        .encode(random.choice(["utf-8", "utf-8", "latin-1", "utf-16"]))
    )
    return spoiled_bytes(data, random) if random.random() < 0.7 else data


def _read_csv(data: bytes) -> None:
    path = FOLDER / "case.csv"
    path.write_bytes(data)
    table = read_training_table(read_table(str(path)), Reading("class"))
    Booleanizer().fit(table.X).transform(table.X)


# --- tables ---

VALUES: list[Any] = [
    *(0, 1, 2, -1, 0.5, 1e308, -1e-308, float("nan"), float("inf"), None, True, False, 2**53, 2**63, 10**30),
    *("a", "", "\0", "\ud800", "x" * 1000, b"a", (1,), np.float32(1), np.datetime64("2020-01-01"), pd.NA),
]
TYPES = ["f8", "f4", "f2", "i8", "u8", "i1", "?", "U2", "O", "c8", ">f8", "M8[s]"]


def _column(random: Random, n_rows: int) -> list[Any]:
    some = random.sample(VALUES, random.choice([1, 2, 3, 6]))
    return [random.choice(some) for _ in range(n_rows)]


def _array(random: Random, n_rows: int) -> Any:
    bits = np.array([[random.randrange(-1, 3) for _ in range(4)] for _ in range(n_rows)]).reshape(n_rows, 4)
    array = bits.astype(random.choice(TYPES))
    return array[:: random.choice([1, -1, 2])] if random.random() < 0.5 else np.asfortranarray(array)


def _sparse(random: Random, n_rows: int) -> Any:
    """A matrix whose arrays may be spoiled."""
    bits = np.array([[random.random() < 0.3 for _ in range(6)] for _ in range(n_rows)], np.uint8).reshape(
        n_rows, 6
    )
    layout = random.choice(["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
    matrix = getattr(sparse, f"{layout}_{random.choice(['array', 'matrix'])}")(bits)
    names = [name for name in ("indices", "indptr", "data", "row", "col") if hasattr(matrix, name)]
    for name in random.sample(names, random.randint(0, len(names))):
        array = getattr(matrix, name)
        if isinstance(array, np.ndarray) and array.ndim == 1 and array.size:
            array[random.randrange(array.size)] = random.choice([0, 1, 5, 6, 7, 100])
            if array.dtype.itemsize > 1:
                array[random.randrange(array.size)] = random.choice([-1, 2**30, -(2**31), 3])
    return matrix


def _table(random: Random) -> Any:
    n_rows = random.choice([0, 1, 2, 5, 70])
    kind = random.choice(["frame", "frame", "list", "array", "sparse", "other"])
    columns = {f"c{index}": _column(random, n_rows) for index in range(random.randint(0, 4))}
    options = {
        "mode": random.choice(["auto", "auto", "paper", "boolean"]),
        "max_columns": random.choice([1, 2, 16]),
        **policies(random),
    }
    if kind == "frame":
        return options, pd.DataFrame(
            {name: pd.Series(values, dtype=object) for name, values in columns.items()}
        )
    if kind == "list":
        return options, [list(row) for row in zip(*columns.values(), strict=True)]
    if kind == "array":
        return options, _array(random, n_rows)
    if kind == "sparse":
        return options, _sparse(random, n_rows)
    return options, random.choice([None, 3, "text", [], [[]], {}, np.zeros(3), np.zeros((2, 2, 2))])


def _read_booleanizer(case: Any) -> None:
    options, table = case
    booleanizer = Booleanizer(**options).fit(table)
    bits = booleanizer.transform(table)
    assert bits.shape[1] == len(booleanizer.columns_)


TARGETS = {
    "model file": _document(MODEL_FILE),
    "rule set": _document(RULES_JSON),
    "csv": Target(_csv, _read_csv),
    "table": Target(_table, _read_booleanizer, (ValueError, TypeError)),
    "checkpoint": Target(_checkpoint, _go_on),
    "scores": Target(make_case, compare),
}
