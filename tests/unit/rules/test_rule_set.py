"""Rules as tests, a RuleSet as a model and a sequence, and how rules are read off a model's arrays."""

import copy
import pickle

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.exceptions import NotFittedError

from clausal import Booleanizer
from clausal.machine.clause_model import ClauseModel, extract_rules
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

BOOLEANIZER = Booleanizer().fit(
    pd.DataFrame({"age": [54.0, 55.0, 54.0, 54.0], "dose": [0.25, 0.25, 0.75, None]})
)
AGE, DOSE, _ = BOOLEANIZER.columns_
BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8)
CLASSES = ["well", "sick"]


def rule_set(*rules):
    return RuleSet(rules, BOOLEANIZER, CLASSES)


def rule(points=1, *literals):
    return Rule(tuple(Literal(*literal) for literal in literals), points, "sick" if points > 0 else "well")


def test_a_literal_is_both_text_and_test():
    literal, negated = Literal(DOSE, 1, False), Literal(DOSE, 1, True)
    assert (str(literal), str(negated)) == ("dose <= 0.5", "dose > 0.5 or missing")
    assert literal.holds(BITS).tolist() == [False, True, False, True]
    assert negated.holds(BITS).tolist() == [True, False, True, False]
    assert literal.holds(BITS.astype(bool)).tolist() == [False, True, False, True]


def test_a_rule_is_the_and_of_its_literals():
    both = rule(3, (AGE, 0, False), (DOSE, 1, True))
    assert str(both) == "age <= 54 and (dose > 0.5 or missing)"
    assert str(rule(3, (DOSE, 1, True))) == "dose > 0.5 or missing"
    assert both.holds(BITS).tolist() == [False, False, True, False]
    assert both.holds(BITS).dtype == bool


def test_a_rule_without_conditions_holds_everywhere():
    assert rule(1).holds(BITS).tolist() == [True] * 4
    assert rule(1).holds(BITS[:0]).shape == (0,)


def test_a_rule_set_is_a_sequence():
    first, second, third = rule(3, (AGE, 0, False)), rule(-2, (DOSE, 1, False)), rule(1, (AGE, 0, True))
    rules = rule_set(first, second, third)
    assert len(rules) == 3
    assert list(rules) == [first, second, third]
    assert rules[0] is first
    assert rules[-1] is third
    assert isinstance(rules[1:], RuleSet)
    assert list(rules[1:]) == [second, third]
    assert second in rules
    assert rules.n_literals == 3
    assert repr(rules) == "RuleSet of 3 rules, 3 literals"
    with pytest.raises(IndexError):
        rules[3]


# --- votes ---


def test_votes_are_constant_plus_points_of_the_rules_that_hold():
    X = pd.DataFrame({"age": [54, 60, 54, 60], "dose": [0.25, 0.25, None, 0.75]})
    rules = RuleSet([rule(3, (AGE, 0, False)), rule(-5, (DOSE, 1, True)), rule(1)], BOOLEANIZER, CLASSES, [2])
    assert rules.fires(X).tolist() == [
        [True, False, True],
        [False, False, True],
        [True, True, True],
        [False, True, True],
    ]
    assert rules.votes(X).tolist() == [6, 3, 1, -2]
    assert rules.votes(X).dtype == np.int64
    assert rules.predict(X).tolist() == ["sick", "sick", "sick", "well"]


def test_points_or_constants_that_are_fractions_make_votes_fractions():
    X = pd.DataFrame({"age": [54, 60], "dose": [0.25, 0.25]})
    assert RuleSet([rule(0.5, (AGE, 0, False))], BOOLEANIZER, CLASSES).votes(X).tolist() == [0.5, 0]
    assert RuleSet([rule(1, (AGE, 0, False))], BOOLEANIZER, CLASSES, [0.5]).votes(X).tolist() == [1.5, 0.5]
    assert RuleSet([], BOOLEANIZER, CLASSES, [0.0]).votes(X).dtype == np.float64
    assert RuleSet([], BOOLEANIZER, CLASSES).votes(X).dtype == np.int64


def test_more_classes_have_a_vote_each_and_ties_go_to_the_first():
    X = pd.DataFrame({"age": [54, 60], "dose": [0.25, 0.25]})
    rules = [rule(2, (AGE, 0, False)), Rule((Literal(AGE, 0, True),), 3, "", bank=2)]
    three = RuleSet(rules, BOOLEANIZER, ["a", "b", "c"], [0, 2, 0])
    assert three.votes(X).tolist() == [[2, 2, 0], [0, 2, 3]]
    assert three.votes(X).flags.c_contiguous
    assert three.predict(X).tolist() == ["a", "c"]


@pytest.mark.parametrize("kind", ["array", "bool", "sparse", "pandas"])
def test_many_rows_of_any_kind_of_bits_give_what_each_rule_says(kind):
    bits = np.random.RandomState(0).randint(0, 2, (10_000, 3)).astype(np.uint8)
    rules = rule_set(rule(3, (AGE, 0, False), (DOSE, 1, True)), rule(1), rule(-2, (DOSE, 1, False)))
    as_kind = {
        "array": np.array,
        "bool": lambda b: b.astype(bool),
        "sparse": csr_matrix,
        "pandas": pd.DataFrame,
    }
    fires = rules.fires_on(as_kind[kind](bits))
    assert np.array_equal(fires, np.c_[[each.holds(bits) for each in rules]].T)
    assert rule_set().fires_on(as_kind[kind](bits)).shape == (10_000, 0)


def test_votes_do_not_depend_on_what_output_scikit_learn_is_set_to():
    X = pd.DataFrame({"age": [54, 60], "dose": [0.25, 0.25]})
    own = Booleanizer().fit(X.assign(dose=[0.25, 0.75])).set_output(transform="pandas")
    rules = RuleSet([rule(3, (own.columns_[0], 0, False))], own, CLASSES)
    with config_context(transform_output="polars"):
        assert rules.votes(X).tolist() == [3, 0]


# --- what it is made of ---


def test_only_what_fits_together_makes_a_rule_set():
    one = rule(1, (AGE, 0, False))
    for arguments, words in [
        (([one], BOOLEANIZER, ["a"]), "classes must list at least 2 labels. Got an array of shape .1,."),
        (([one], BOOLEANIZER, [["a", "b"]]), "classes must list at least 2 labels"),
        (([one], BOOLEANIZER, ["a", "a"]), "classes must list different labels"),
        (([one], BOOLEANIZER, CLASSES, [1, 2]), "constants must have one number per bank .1.. Got 2."),
        (([one], BOOLEANIZER, ["a", "b", "c"], [1]), "constants must have one number per bank .3.. Got 1."),
        (([one], BOOLEANIZER, CLASSES, ["1"]), "constants must be a finite number. Got '1'."),
        (([one], BOOLEANIZER, CLASSES, [float("nan")]), "constants must be a finite number. Got nan."),
        (([one, "x"], BOOLEANIZER, CLASSES), "rules.1. must be a Rule. Got 'x'."),
        (([Rule((), 1, "", bank=1)], BOOLEANIZER, CLASSES), "rules.0..bank must be from 0 to 0. Got 1."),
        (
            ([rule(1, (AGE, 3, False))], BOOLEANIZER, CLASSES),
            "literals must be at positions from 0 to 2. Got 3.",
        ),
        (
            ([rule(1, (AGE, 1, False))], BOOLEANIZER, CLASSES),
            "column at position 1, 'dose <= 0.5'. Got 'age <= 5",
        ),
        (([rule(True)], BOOLEANIZER, CLASSES), "points must be a finite number. Got True."),
        (([rule(float("inf"))], BOOLEANIZER, CLASSES), "points must be a finite number. Got inf."),
        (([rule(2**63)], BOOLEANIZER, CLASSES), "points must be at most 2..62 in size"),
        (([rule(2**62), rule(1)], BOOLEANIZER, CLASSES), "must add up to less than 2..62 in size"),
        (([rule(1.7e308), rule(-1.7e308)], BOOLEANIZER, CLASSES), "must add up to less than"),
    ]:
        with pytest.raises(ValueError, match=words):
            RuleSet(*arguments)
    with pytest.raises(NotFittedError):
        RuleSet([], Booleanizer(), CLASSES)


def test_points_are_plain_numbers_and_speak_for_the_class_they_move_the_vote_to():
    rules = rule_set(Rule((), np.int64(3), "whoever"), Rule((), np.float32(-0.5), "whoever"))
    assert [(r.points, r.speaks_for) for r in rules] == [(3, "sick"), (-0.5, "well")]
    assert [type(r.points) for r in rules] == [int, float]
    several = RuleSet([Rule((), 2, "", 1), Rule((), -1, "", 2)], BOOLEANIZER, ["a", "b", "missing"])
    assert [r.speaks_for for r in several] == ["b", "not 'missing'"]


def test_classes_cannot_be_changed_by_accident():
    labels = np.array(CLASSES)
    rules = RuleSet([], BOOLEANIZER, labels)
    labels[0] = "odd"
    assert rules.classes.tolist() == CLASSES
    with pytest.raises(ValueError, match="read-only"):
        rules.classes[0] = "odd"


def test_equal_are_the_same_rules_in_the_same_order_on_the_same_table():
    first, second = rule(3, (AGE, 0, False)), rule(-2, (DOSE, 1, False))
    rules = rule_set(first, second)
    table = pd.DataFrame({"age": [54.0, 55.0, 54.0, 54.0], "dose": [0.25, 0.25, 0.75, None]})
    assert rules == RuleSet([first, second], Booleanizer().fit(table), CLASSES, [0])
    for other in (
        rule_set(second, first),
        rule_set(first),
        RuleSet([first, second], BOOLEANIZER, CLASSES, [1]),
        RuleSet([first, second], BOOLEANIZER, ["well", "sick+"]),
        RuleSet([first, second], Booleanizer(handle_missing="as_false").fit(table), CLASSES),
        [first, second],
    ):
        assert rules != other
    again = RuleSet([first, second], Booleanizer().fit(table), CLASSES, [0])
    assert {rules: "found"}[again] == "found"


def test_a_rule_set_cannot_be_changed():
    rules = RuleSet([rule(1, (AGE, 0, False))], BOOLEANIZER, CLASSES)
    for name in ("constants", "encoding", "outcome", "_rules", "new"):
        with pytest.raises(AttributeError, match="A RuleSet cannot be changed"):
            setattr(rules, name, None)
    with pytest.raises(AttributeError, match="A RuleSet cannot be changed"):
        del rules.constants
    with pytest.raises(ValueError, match="read-only"):
        rules.classes[0] = "other"
    lenient = rules.with_encoding(rules.encoding.with_policy(handle_missing="as_false"))
    assert (lenient.encoding.policy.handle_missing, rules.encoding.policy.handle_missing) == (
        "as_false",
        "no_rule",
    )
    with pytest.raises(AttributeError):
        rules.encoding.policy = None


def test_copies_and_pickles_are_equal():
    rules = rule_set(rule(3, (AGE, 0, False)), rule(-2, (DOSE, 1, False)))
    rules.fires_on(np.zeros((1, 3)))
    for twin in (copy.copy(rules), copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):
        assert twin == rules
        assert twin.fires_on(np.ones((1, 3))).tolist() == [[True, True]]


# --- tables ---


@pytest.mark.parametrize("backend", [None, "pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_per_rule(backend):
    rules = rule_set(rule(12, (AGE, 0, False)), rule(-3, (DOSE, 1, True), (AGE, 0, True)))
    frame = nw.from_native(rules.to_frame(backend))
    assert frame.to_dict(as_series=False) == {
        "points": [12, -3],
        "speaks_for": ["sick", "well"],
        "rule": ["age <= 54", "(dose > 0.5 or missing) and age > 54"],
        "n_literals": [1, 2],
        "bank": [0, 0],
    }
    assert len(rule_set().to_frame(backend)) == 0


# --- rules read off a model ---


def model(include, points, scale=1):
    """A model of one bank with N = 2 whose clauses include these literals (of age and dose, both signs)."""
    wide = np.insert(include, [2, 4], 0, axis=1)  # `dose is missing` and its negation
    states = np.where(wide[None], 3, 0).astype(np.uint8)
    points = np.array([points], np.int32)
    return ClauseModel(states, points, points, n_states=2, threshold=5, scale=scale, seed=0, step=0)


def test_rules_are_the_clauses_that_can_vote():
    include = [
        [1, 0, 0, 0],  # age <= 54, for
        [0, 0, 1, 1],  # both negated, against
        [0, 0, 0, 0],  # empty
        [1, 1, 0, 0],  # weight 0
        [0, 1, 0, 1],  # a contradiction: never holds, yet it is a clause
        [0, 1, 0, 0],
    ]
    rules = extract_rules(model(include, [2, 7, 9, 0, 1, 2]), BOOLEANIZER, CLASSES)
    assert [(r.points, r.speaks_for, str(r)) for r in rules] == [
        (-7, "well", "age > 54 and (dose > 0.5 or missing)"),
        (2, "sick", "age <= 54"),
        (-2, "well", "dose <= 0.5"),
        (1, "sick", "dose <= 0.5 and (dose > 0.5 or missing)"),
    ]
    assert all(type(r.points) is int for r in rules)
    assert not rules[3].holds(BITS).any()


def test_points_of_real_weights_are_weights():
    rules = extract_rules(model([[1, 0, 0, 0], [0, 1, 0, 0]], [3, 8], scale=4), BOOLEANIZER, CLASSES)
    assert [r.points for r in rules] == [-2.0, 0.75]
