"""Rules are the model: simplified, printed, stored and read back, they vote as the machine's arrays do.

Random machines on small tables of every kind of feature, tried on all rows that could matter. The same
checks must catch simplifiers that are wrong on purpose.
"""

import copy
import pickle
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal import Booleanizer
from clausal.machine.clause_model import extract_rules
from clausal.rules import patterns
from clausal.rules import simplify as joins
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import simplify
from tests.support.rule_models import NAMES, POLICIES, TABLE, assert_text_is_true, machine, setting, votes
from tests.support.small_data import quick, table

pytestmark = pytest.mark.filterwarnings("ignore::clausal.encoding.values.UnseenValueWarning")

TABLES = ["ncb", "mdt", "no", "cd", "bt", "mco"]
REAL = 2**16


@st.composite
def machines(draw):
    """A setting, a random machine on its columns, and the names of its classes."""
    given = setting(draw(st.sampled_from(TABLES)), *draw(st.sampled_from(POLICIES)))
    n_classes, scale = draw(st.sampled_from([2, 3])), draw(st.sampled_from([1, REAL]))
    literal = st.integers(0, 2 * given.n_columns - 1)
    clause = st.tuples(
        st.sets(literal, max_size=4), st.integers(0, 4) if scale == 1 else st.integers(1, 3 * REAL)
    )
    n_clauses = 2 * draw(st.integers(1, 5))
    bank = st.lists(clause, min_size=n_clauses, max_size=n_clauses)
    clauses = [draw(bank) for _ in range(1 if n_classes == 2 else n_classes)]
    return given, machine(clauses, given.n_columns, scale), NAMES[n_classes]


def random_machine(seed):
    """As `machines`, from a seed: many short clauses, so that much can be joined."""
    random = Random(seed)
    given = setting(random.choice(TABLES), *random.choice(POLICIES))
    n_classes, scale = random.choice([2, 3]), random.choice([1, REAL])
    clauses = [
        [
            (
                set(random.choices(range(2 * given.n_columns), k=random.randint(1, 2))),
                random.randint(1, 3) * scale,
            )
            for _ in range(16)
        ]
        for _ in range(1 if n_classes == 2 else 3)
    ]
    return given, machine(clauses, given.n_columns, scale), NAMES[n_classes]


def assert_exact(simplifier, given, model, names):
    """The simplifier's rules vote as the arrays do on every row, are no longer, and say it for good."""
    raw = extract_rules(model, given.booleanizer, names)
    rules = simplifier(raw)
    expected = votes(model, given.bits)
    for each in (raw, rules):
        np.testing.assert_array_equal(each.votes(given.X), expected)
        assert each.votes(given.X).dtype == expected.dtype
    assert raw.n_literals == model.n_literals
    assert rules.n_literals <= raw.n_literals
    assert rules.n_rules <= raw.n_rules
    again = simplifier(rules)
    assert again == rules
    assert str(again) == str(rules)
    return rules


@given(machines())
def test_simplified_rules_vote_as_the_machine_does(drawn):
    given, model, names = drawn
    rules = assert_exact(simplify, given, model, names)
    assert all(rule.points for rule in rules)
    decided = rules.decide(rules.votes(given.X))
    np.testing.assert_array_equal(rules.predict(given.X), np.array(names)[decided])


@given(machines())
def test_every_printed_rule_is_true_of_the_rows_on_which_it_holds(drawn):
    given, model, names = drawn
    for rule in simplify(extract_rules(model, given.booleanizer, names)):
        assert_text_is_true(rule, given)


@given(machines())
def test_a_person_who_adds_up_the_printed_points_decides_as_the_machine_does(drawn):
    given, model, names = drawn
    rules = simplify(extract_rules(model, given.booleanizer, names))
    totals = np.tile(np.array(rules.constants, np.float64), (len(given.bits), 1))
    for rule in rules:
        against = rule.speaks_for == names[0] if len(names) == 2 else rule.speaks_for.startswith("not ")
        name = rule.speaks_for.removeprefix("not ")
        bank = 0 if len(names) == 2 else names.index(name)
        totals[rule.holds(given.bits), bank] += abs(rule.points) * (-1 if against else 1)
    np.testing.assert_array_equal(
        totals.squeeze(axis=1) if len(names) == 2 else totals, votes(model, given.bits)
    )


@given(machines())
def test_rules_survive_json(drawn):
    given, model, names = drawn
    rules = simplify(extract_rules(model, given.booleanizer, names))
    read = RuleSet.from_json(rules.to_json())
    assert read == rules
    assert read.to_json() == rules.to_json()
    assert str(read) == str(rules)
    np.testing.assert_array_equal(read.votes(given.X), votes(model, given.bits))
    assert RuleSet.from_dict(rules.to_dict()) == rules


# --- fitted estimators ---


@pytest.mark.parametrize("weighting", ["integer", "real", "rwtla", "cpl_ats"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("mode", ["auto", "paper"])
def test_the_rules_of_a_fitted_machine_vote_as_it_does_on_every_row(mode, n_classes, weighting):
    features = "nmcot"
    y = np.arange(len(TABLE)) % n_classes
    booleanizer = Booleanizer(mode, handle_unknown="no_match")
    clf = quick(n_clauses=20, threshold=6, n_epochs=10, booleanizer=booleanizer, weighting=weighting)
    clf.fit(TABLE[list(features)], y)
    X = setting(features, mode, "no_match", "error").X
    assert len(clf.rules_) > 3
    np.testing.assert_array_equal(clf.rules_.votes(X), clf.votes(X))
    np.testing.assert_array_equal(clf.rules_.predict(X), clf.predict(X))


def test_rules_are_made_once_per_model():
    X, y = TABLE[["n", "b"]], np.arange(len(TABLE)) % 2
    clf = quick().fit(X, y)
    assert clf.rules_ is clf.rules_
    for twin in (copy.deepcopy(clf), pickle.loads(pickle.dumps(clf))):
        assert twin.rules_ == clf.rules_
        assert twin.rules_.encoding is twin.encoding_
    assert not any("rules" in name for name in clf.get_params())
    before = clf.rules_
    clf.fit(X, 1 - y)
    assert clf.rules_ != before
    clf.partial_fit(X, y)
    np.testing.assert_array_equal(clf.rules_.votes(X), clf.votes(X))


def test_rules_follow_a_booleanizer_that_is_told_to_accept_more():
    X, y = TABLE[["c"]], np.array([0, 0, 1, 0, 0, 1])
    clf = quick(n_epochs=20).fit(X, y)
    strict = clf.rules_
    clf.set_policy(handle_unknown="no_match")
    others = X.assign(c=["a", "b", "c", "other", "other", "other"])
    np.testing.assert_array_equal(clf.rules_.votes(others), clf.votes(others))
    assert clf.rules_ is not strict


# --- simplifiers that are wrong ---


def drops_a_literal(rules):
    shorter = simplify(rules)
    changed = [replace(rule, literals=rule.literals[1:]) for rule in shorter[:1]]
    return shorter.with_rules([*changed, *shorter[1:]])


def forgets_the_constant(rules):
    return rules.with_rules(simplify(rules), [constant * 0 for constant in rules.constants])


def merges_over_banks(rules):
    first = {}
    moved = [replace(rule, bank=first.setdefault(rule.literals, rule.bank)) for rule in rules]
    return simplify(rules.with_rules(moved))


def takes_rules_for_equal_that_are_not(rules):
    """By features alone, without their patterns."""
    merged = {}
    for rule in rules:
        key = rule.bank, rule.features
        known = merged.get(key, replace(rule, points=0))
        merged[key] = replace(known, points=known.points + rule.points)
    return simplify(rules.with_rules(merged.values()))


def loses_a_rule(rules):
    return simplify(rules)[:-1]


def keeps_cancelled_points(rules):
    return simplify(rules.with_rules(replace(rule, points=abs(rule.points)) for rule in rules))


def shares(pick, rest):
    """A join of two sides that shares and keeps points in a way of its own."""

    def shared(apart):
        (small, least), (large, most) = sorted(apart.items(), key=lambda item: abs(item[1]))
        if least * most <= 0:
            return []
        return [joins._without_zeros({small | large: pick(least, most), large: rest(least, most)})]

    return shared


PATCHES = {
    "max in place of min": (joins, "_shared", shares(lambda a, b: b, lambda a, b: b - a)),
    "adds where it should subtract": (joins, "_shared", shares(lambda a, b: a, lambda a, b: a + b)),
    "keeps all of the larger": (joins, "_shared", shares(lambda a, b: a, lambda a, b: b)),
    "loses the rest": (joins, "_shared", shares(lambda a, b: a, lambda a, b: 0)),
    "takes any parts for a whole": (joins, "exact_cover", lambda sets, full: tuple(sets)[:2]),
    "forgets values that match no column": (patterns, "_can_match_none", lambda feature, booleanizer: False),
}
MUTANTS = [
    drops_a_literal,
    forgets_the_constant,
    merges_over_banks,
    takes_rules_for_equal_that_are_not,
    loses_a_rule,
    keeps_cancelled_points,
]


def caught(simplifier, n_machines=60):
    """How many of some random machines show that the simplifier is wrong."""
    count = 0
    for seed in range(n_machines):
        try:
            assert_exact(simplifier, *random_machine(seed))
        except AssertionError:
            count += 1
    return count


def test_the_right_simplifier_is_not_caught():
    assert caught(simplify, n_machines=150) == 0


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_wrong_simplifier_is_caught(mutant):
    assert caught(mutant) > 0


@pytest.mark.parametrize("change", PATCHES)
def test_a_wrong_join_is_caught(change, monkeypatch):
    module, name, wrong = PATCHES[change]
    monkeypatch.setattr(module, name, wrong)
    monkeypatch.setattr(joins.Joiner, "_cover", bounded(joins.Joiner._cover))
    assert caught(simplify) > 0


def bounded(function):
    """Give up on loops that a wrong step would never end."""
    calls = []

    def called(*arguments):
        calls.append(1)
        if len(calls) > 20_000:
            raise AssertionError("it does not end")
        return function(*arguments)

    return called


def test_a_policy_that_does_not_exist_is_refused():
    clf = quick().fit(*table())
    for change, error, match in (
        ({"handle_unknown": "Error"}, ValueError, "'handle_unknown' parameter .* Got 'Error'"),
        ({"handle_missing": [3]}, ValueError, "'handle_missing' parameter .* Got"),
        ({"foo": "x"}, TypeError, "A policy has handle_unknown and handle_missing. Got 'foo'"),
    ):
        with pytest.raises(error, match=match):
            clf.set_policy(**change)
