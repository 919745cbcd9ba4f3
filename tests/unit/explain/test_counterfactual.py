"""Counterfactuals: the fewest and smallest changes, as brute force over all rows says, and none forbidden."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausal.explain import explain_rows, fewest_changes
from clausal.explain.counterfactual import ALREADY, NONE_EXISTS, NONE_FOUND, NOT_ASKED, Change
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import reduce_encoding
from tests.support.toy_rules import (
    BOOLEANIZER,
    CUTS,
    ORDER,
    ROWS,
    VALUES,
    deciding_rule_sets,
    frame,
    model,
    rule_sets,
)

BITS = BOOLEANIZER.transform(frame(*ROWS))
TO_MISSING = 1000


def steps(name: str, old: Any, new: Any) -> int:
    """How large a change is: cut points crossed, 1 for a category, a boolean or what was missing."""
    if old == new:
        return 0
    if new is None:
        return TO_MISSING
    if old is None or name in "cb":
        return 1
    if name == "o":
        return abs(ORDER.index(old) - ORDER.index(new))
    return sum(min(old, new) <= cut < max(old, new) for cut in CUTS[name])


def brute_force(rules: Any, row: dict[str, Any], fixed: set[str], target: Any) -> tuple[int, int] | None:
    """The least (number of changes, size of the changes) of all rows with another decision, or None."""
    labels = rules.classes[rules.decide(rules.votes_of(rules.fires_on(BITS)), rules.overridden_on(BITS))]
    wanted = labels != labels[ROWS.index(row)] if target is None else labels == target
    sizes = {name: {value: steps(name, row[name], value) for value in VALUES[name]} for name in VALUES}
    best = None
    for other in (ROWS[place] for place in np.flatnonzero(wanted)):
        changes = [(name, size) for name, value in other.items() if (size := sizes[name][value])]
        if not fixed.intersection(name for name, _ in changes):
            found = (len(changes), sum(size for _, size in changes))
            best = found if best is None else min(best, found)
    return best


@settings(max_examples=100)
@given(
    deciding_rule_sets(), st.sampled_from(ROWS), st.sets(st.sampled_from(list(VALUES)), max_size=2), st.data()
)
def test_the_fewest_and_smallest_changes_are_found(rules, row, fixed, data):
    target = data.draw(st.sampled_from([None, *rules.classes.tolist()]))
    (explained,) = explain_rows(rules, frame(row), fixed=sorted(fixed), target=target)
    found, reason = explained.counterfactual, explained.no_counterfactual
    assert (found is None) == (reason is not None)
    decided = rules.predict(frame(row))[0]
    if decided == target:
        assert reason == ALREADY
        return
    best = brute_force(rules, row, fixed, target)
    if best is None:
        assert reason == NONE_EXISTS
        return
    assert found is not None
    changed = dict(row)
    for change in found.changes:
        assert change.old == row[change.feature]
        assert change.new != change.old
        assert change.feature not in fixed
        changed[change.feature] = change.new
    label = rules.predict(frame(changed))[0]
    assert label == found.label == (label if target is None else target) != decided
    np.testing.assert_array_equal(rules.votes(frame(changed))[0], np.squeeze(found.votes))
    assert found.minimal
    size = sum(steps(change.feature, change.old, change.new) for change in found.changes)
    assert (len(found.changes), size) == best


@settings(max_examples=200)
@given(deciding_rule_sets(), st.sampled_from(ROWS), st.sets(st.sampled_from(list(VALUES)), max_size=2))
def test_without_the_categories_that_no_rule_tests_the_changes_are_the_same(rules, row, fixed):
    reduced = reduce_encoding(rules)
    full = explain_rows(rules, frame(row), fixed=sorted(fixed))[0]
    found = explain_rows(reduced, frame(row), fixed=sorted(fixed))[0]
    assert found.no_counterfactual == full.no_counterfactual
    if found.counterfactual is None:
        return
    assert len(found.counterfactual.changes) == len(full.counterfactual.changes)
    others = {
        change.feature: [value for value in "abcd" if value not in change.any_but]
        for change in found.counterfactual.changes
        if change.any_but
    }
    changed = row | {change.feature: change.new for change in found.counterfactual.changes}
    for values in product(*others.values()):  # each category that the made-up one stands for
        each = changed | dict(zip(others, values, strict=True))
        assert rules.predict(frame(each))[0] == found.counterfactual.label != found.label
    assert reduced.predict(frame(changed))[0] == found.counterfactual.label
    plain = found.counterfactual.to_dict()["changes"]
    assert [tuple(change.get("any_but", ())) for change in plain] == [
        change.any_but for change in found.counterfactual.changes
    ]


@pytest.mark.parametrize(
    ("rules", "change"),
    [
        ([(-3, "c is a"), (-3, "c is b")], "c: a -> c"),  # which the encoding has a column for
        ([(-3, "c is a"), (-3, "c is b"), (-3, "c is c")], "c: a -> any value not in {a, b, c}"),
        (
            [(-3, "c is a"), (-3, "c is b"), (-3, "c is c"), (1, "c is missing")],
            "c: a -> any value not in {a, b, c}",
        ),
    ],
)
def test_a_category_that_was_left_out_stands_for_all_others(rules, change):
    reduced = reduce_encoding(model(*rules))
    for policy in ("no_rule", "no_match", "error"):  # a feature that lacks categories refuses none
        known = reduced.encoding.with_policy(handle_unknown=policy)
        assert changes(RuleSet(reduced, known, reduced.outcome, reduced.constants), ROW) == [change]


def test_many_categories_are_not_all_listed():
    assert Change("c", "a", "x", tuple("abcdefg")).new_text == "any value not in {a, b, c, d, e and 2 more}"


@settings(max_examples=100)
@given(rule_sets(), st.sampled_from(ROWS))
def test_with_limited_work_no_fewer_changes_are_found_and_it_says_so(rules, row):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fewest_changes, "_MAX_NUMBERS", 0)
        (explained,) = explain_rows(rules, frame(row))
    best = brute_force(rules, row, set(), None)
    found = explained.counterfactual
    if found is None:
        assert explained.no_counterfactual == NONE_FOUND or best is None
    else:
        assert not found.minimal
        assert len(found.changes) >= best[0]
        changed = row | {change.feature: change.new for change in found.changes}
        assert rules.predict(frame(changed))[0] == found.label != explained.label


ROW = {"n": 5, "m": 2, "c": "a", "o": "x", "b": True}


def changes(rules: Any, row: dict[str, Any], **given: Any) -> list[str]:
    (explained,) = explain_rows(rules, frame(row), **given)
    assert explained.counterfactual is not None, explained.no_counterfactual
    return [str(change) for change in explained.counterfactual.changes]


@pytest.mark.parametrize(
    ("condition", "row", "change"),
    [
        ("n > 4", {}, "n: 5 -> 4"),
        ("n <= 4", {"n": 2}, "n: 2 -> 5"),
        ("n <= 1", {"n": 0.25}, "n: 0.25 -> 2"),
        ("n > 3", {"n": 3.5}, "n: 3.5 -> 3"),
        ("m <= 2", {}, "m: 2 -> 3"),
        ("m <= 2", {"m": 1}, "m: 1 -> 3"),
        ("m is missing", {"m": None}, "m: missing -> 1"),
        ("c is a", {}, "c: a -> b"),
        ("c is not a or missing", {"c": "d"}, "c: d -> a"),
        ("o <= x", {}, "o: x -> y"),
        ("o > y", {"o": "z"}, "o: z -> y"),
        ("b", {}, "b: True -> False"),
        ("not b", {"b": False}, "b: False -> True"),
    ],
)
def test_a_change_is_a_value_to_type(condition, row, change):
    rules = model((3, condition), constants=(-1,))
    assert changes(rules, {**ROW, **row}) == [change]


def test_missing_is_proposed_only_where_nothing_else_helps():
    assert changes(model((-3, "m is not missing")), ROW) == ["m: 2 -> missing"]
    assert changes(model((-3, "m is not missing"), (-1, "n > 4")), {**ROW, "n": 4}) == ["m: 2 -> missing"]


def test_a_category_without_a_column_of_its_own_can_be_proposed():
    rules = model(
        (2, "c is not a or missing", "c is not b or missing", "c is not c or missing"), constants=(-1,)
    )
    assert changes(rules, ROW) == ["c: a -> d"]


def test_the_smaller_of_two_changes_is_preferred():
    near = model((-1, "n > 4"), (-1, "m <= 1"))
    assert changes(near, {**ROW, "m": 3}) == ["n: 5 -> 4"]
    either = model((3, "n <= 3"), (3, "o > x"), constants=(-1,))
    assert changes(either, ROW) == ["o: x -> y"]  # one category away, two cut points the other way


@pytest.mark.parametrize("small", [True, False])
def test_more_than_three_features_are_changed_exactly_in_a_small_model_only(small, monkeypatch):
    rules = model((9, "n > 4", "m <= 2", "c is a", "o <= x", "b"), constants=(-1,))
    row = {"n": 1, "m": 4, "c": "b", "o": "z", "b": False}
    if not small:
        monkeypatch.setattr(fewest_changes, "_MAX_NUMBERS", 20)  # enough for three features of these
    (explained,) = explain_rows(rules, frame(row))
    assert len(explained.counterfactual.changes) == 5
    assert explained.counterfactual.label == "yes"
    assert explained.counterfactual.minimal == small
    (stuck,) = explain_rows(rules, frame(row), fixed=["o"])
    assert (stuck.counterfactual, stuck.no_counterfactual) == (None, NONE_EXISTS)


def test_none_exists_for_a_constant_model_or_where_all_is_fixed():
    for rules in (model(), model((3, "b"), constants=(2,))):
        (explained,) = explain_rows(rules, frame(ROW))
        assert (explained.counterfactual, explained.no_counterfactual) == (None, NONE_EXISTS)
    (explained,) = explain_rows(model((-3, "b")), frame(ROW), fixed="b")
    assert explained.no_counterfactual == NONE_EXISTS


def test_a_target_class_is_led_to():
    rules = model((5, "b", 0), (4, "n > 4", 1), (3, "m <= 2", 2), classes=("low", "mid", "top"))
    rows = frame(ROW, {**ROW, "b": False, "n": 1})
    low, top = explain_rows(rules, rows, target="top")
    assert [str(change) for change in low.counterfactual.changes] == ["n: 5 -> 4", "b: True -> False"]
    assert low.counterfactual.label == "top"
    assert (top.label, top.no_counterfactual) == ("top", ALREADY)


def test_counterfactuals_can_be_left_out():
    (explained,) = explain_rows(model((-3, "b")), frame(ROW), counterfactuals=False)
    assert (explained.counterfactual, explained.no_counterfactual) == (None, NOT_ASKED)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"fixed": ["age"]}, "The 'fixed' parameter of explain must list names of columns of X. Got 'age'."),
        ({"fixed": [9]}, "must list positions from 0 to 4. Got 9."),
        ({"fixed": [True]}, "must, as a boolean mask, have one entry per feature (5). Got 1."),
        (
            {"target": "maybe"},
            "'target' parameter of explain must be one of the classes ['no', 'yes']. Got 'maybe'.",
        ),
        ({"n_reasons": -1}, "The 'n_reasons' parameter of explain must be an int >= 0. Got -1."),
        ({"n_near_misses": 1.5}, "The 'n_near_misses' parameter of explain must be an int >= 0. Got 1.5."),
        (
            {"counterfactuals": "yes"},
            "The 'counterfactuals' parameter of explain must be True or False. Got 'yes'.",
        ),
    ],
)
def test_bad_arguments_are_refused(given, words):
    with pytest.raises(ValueError) as caught:
        explain_rows(model((1, "b")), frame(ROW), **given)
    assert str(caught.value).endswith(words)
