"""Class labels in plain values: read back with their type; anything else is refused by name."""

import json

import numpy as np
import pytest

from clausal.files.parameters import plain_classes, read_classes


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["well", "sick"]),
        np.array(["b", "a", "ä"], object),
        np.array([3, 1, 2], np.int8),
        np.array([0, 2**64 - 1], np.uint64),
        np.array([True, False]),
        np.array([2.0, 1.0], np.float32),
    ],
    ids=lambda labels: labels.dtype.name,
)
def test_labels_come_back_with_their_type(labels):
    read = read_classes(json.loads(json.dumps(plain_classes(labels))), ascending=False)
    assert read.dtype == labels.dtype
    assert read.tolist() == labels.tolist()


def test_labels_are_sorted_where_that_is_asked_for():
    described = {"type": "int64", "values": [2, 1, 3]}
    assert read_classes(described, ascending=False).tolist() == [2, 1, 3]
    with pytest.raises(
        ValueError, match="classes.values must be sorted without repeats. Got 'another order'."
    ):
        read_classes(described, ascending=True)


def test_the_order_of_two_labels_says_which_one_is_positive():
    described = {"type": "int64", "values": [2, 1]}
    assert read_classes(described, ascending=True).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("described", "words"),
    [
        ({"type": "int64", "values": [2, 1, 2]}, "classes.values must be different labels. Got 'one twice'."),
        ({"type": "int64", "values": [1]}, "classes.values must be at least 2 labels"),
        (
            {"type": "int8", "values": [1, 300]},
            "classes.values must be an integer from -128 to 127. Got 300.",
        ),
        ({"type": "str2", "values": ["a", "abc"]}, "at most 2 characters long each. Got 'abc'."),
        ({"type": "float64", "values": [0.5, 1.5]}, "classes.values must be whole numbers"),
        ({"type": "complex64", "values": [1, 2]}, "classes.type must be one of"),
        ([1, 2], "classes must be a dictionary"),
    ],
)
def test_other_labels_are_refused(described, words):
    with pytest.raises(ValueError, match=words):
        read_classes(described, ascending=False)
