"""Simplified rules: fewer literals, the same votes on every row the booleanizer can produce."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal import Booleanizer
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import reduce_encoding, simple_terms
from clausal.rules.simplify import simplify as simplified

# Numbers with and without missing values, categories, an ordered one, a boolean.
TABLE = pd.DataFrame(
    {
        "n": [1.0, 2, 3, 4, 5, 6],
        "m": [1.0, 2, 3, np.nan, 4, 5],
        "c": ["a", "b", "c", "a", None, "b"],
        "o": pd.Categorical(list("xyzxyz"), ordered=True),
        "b": [True, False, True, False, True, False],
    }
)
BOOLEANIZER = Booleanizer(handle_unknown="no_match", handle_missing="error").fit(TABLE)
COLUMNS = BOOLEANIZER.columns_
VALUES = [
    [0.5, *range(1, 8)],
    [0.5, 2, 3, 4, 9, np.nan],
    ["a", "b", "c", "other", None],
    list("xyz"),
    [True, False],
]
ROWS = BOOLEANIZER.transform(pd.DataFrame(list(product(*VALUES)), columns=list("nmcob")))


def rule(points, *literals, bank=0):
    chosen = tuple(Literal(COLUMNS[k % len(COLUMNS)], k % len(COLUMNS), k >= len(COLUMNS)) for k in literals)
    return Rule(chosen, points, "yes" if points > 0 else "no", bank)


def simplify(rules):
    return simplified(RuleSet(rules, BOOLEANIZER, ["no", "yes"]))


def named(text):
    """The number of the literal that reads so."""
    texts = [c.text() for c in COLUMNS] + [c.text(negated=True) for c in COLUMNS]
    return texts.index(text)


def votes(rules):
    return sum((r.holds(ROWS) * r.points for r in rules), start=np.zeros(len(ROWS)))


def drawn_rules(max_size):
    """Lists of (points, literals)."""
    numbers = st.integers(0, 2 * len(COLUMNS) - 1)
    points = st.integers(-3, 3).filter(bool)
    return st.lists(st.tuples(points, st.sets(numbers, min_size=1, max_size=3)), max_size=max_size)


@given(
    st.lists(
        st.tuples(st.integers(-3, 3).filter(bool), st.sets(st.integers(0, 2 * len(COLUMNS) - 1), min_size=1)),
        max_size=8,
    )
)
def test_votes_are_unchanged_and_literals_never_more(drawn):
    rules = [rule(points, *sorted(literals)) for points, literals in drawn]
    shorter = simplify(rules)
    assert np.array_equal(votes(rules), votes(shorter) + shorter.constants[0])
    assert shorter.n_literals <= sum(len(r.literals) for r in rules)
    assert all(r.points for r in shorter)


@given(st.lists(drawn_rules(5), min_size=1, max_size=3))
def test_many_models_at_once_have_the_same_rules(drawn):
    cards = [[rule(points, *sorted(literals)) for points, literals in one] for one in drawn]
    for card, terms in zip(cards, simple_terms(cards, BOOLEANIZER.encoding_, 1), strict=True):
        expected = {(each.literals, each.points, each.bank) for each in simplify(card)}
        assert {(each.literals, each.points, each.bank) for each in terms} == expected
        assert len(terms) == len(expected)


@given(st.sets(st.integers(0, 2 * len(COLUMNS) - 1), min_size=1, max_size=6))
def test_no_literal_left_can_be_dropped(literals):
    for shorter in simplify([rule(1, *sorted(literals))]):
        for k in range(len(shorter.literals)):
            rest = shorter.literals[:k] + shorter.literals[k + 1 :]
            weaker = np.logical_and.reduce([literal.holds(ROWS) for literal in rest], axis=0, initial=True)
            assert not np.array_equal(weaker & np.ones(len(ROWS), bool), shorter.holds(ROWS))


@pytest.mark.parametrize(
    ("literals", "text"),
    [
        (["n <= 3", "n <= 5"], "n <= 3"),
        (["n > 2", "n > 4"], "n > 4"),
        (["n <= 5", "n > 2"], "2 < n <= 5"),
        (["c is a", "c is not b or missing"], "c is a"),
        (["m <= 2", "m is not missing"], "m <= 2"),
        (["m is missing", "m > 2 or missing"], "m is missing"),
        (["o <= x", "o <= y"], "o <= x"),
        (["b", "n <= 2", "n <= 4"], "n <= 2 and b"),
        (["m > 2 or missing", "m is not missing", "m > 1 or missing"], "m > 2"),
        (["m > 2 or missing", "m <= 4", "m is not missing"], "2 < m <= 4"),
        (["c is not a or missing", "c is not b or missing"], "c not in {a, b} or missing"),
    ],
)
def test_what_is_left(literals, text):
    assert [str(r) for r in simplify([rule(1, *map(named, literals))])] == [text]


@pytest.mark.parametrize(
    "literals",
    [
        ["n <= 2", "n > 4"],
        ["c is a", "c is b"],
        ["c is a", "c is missing"],
        ["m <= 2", "m is missing"],
        ["b", "not b"],
    ],
)
def test_contradictions_vanish(literals):
    assert len(simplify([rule(1, *map(named, literals))])) == 0


@given(drawn_rules(12), st.randoms(use_true_random=False))
def test_simplifying_twice_changes_nothing_nor_does_the_order_given(drawn, random):
    rules = [rule(points, *sorted(literals)) for points, literals in drawn]
    once = simplify(rules)
    again = simplified(once)
    assert again == once
    assert str(again) == str(once)
    random.shuffle(rules)
    assert simplify(rules) == once


def test_equal_rules_merge_and_opposite_ones_cancel():
    first, wider = rule(2, named("n <= 3")), rule(3, named("n <= 3"), named("n <= 5"))
    (both,) = simplify([first, wider])
    assert (both.points, both.speaks_for) == (5, "yes")
    (less,) = simplify([first, rule(-7, named("n <= 3"))])
    assert (less.points, less.speaks_for) == (-5, "no")
    assert len(simplify([first, rule(-2, named("n <= 3"))])) == 0


def test_banks_are_kept_apart_and_the_weightiest_come_first():
    rules = [rule(1, named("b")), rule(-4, named("b"), bank=1), rule(2, named("n <= 3"))]
    shorter = simplified(RuleSet(rules, BOOLEANIZER, ["a", "b", "c"]))
    assert [(r.points, r.speaks_for) for r in shorter] == [(-4, "not b"), (2, "a"), (1, "a")]


def test_the_order_is_by_points_then_literals_then_text():
    rules = [
        rule(2, named("n <= 3"), named("b")),
        rule(2, named("n <= 3")),
        rule(-2, named("c is a")),
        rule(3, named("n > 2"), named("n <= 4")),
    ]
    assert [str(r) for r in simplify(rules)] == ["2 < n <= 4", "c is a", "n <= 3", "n <= 3 and b"]


# --- rules that differ in one feature ---


def shown(rules):
    shorter = simplify(rules)
    return shorter.constants[0], [(r.points, str(r)) for r in shorter]


def test_what_always_holds_becomes_the_constant():
    assert shown([rule(2, named("b")), rule(5)]) == (5, [(2, "b")])
    assert shown([rule(3, named("b")), rule(2, named("not b"))]) == (2, [(1, "b")])
    assert shown([rule(-3, named("n <= 2")), rule(-3, named("n > 2"))]) == (-3, [])
    constant = RuleSet([rule(4)], BOOLEANIZER, ["no", "yes"], [0.5])
    assert simplified(constant).constants == (4.5,)


def test_what_a_condition_and_its_opposite_share_loses_it():
    both = [rule(5, named("n <= 2"), named("b")), rule(3, named("n <= 2"), named("not b"))]
    assert shown(both) == (0, [(3, "n <= 2"), (2, "n <= 2 and b")])
    missing = [rule(4, named("b"), named("m <= 2")), rule(4, named("b"), named("m > 2 or missing"))]
    assert shown(missing) == (0, [(4, "b")])
    opposed = [rule(5, named("n <= 2"), named("b")), rule(-3, named("n <= 2"), named("not b"))]
    assert shown(opposed) == (0, [(5, "n <= 2 and b"), (-3, "n <= 2 and not b")])


def test_joins_lead_to_joins():
    quarters = [rule(2, named(n), named(b)) for n in ("n <= 2", "n > 2") for b in ("b", "not b")]
    assert shown(quarters) == (2, [])
    thirds = [rule(1, named("n <= 2")), rule(1, named("n > 2"), named("n <= 4")), rule(1, named("n > 4"))]
    assert shown(thirds) == (1, [])
    late = [rule(2, named("n <= 2"), named(b)) for b in ("b", "not b")]  # n <= 2, once b has been looked at
    late.append(rule(-2, named("n <= 2"), named("m <= 2")))
    assert shown(late) == (0, [(2, "n <= 2 and (m > 2 or missing)")])


def test_neighbours_are_joined_and_parts_are_taken_out():
    assert shown([rule(2, named("n <= 2")), rule(2, named("n > 2"), named("n <= 4"))]) == (0, [(2, "n <= 4")])
    within = [rule(2, named("b")), rule(-2, named("b"), named("n <= 2"))]
    assert shown(within) == (0, [(2, "n > 2 and b")])


def test_categories_that_cannot_come_are_not_denied():
    strict = Booleanizer(handle_unknown="error", handle_missing="error")
    closed = strict.fit(TABLE[["o", "b"]].assign(o=["x", "y", "z"] * 2))
    numbers = {column.text(): place for place, column in enumerate(closed.columns_)}
    literals = tuple(
        Literal(closed.columns_[numbers[text]], numbers[text], True) for text in ("o is x", "o is y")
    )
    rules = RuleSet([Rule(literals, 3, "yes")], closed, ["no", "yes"])
    assert [str(r) for r in rules] == ["o not in {x, y}"]
    assert [str(r) for r in simplified(rules)] == ["o is z"]


def test_a_condition_is_kept_if_unseen_values_do_not_satisfy_it():
    fitted = Booleanizer().fit(TABLE)
    index, column = next((i, c) for i, c in enumerate(fitted.columns_) if c.kind == "true")
    halves = [Rule((Literal(column, index, negated),), 2, "yes") for negated in (False, True)]
    rules = RuleSet(halves, fitted, ["no", "yes"])
    assert [str(rule) for rule in simplified(rules)] == ["b", "not b"]  # a missing value satisfies neither
    assert simplified(rules.with_encoding(BOOLEANIZER.encoding_)).constants == (2,)


def test_an_encoding_is_reduced_to_what_the_rules_test():
    X = pd.DataFrame({"n": range(40), "job": [f"job {i // 2}" for i in range(40)], "city": list("ab") * 20})
    fitted = Booleanizer(max_columns=3).fit(X)
    texts = {
        c.text(negated): (i, c, negated) for i, c in enumerate(fitted.columns_) for negated in (False, True)
    }

    def reduced(*conditions):
        rules = [
            Rule((Literal(column, index, negated),), 1)
            for index, column, negated in (texts[text] for text in conditions)
        ]
        return reduce_encoding(RuleSet(rules, fitted, ["no", "yes"]))

    job = next(text for text in texts if text.startswith(("job is job", "job is 'job")))
    few = reduced("city is b", job)
    assert "job 19" not in few.to_json()
    assert [feature.kind for feature in few.encoding.features] == ["empty", "nominal", "nominal"]
    np.testing.assert_array_equal(few.votes(X), RuleSet(list(few), few.encoding, ["no", "yes"]).votes(X))
    assert few.votes(X.assign(n="text", job="job 19")).tolist() == (X["city"] == "b").tolist()
    assert RuleSet.from_json(few.to_json()) == few
    denied = reduced(job.replace(" is ", " is not "))  # an unseen job does not satisfy it: all are needed
    assert "job 19" in denied.to_json()
    strict = reduce_encoding(few.with_encoding(few.encoding.with_policy(handle_unknown="error")))
    assert strict.votes(X.assign(job="never")).tolist() == (X["city"] == "b").tolist()
    with pytest.raises(ValueError, match="handle_unknown='missing' must be chosen before the fit"):
        few.encoding.with_policy(handle_unknown="missing")


def test_points_that_are_fractions_are_added_exactly():
    unit = 2.0**-16
    rules = [rule(3 * unit, named("b")), rule(5 * unit, named("not b")), rule(1 - unit, named("n <= 2"))]
    assert shown(rules) == (3 * unit, [(1 - unit, "n <= 2"), (2 * unit, "not b")])
