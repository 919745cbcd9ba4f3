"""Every array that crosses into the compiled core, made wrong in every way: an exception, never a crash.

`CALLS` in tests/support/native_calls.py holds one correct call of each function; a new function or array is
missing there until it is added (`test_every_function_is_here`). docs/security.md lists the arrays.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clausal
from clausal import _core
from tests.support.native_calls import (
    ANY_LENGTH,
    ANY_TYPE,
    CALLS,
    COLUMNS,
    ISA,
    RANGES,
    WITHOUT_ARRAYS,
    WRITTEN,
    N,
    arrays_of,
    call,
    find_cards,
    machine,
    search_table_of,
    train,
    words,
)
from tests.support.toy_machines import keyed_bits, keyed_targets

REFUSED = (TypeError, ValueError)


EACH = [(function, name) for function in CALLS for name in arrays_of(function)]
each_array = pytest.mark.parametrize(("function", "name"), EACH, ids=[f"{f}, {name}" for f, name in EACH])


def test_every_function_is_here() -> None:
    """Each function and method of the stub, and each of its arrays."""
    tree = ast.parse(Path(clausal.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    found = set()
    for node in tree.body:
        methods = node.body if isinstance(node, ast.ClassDef) else [node]
        for method in (item for item in methods if isinstance(item, ast.FunctionDef)):
            owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
            found.add(f"{owner}{method.name}".removesuffix(".__init__"))
    assert found == CALLS.keys() | WITHOUT_ARRAYS


@pytest.mark.parametrize("function", CALLS)
def test_the_call_itself_is_in_order(function: str) -> None:
    call(function)


@each_array
def test_another_type_is_refused(function: str, name: str) -> None:
    array = arrays_of(function)[name]
    types = (
        [*"bBhHiIlLefdFD", "U3", "O", "M8[s]"] if (function, name) not in ANY_TYPE else [*"eFD", "U3", "O"]
    )
    for other in types:
        sparse_pair = function.endswith("votes_of_sparse") and other == "i"  # both are int32 or both int64
        bins = name == "bins" and other == "B"  # in one byte or two
        if (np.dtype(other) != array.dtype or sparse_pair) and not bins:
            with pytest.raises(REFUSED):
                call(function, **{name: np.zeros(array.shape, other)})
    for other in (
        *(() if name == "table" else (None,)),
        3,
        "text",
        [1, 2, 3],
        np.float64(1),
        memoryview(b"abc"),
    ):
        with pytest.raises(REFUSED):
            call(function, **{name: other})


@each_array
def test_another_order_of_bytes_is_refused(function: str, name: str) -> None:
    array = arrays_of(function)[name]
    if array.dtype.itemsize > 1:
        with pytest.raises((*REFUSED, BufferError)):
            call(function, **{name: array.astype(array.dtype.newbyteorder(">"))})


def sizes(array: np.ndarray) -> Iterator[np.ndarray]:
    """Fewer and more in each axis, none, and another number of axes."""
    for axis in range(array.ndim):
        shape = list(array.shape)
        for length in (0, shape[axis] - 1, shape[axis] + 1, 3 * shape[axis] + 64):
            yield np.zeros([*shape[:axis], length, *shape[axis + 1 :]], array.dtype)
    yield np.zeros((), array.dtype)
    yield array[None].copy()
    yield array[..., None].copy()
    yield np.zeros((0,) * array.ndim, array.dtype)
    if array.ndim > 1:
        yield np.zeros((2**40, *([0] * (array.ndim - 1))), array.dtype)


@each_array
def test_another_size_is_refused_or_is_another_table(function: str, name: str) -> None:
    """Where a number of rows follows from one array alone, any is right."""
    good = arrays_of(function)[name]
    n_refused = 0
    for other in sizes(good):
        try:
            call(function, **{name: other})
        except REFUSED:
            n_refused += 1
    assert n_refused > (0 if (function, name) in ANY_LENGTH else 2)


def layouts(array: np.ndarray) -> Iterator[np.ndarray]:
    """The same values with gaps, backwards, in another order of axes, or all of them one value."""
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    yield wide[..., ::2]
    yield array[..., ::-1].copy()[..., ::-1]
    if array.ndim > 1:
        yield np.asfortranarray(array)
    yield np.broadcast_to(array[..., :1], array.shape)


@each_array
def test_values_that_do_not_lie_side_by_side_are_refused(function: str, name: str) -> None:
    for other in layouts(arrays_of(function)[name]):
        if other.flags.c_contiguous:  # an axis of length 1
            continue
        if (function, name) in ANY_TYPE:
            call(function, **{name: other})
            continue
        with pytest.raises(REFUSED):
            call(function, **{name: other})


@each_array
def test_values_out_of_line_are_refused_or_read(function: str, name: str) -> None:
    array = arrays_of(function)[name]
    if array.dtype.itemsize == 1:
        return
    raw = np.zeros(array.nbytes + 1, np.uint8)
    crooked = raw[1:].view(array.dtype).reshape(array.shape)
    crooked[...] = array
    assert not crooked.flags.aligned
    if (function, name) in ANY_TYPE:
        call(function, **{name: crooked})
        return
    with pytest.raises((*REFUSED, BufferError), match="aligned|incompatible|type of"):
        call(function, **{name: crooked})


@each_array
def test_what_may_not_be_written_is_only_read(function: str, name: str) -> None:
    array = arrays_of(function)[name]
    array.flags.writeable = False
    if (function, name) in WRITTEN:
        with pytest.raises(REFUSED):
            call(function, **{name: array})
        return
    before = array.copy()
    call(function, **{name: array})
    assert np.array_equal(array, before)


@pytest.mark.parametrize(("function", "name"), list(RANGES), ids=[f"{f}, {name}" for f, name in RANGES])
def test_contents_out_of_range_are_refused(function: str, name: str) -> None:
    for value in RANGES[function, name]:
        for index in (0, -1):
            array = arrays_of(function)[name]
            array.reshape(-1)[index] = value
            with pytest.raises(ValueError):
                call(function, **{name: array})


def test_every_range_is_tried() -> None:
    """Of the other arrays, any content is right: bits, words, points, marks, flags, keys, features."""
    free = {name for function, name in EACH if (function, name) not in RANGES}
    assert free == {
        *("allowed_words", "table", "literals", "rows", "include", "points", "bits", "marks", "nullable"),
        *("missing_allowed", "values", "feature_of", "keys", "levels", "groups"),
    }


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *[("ridge", ridge) for ridge in (-1.0, 1e16, np.nan, np.inf, "1", None)],
        *[("max_points", points) for points in (0, -1, 101, 2**31, 1.5)],
        *[("max_rules", rules) for rules in (2**63, 1.5, None)],
        *[("max_features", features) for features in (2**63, "1")],
        ("weights", np.full(N, np.nan)),
        ("weights", np.full(N, np.inf)),
        ("shares", np.full((3, N), np.nan)),
        ("shares", np.full((3, N), 0.4)),
        ("sizes", np.array([3, 2])),
    ],
)
def test_wrong_numbers_of_a_search_are_refused(name: str, wrong: Any) -> None:
    with pytest.raises(REFUSED):
        find_cards(**{**arrays_of("SearchTable.find_cards"), name: wrong})


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: _core.pack_csr(np.zeros(2049, np.int64), np.zeros(0, np.int64), 2**58, 1),
        lambda: _core.pack_csr(np.zeros(3, np.int64), np.zeros(0, np.int64), 2**63, 1),
        lambda: _core.CompiledClauses.from_lists(
            *arrays_of("CompiledClauses.from_lists").values(), 2, 2**63, ISA
        ),
        lambda: _core.CompiledClauses.from_lists(
            *arrays_of("CompiledClauses.from_lists").values(), 2**60, 40, ISA
        ),
        lambda: _core.encode(
            [np.arange(N) / 2] * 2,
            _core.Comparisons(**arrays_of("Comparisons")),
            words(),
            COLUMNS,
            2**64 - 2,
            1,
            ISA,
        ),
        lambda: _core.encode(
            [np.arange(N) / 2] * 2,
            _core.Comparisons(**arrays_of("Comparisons")),
            np.zeros((N, 0), np.uint64),
            *(2**63, 0, 1, ISA),
        ),
        lambda: machine(n_columns=2**62),
        lambda: machine(n_banks=2**62),
        lambda: machine().import_state(*arrays_of("Machine.import_state").values(), -1, 1),
        lambda: train(words(), keyed_targets(0, N, 2), None),  # type: ignore[arg-type]
        lambda: _core.Machine.__new__(_core.Machine).levels(),
        lambda: _core.CompiledClauses.__new__(_core.CompiledClauses).votes_of_bits(
            np.zeros((1, 40), np.uint8), 1
        ),
        lambda: _core.bin_rows(np.zeros((2**32, 0), np.uint64), np.zeros(0, np.uint32)),
        lambda: _core.SearchTable(np.zeros((0, 2**32), np.uint8), *search_table_of(0)),
        lambda: find_cards(
            _core.SearchTable.__new__(_core.SearchTable), **arrays_of("SearchTable.find_cards")
        ),
        lambda: find_cards(
            _core.SearchTable(np.zeros((1, 0), np.uint8), *search_table_of(COLUMNS)),
            **{**arrays_of("SearchTable.find_cards"), "weights": np.zeros(0), "shares": np.zeros((2**40, 0))},
        ),
        lambda: _core.pack(keyed_bits(0, N, COLUMNS), -1, ISA),
        lambda: _core.pack(keyed_bits(0, N, COLUMNS), 1, "sse9"),
    ],
)
def test_numbers_that_overflow_and_objects_not_made_are_refused(attempt: Callable[[], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nanobind's, of an object that was not made
        with pytest.raises((*REFUSED, MemoryError, RuntimeError, OverflowError)):
            attempt()


def test_rows_without_columns_may_be_many_but_not_their_votes() -> None:
    lists = (np.array([0]), *(np.zeros(0, kind) for kind in (np.uint32, np.uint32, np.int64)))
    empty = _core.CompiledClauses.from_lists(*lists, 32, 0, ISA)
    with pytest.raises(ValueError, match=r"fewer than 2\^63 values"):
        empty.votes_of_literals(np.zeros((2**59, 0), np.uint64), 1)


def test_the_worst_of_it_in_a_process_of_its_own() -> None:
    """Random arrays of every function, many times; a crash would not be seen from within."""
    code = """
import numpy as np
from tests.support.native_calls import CALLS, arrays_of, call
rng = np.random.default_rng(0)
n_done = n_refused = 0
for round in range(150):
    for function in CALLS:
        changed = {}
        for name, array in arrays_of(function).items():
            if rng.random() < 0.5:
                shape = [max(0, n + int(rng.integers(-2, 3))) for n in array.shape]
                array = np.frombuffer(rng.bytes(int(np.prod(shape)) * array.itemsize), np.uint8).copy()
                changed[name] = array.view(arrays_of(function)[name].dtype).reshape(shape)
        if "nullable" in changed: changed["nullable"] = changed["nullable"].view(np.uint8) % 2 == 1
        if "missing_allowed" in changed: changed["missing_allowed"] = np.array([True, False])
        try:
            call(function, **changed)
        except ValueError:
            n_refused += 1
        n_done += 1
print(n_done, n_refused)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    n_done, n_refused = map(int, done.stdout.split())
    assert n_done == 150 * len(CALLS)
    assert n_refused > 500
