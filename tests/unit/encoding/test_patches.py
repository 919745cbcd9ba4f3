"""PatchEncoder and PatchEncoding: parameters, names of columns, reading of stacks, files."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.encoding import Encoding
from clausal.encoding.patch_encoder import PatchEncoder, read_patch_encoder
from clausal.encoding.patches import PatchEncoding, read_encoding, require_table

IMAGES = np.arange(2 * 4 * 5).reshape(2, 4, 5)


def names(encoder: PatchEncoder, X: np.ndarray) -> list[str]:
    return [str(column) for column in encoder.encoding(X).columns]


def test_columns_of_an_image_are_pixels_of_the_patch_and_its_place():
    assert names(PatchEncoder((1, 2), thresholds=[3, 1.5], stride=(2, 1)), IMAGES) == [
        "pixel[0, 0] <= 1.5",
        "pixel[0, 0] <= 3",
        "pixel[0, 1] <= 1.5",
        "pixel[0, 1] <= 3",
        "row <= 0",
        "column <= 0",
        "column <= 1",
        "column <= 2",
    ]


def test_columns_of_a_sequence_with_channels():
    columns = names(PatchEncoder(2, stride=3), np.zeros((3, 9, 2), bool))
    assert columns[:4] == ["value[0, 0]", "value[0, 1]", "value[1, 0]", "value[1, 1]"]
    assert columns[4:] == ["start <= 0", "start <= 3"]


def test_samples_are_read_as_the_view_packs_them():
    encoding = PatchEncoder((2, 2), thresholds=20).encoding(IMAGES)
    expected = encoding.view.pack((IMAGES <= 20)[..., None])
    assert np.array_equal(encoding.read(IMAGES).words, expected)
    assert np.array_equal(encoding.read(IMAGES.tolist()).words, expected)
    assert np.array_equal(encoding.read(IMAGES.astype(np.float32)).words, expected)


def test_rules_hold_where_some_patch_satisfies_all_conditions():
    rng = np.random.default_rng(1)
    X = rng.random((40, 5, 6)) < 0.4
    encoding = PatchEncoder((2, 2)).encoding(X)
    rows = encoding.read(X)
    columns = encoding.view.columns(rows.words)
    tests = [[(0, False), (3, True)], [(0, False), (1, False), (2, False), (4, True), (7, True)], []]
    expected = np.stack(
        [
            np.logical_and.reduce(
                [np.ones(columns.shape[:2], bool), *(columns[..., k] != negated for k, negated in test)]
            ).any(axis=1)
            for test in tests
        ],
        axis=1,
    )
    assert np.array_equal(rows.holds(tests), expected)
    assert 0 < expected[:, 1].sum() < 40
    assert np.array_equal(rows[5:9].holds(tests), expected[5:9])
    found = np.stack([*rows.matches_of_samples(tests)])
    assert np.array_equal(found.any(axis=2), expected)
    assert np.array_equal(found, np.stack([rows.matches(test) for test in tests], axis=1))


def test_parameters_survive_clone_and_files():
    encoder = clone(PatchEncoder((3, 2), stride=(1, 2), thresholds=[5, 1]))
    assert encoder.get_params() == {"patch_shape": (3, 2), "stride": (1, 2), "thresholds": [5, 1]}
    again = read_patch_encoder(encoder.to_dict(), "booleanizer")
    assert again.encoding(IMAGES) == encoder.encoding(IMAGES)


def test_encodings_survive_files():
    for encoding in (
        PatchEncoder((2, 3), thresholds=7).encoding(IMAGES),
        PatchEncoder(2).encoding(IMAGES[0] > 2),
    ):
        assert read_encoding(encoding.to_dict()) == encoding
    table = Booleanizer().fit(IMAGES[0]).encoding_
    assert type(read_encoding(table.to_dict())) is Encoding


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"patch_shape": 0}, "'patch_shape' .* must be an int from 1 to 16777216, or a tuple .* Got 0"),
        ({"patch_shape": True}, "'patch_shape' .* Got True"),
        ({"patch_shape": ()}, r"'patch_shape' .* Got \(\)"),
        ({"patch_shape": (1, 1, 1)}, r"a tuple of 1 or 2 ints. Got \(1, 1, 1\)"),
        ({"patch_shape": (5, 1)}, r"at most as large as a sample, \(4, 5\). Got \(5, 1\)"),
        ({"stride": 0}, "'stride' .* Got 0"),
        ({"stride": (1, 1, 1)}, "'stride' .* tuple of 2 ints"),
        ({"thresholds": []}, r"'thresholds' .* Got \[\]"),
        ({"thresholds": float("nan")}, "'thresholds' .* Got nan"),
        ({"thresholds": [1, 1]}, r"list of different numbers. Got \[1, 1\]"),
        ({"thresholds": "auto"}, "'thresholds' .* Got 'auto'"),
    ],
)
def test_bad_parameters(parameters, message):
    encoder = PatchEncoder(**{"patch_shape": (2, 2), "thresholds": 5, **parameters})
    with pytest.raises(ValueError, match=message):
        encoder.encoding(IMAGES)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (IMAGES[0], r"shape \(n, height, width\) .* Got ndarray of shape \(4, 5\)"),
        (IMAGES[:, :, :, None, None], r"Got ndarray of shape \(2, 4, 5, 1, 1\)"),
        (IMAGES[:, :3], r"samples of shape \(4, 5\), as .* Got samples of shape \(3, 5\)"),
        ([[[1, 2], [3]]], "samples of equal shape"),
        (IMAGES.astype(str), "numbers or booleans. Got an array of dtype <U"),
        (np.where(IMAGES == 7, np.nan, IMAGES), r"finite numbers, none missing. Got nan at \(0, 1, 2\)"),
        (np.where(IMAGES == 27, np.inf, IMAGES), r"Got inf at \(1, 1, 2\)"),
        (None, r"Got NoneType of shape \(\)"),
    ],
)
def test_bad_stacks(X, message):
    encoding = PatchEncoder((2, 2), thresholds=5).encoding(IMAGES)
    with pytest.raises(ValueError, match=message):
        encoding.read(X, "TsetlinClassifier")


def test_a_sparse_matrix_is_refused():
    with pytest.raises(TypeError, match="sparse matrix; call toarray"):
        PatchEncoder(2).encoding(sparse.csr_matrix(np.eye(4)))


def test_without_thresholds_pixels_are_0_and_1():
    encoding = PatchEncoder((2, 2)).encoding(IMAGES)
    with pytest.raises(ValueError, match="booleans, or 0 and 1, when the 'thresholds' .* Got 2"):
        encoding.read(IMAGES)


def test_a_patch_has_a_limited_number_of_columns():
    with pytest.raises(ValueError, match="at most 2,147,483,648 booleans, and a patch 32,768. Got "):
        PatchEncoding.of((2**11, 2**11), (2**10, 2**10), (1, 1), None)


GOOD = PatchEncoder((2, 2), thresholds=5).encoding(IMAGES).to_dict()


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [4]},
        {"shape": [4, 5, 1, 1]},
        {"shape": [4, 0]},
        {"shape": "ab"},
        {"shape": [2**24, 2**24]},
        {"patch_shape": [5, 2]},
        {"patch_shape": [2]},
        {"patch_shape": []},
        {"patch_shape": [2.5, 2]},
        {"stride": [0, 1]},
        {"stride": [1]},
        {"thresholds": []},
        {"thresholds": [3, 3]},
        {"thresholds": ["a"]},
        {"more": 1},
    ],
)
def test_spoiled_encodings_are_refused(change):
    with pytest.raises(ValueError, match="must"):
        read_encoding({**GOOD, **change})


def test_what_needs_a_table_is_refused():
    encoding = PatchEncoder((2, 2), thresholds=5).encoding(IMAGES)
    message = "must be one of tables for a report. Got one of samples of shape (4, 5)"
    with pytest.raises(ValueError, match=re.escape(message)):
        require_table(encoding, "a report")
    with pytest.raises(ValueError, match="policy"):
        encoding.with_policy(handle_missing="error")
