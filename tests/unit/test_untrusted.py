"""The strict readers: what they accept, and that an error names the path, the constraint and the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clausal import untrusted
from clausal.untrusted import (
    read_bool,
    read_indices,
    read_integer,
    read_list,
    read_number,
    read_numbers,
    read_record,
    read_scalar,
    read_text,
    read_texts,
    short_repr,
)


def digit(data: object, where: str) -> int:
    return read_integer(data, where, 0, 9)


def indices(data: object, where: str) -> tuple[int, ...]:
    return read_indices(data, where, 3)


def pair(data: object, where: str) -> dict[str, object]:
    return read_record(data, where, ("a", "b"))


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (pair, {"a": 1, "b": []}),
        (read_list, [1, "a"]),
        (read_bool, False),
        (read_text, "é"),
        (digit, 0),
        (digit, 9),
        (read_number, -1.5),
        (read_number, 2**1000),
        (read_scalar, None),
        (read_scalar, True),
        (read_scalar, "auto"),
        (read_scalar, -(2**63)),
        (read_scalar, 0.5),
    ],
)
def test_what_fits_is_returned_as_it_is(read: Callable[[object, str], Any], data: object) -> None:
    result = read(data, "here")
    assert result == data
    assert type(result) is type(data)


def test_lists_may_be_tuples_and_come_back_as_one() -> None:
    assert read_list((1, 2), "here") == [1, 2]
    assert read_texts(["a", "b"], "here") == ("a", "b")
    assert read_numbers([1, 2.5], "here") == (1.0, 2.5)
    assert indices([0, 2], "here") == (0, 2)


@pytest.mark.parametrize(
    ("read", "data", "words"),
    [
        (pair, [], "here must be a dictionary. Got a list."),
        (pair, {"a": 1}, "here must be a dictionary with the keys ['a', 'b']. Got no 'b'."),
        (pair, {}, "here must be a dictionary with the keys ['a', 'b']. Got no 'a', 'b'."),
        (pair, {"a": 1, 2: 3}, "here must be a dictionary with the keys ['a', 'b']. Got no 'b' and extra 2."),
        (read_list, "ab", "here must be a list. Got 'ab'."),
        (read_bool, 1, "here must be true or false. Got 1."),
        (read_text, None, "here must be a string. Got None."),
        (read_texts, ["a", 1], "here must be a string. Got 1."),
        (read_texts, ["a", "a"], "here must be a list of different strings. Got a list."),
        (digit, 10, "here must be an integer from 0 to 9. Got 10."),
        (digit, -1, "here must be an integer from 0 to 9. Got -1."),
        (digit, True, "here must be an integer from 0 to 9. Got True."),
        (digit, 1.0, "here must be an integer from 0 to 9. Got 1.0."),
        (digit, 10**400, "here must be an integer from 0 to 9. Got an integer of 1329 bits."),
        (read_number, "1", "here must be a number. Got '1'."),
        (read_number, False, "here must be a number. Got False."),
        (read_number, 2**1024, "here must be a number that float64 can hold. Got '1025 bits'."),
        (read_number, 2**53 + 1, f"here must be a number that float64 holds exactly. Got {2**53 + 1}."),
        (read_number, float("nan"), "here must be a finite number. Got nan."),
        (read_number, float("-inf"), "here must be a finite number. Got -inf."),
        (read_numbers, [1, "2"], "here[1] must be a number. Got '2'."),
        (read_numbers, [1, 1.0], "here must be sorted without repeats. Got '1.0 before 1.0'."),
        (indices, [0, 3], "here[1] must be an integer from 0 to 2. Got 3."),
        (indices, [2, 0], "here must be sorted without repeats. Got '2 before 0'."),
        (read_scalar, float("inf"), "here must be a finite number. Got inf."),
        (read_scalar, [], "here must be a number, a string, true, false or null. Got a list."),
        (read_scalar, 2**63, f"here must be an integer from {-(2**63)} to {2**63 - 1}. Got {2**63}."),
    ],
)
def test_what_does_not_fit_is_refused(read: Callable[[object, str], Any], data: object, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        read(data, "here")
    assert str(caught.value) == words


def test_a_long_word_is_no_word() -> None:
    assert read_scalar("x" * 100, "here") == "x" * 100
    with pytest.raises(ValueError, match="at most 100 characters"):
        read_scalar("x" * 101, "here")


def test_messages_stay_short_whatever_the_value() -> None:
    assert len(short_repr("x" * 10**6)) < 100
    assert len(short_repr(10**5000)) < 100
    assert short_repr("\ud800\x1b") == r"'\ud800\x1b'"
    with pytest.raises(ValueError) as caught:
        pair({str(number): number for number in range(1000)}, "here")
    assert "990 more" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_no_message_looks_into_a_nested_value() -> None:
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    readers: list[Callable[[object, str], Any]] = [
        pair,
        read_bool,
        read_text,
        digit,
        read_number,
        read_scalar,
    ]
    for read in readers:
        with pytest.raises(ValueError, match="Got a list"):
            read(deep, "here")
    assert untrusted.short_repr({"a": deep}) == "a dict"
