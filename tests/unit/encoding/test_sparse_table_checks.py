"""A sparse matrix whose index arrays do not fit it is refused by name, before anything follows them."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from clausal import Booleanizer, TsetlinClassifier

BITS = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]], np.uint8)
FAR = 2**30  # beyond anything that is allocated
FORMATS = ["csr", "csc", "bsr", "coo"]


def spoiled(layout: str, array: str, index: int, value: Any, container: str = "array") -> Any:
    """The matrix with one index changed."""
    matrix = getattr(sparse, f"{layout}_{container}")(BITS)
    getattr(matrix, array)[index] = value
    return matrix


WRONG: list[tuple[str, Any, str]] = [
    ("column far outside", spoiled("csr", "indices", 2, FAR), r"column indices from 0 to 3. Got 1073741824"),
    ("column just outside", spoiled("csr", "indices", -1, 4), r"column indices from 0 to 3. Got 4 in row 3"),
    ("negative column", spoiled("csr", "indices", 0, -1), r"column indices from 0 to 3. Got -1 in row 0"),
    ("matrix", spoiled("csr", "indices", 2, FAR, "matrix"), r"Got 1073741824 in row 1"),
    ("row of a column", spoiled("csc", "indices", 0, 4), r"row indices from 0 to 3. Got 4 in column 0"),
    ("block", spoiled("bsr", "indices", 0, FAR), r"column of blocks indices from 0 to \d. Got 1073741824"),
    ("row of an entry", spoiled("coo", "row", 3, -7), r"row indices from 0 to 3. Got -7 in entry 3"),
    ("column of an entry", spoiled("coo", "col", 3, FAR), r"column indices from 0 to 3. Got 10.* in entry 3"),
    ("first start", spoiled("csr", "indptr", 0, 1), r"'indptr' that starts with 0. Got 1"),
    ("falling starts", spoiled("csr", "indptr", 1, 7), r"never decreases. Got 7 and then 3 at row 1"),
    ("negative start", spoiled("csr", "indptr", 2, -5), r"never decreases. Got 2 and then -5 at row 1"),
    ("end", spoiled("csr", "indptr", -1, FAR), r"ends at most at 8, .* Got 1073741824"),
    ("end of columns", spoiled("csc", "indptr", -1, 9), r"ends at most at 8, .* Got 9"),
]  # fmt: skip


def with_arrays(**arrays: Any) -> Any:
    matrix = sparse.csr_array(BITS)
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


WRONG += [
    ("few starts", with_arrays(indptr=np.array([0, 2])), r"must have 5 values in 'indptr'. Got 2"),
    ("few columns", with_arrays(indices=np.array([0, 2])), r"must have 8 values in 'indices'. Got 2"),
    ("few values", with_arrays(data=np.ones(3, np.uint8)), r"must have 3 values in 'indices'. Got 8"),
    ("real columns", with_arrays(indices=np.zeros(8)), r"array of integers as 'indices'. Got float64"),
    ("columns in a matrix", with_arrays(indices=np.zeros((8, 1), int)), r"of shape \(8, 1\)"),
]


def refused(call: Any, matrix: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        call(copy.deepcopy(matrix))  # `matrix.copy()` would check some of it
    assert str(caught.value).startswith("Sparse input must have ")


@pytest.mark.parametrize(("matrix", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_every_reader_of_a_table_refuses_it(matrix: Any, words: str) -> None:
    clf = TsetlinClassifier(n_clauses=2, n_epochs=1, random_state=0).fit(sparse.csr_array(BITS), [0, 1, 1, 0])
    coded = Booleanizer().fit(sparse.csr_array(BITS))
    for call in (
        Booleanizer().fit,
        coded.transform,
        clf.predict,
        clf.votes,
        clf.rules_.predict,
        lambda X: clf.partial_fit(X, [0, 1, 1, 0]),
        lambda X: TsetlinClassifier(n_clauses=2, n_epochs=1).fit(X, [0, 1, 1, 0]),
    ):
        refused(call, matrix, words)


def test_a_list_of_lists_that_points_outside_is_refused() -> None:
    matrix = sparse.lil_array(BITS)
    matrix.rows[1] = [FAR]
    refused(Booleanizer().fit, matrix, "column indices from 0 to 3. Got 1073741824 in row 1")


@pytest.mark.parametrize("layout", [*FORMATS, "lil", "dok", "dia"])
@pytest.mark.parametrize("container", ["array", "matrix"])
def test_a_matrix_in_order_is_read(layout: str, container: str) -> None:
    matrix = getattr(sparse, f"{layout}_{container}")(BITS)
    assert np.array_equal(Booleanizer().fit(matrix).transform(matrix).toarray(), BITS)
    empty = getattr(sparse, f"{layout}_{container}")(np.zeros((3, 4), np.uint8))
    assert Booleanizer().fit(empty).transform(empty).nnz == 0


def test_unused_room_at_the_end_may_hold_anything() -> None:
    """SciPy lets the arrays be longer than what the rows use."""
    matrix = sparse.csr_array(BITS)
    matrix.data = np.append(matrix.data, [1, 1]).astype(np.uint8)
    matrix.indices = np.append(matrix.indices, [FAR, -1]).astype(np.int32)
    assert np.array_equal(Booleanizer().fit(matrix).transform(matrix).toarray(), BITS)


def test_the_process_survives() -> None:
    """Before the check, this was a segmentation fault."""
    code = """
import numpy as np
from scipy import sparse
from clausal import TsetlinClassifier
rng = np.random.default_rng(0)
X = sparse.csr_array((rng.random((200, 50)) < 0.1).astype(np.uint8))
clf = TsetlinClassifier(n_clauses=4, n_epochs=1).fit(X, X.toarray()[:, 0])
X.indices[:] = 2**30
for call in (clf.predict, lambda X: TsetlinClassifier().fit(X, np.arange(200) % 2)):
    try:
        call(X)
    except ValueError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("column indices from 0 to 49. Got 1073741824 in row") == 2


def test_index_arrays_may_lie_anywhere_in_memory() -> None:
    """As in a file that is mapped into memory."""
    matrix = sparse.csr_array(BITS)
    clf = TsetlinClassifier(n_clauses=2, n_epochs=1, random_state=0).fit(matrix, [0, 1, 1, 0])
    expected = clf.votes(matrix)
    raw = np.zeros(matrix.indices.nbytes + 1, np.uint8)
    crooked = raw[1:].view(matrix.indices.dtype)
    crooked[:] = matrix.indices
    matrix.indices = crooked
    assert not matrix.indices.flags.aligned
    assert np.array_equal(clf.votes(matrix), expected)
    assert np.array_equal(Booleanizer().fit(matrix).transform(matrix).toarray(), BITS)
