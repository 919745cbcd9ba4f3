"""Constraints on parameters: what each accepts, and how each reads in a message."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from clausal.parameters import Instance, Number, OneOf, Pair, Whole, check_parameters


class Owner:
    def __init__(self, **values):
        vars(self).update(values)


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    [
        (
            Whole(1),
            [1, 5, np.int8(3), np.uint64(9), 10**30],
            [0, -1, 1.0, True, np.True_, "1", None, math.nan],
        ),
        (Whole(2, 8, even=True), [2, 8, np.int64(4)], [0, 1, 3, 9, 10]),
        (Number(0.0), [0, 0.5, np.float32(3), Fraction(1, 3), 1e308], [-1e-9, math.inf, math.nan, 10**400]),
        (Number(0.0, 1.0), [0, 1, 1.0], [-0.1, 1.1, True, np.True_, "0.5", None, 1j, Decimal(1)]),
        (Number(0.0, 1.0, open_low=True, open_high=True), [0.5, 1e-300], [0, 0.0, 1, 1.0]),
        (Pair(Number(1.0, 9.0)), [(1, 9), [2.0, 2.0]], [(2, 1), (0, 2), (1, 10), (1,), (1, 2, 3), 5, "12"]),
        (Pair(Number(1.0)), [(1, 9)], [np.array([1, 2]), (1, math.inf), (math.nan, 2), (1, None), {1, 2}]),
        (OneOf("a", None), ["a", None, np.str_("a")], ["A", "", False, 0, b"a", np.str_("b"), ["a"]]),
        (OneOf(True, False), [True, False, np.True_, np.False_], [1, 0, 1.0, None, "True", np.int64(1)]),
        (Instance(dict, "a dict"), [{}, {1: 2}], [dict, [], None]),
        (Instance((list, tuple), "a list"), [[], ()], [{}, "ab"]),
    ],
)
def test_what_a_constraint_accepts(constraint, good, bad):
    assert [value for value in good if not constraint.accepts(value)] == []
    assert [value for value in bad if constraint.accepts(value)] == []


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (Whole(1), "an int >= 1"),
        (Whole(2, 8, even=True), "an even int from 2 to 8"),
        (Number(0.0), "a finite number >= 0"),
        (Number(0.0, 2**31 - 1), "a number >= 0 and <= 2147483647"),
        (Number(0.0, 1.0, open_low=True, open_high=True), "a number > 0 and < 1"),
        (Pair(Number(1.0, 9.0)), "a pair (low, high), low <= high, of numbers >= 1 and <= 9"),
        (Pair(Number(1.0)), "a pair (low, high), low <= high, of numbers >= 1"),
        (OneOf("auto", None, True), "'auto' or None or True"),
        (Instance(dict, "a dict"), "a dict"),
    ],
)
def test_how_a_constraint_reads(constraint, words):
    assert str(constraint) == words


def test_the_sentence():
    constraints = {"size": (Whole(1), OneOf("auto")), "name": (OneOf("x"),)}
    check_parameters(Owner(size="auto", name="x"), constraints)
    check_parameters(Owner(size=3, name="x"), constraints)
    with pytest.raises(
        ValueError, match=r"^The 'size' parameter of Owner must be an int >= 1 or 'auto'\. Got 0\.$"
    ):
        check_parameters(Owner(size=0, name="y"), constraints)
    with pytest.raises(ValueError, match=r"^The 'name' parameter of Owner must be 'x'\. Got 'y'\.$"):
        check_parameters(Owner(size=1, name="y"), constraints)
