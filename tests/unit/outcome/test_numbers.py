"""What the votes of a regressor mean: a constant plus a unit times the vote, within bounds."""

import math
import pickle

import numpy as np
import pytest

from clausal.outcome import NumericOutcome, make_outcome

OUTCOME = NumericOutcome(0.5, 10.0, low=9.0, high=12.0)


def test_a_number_is_the_offset_and_the_unit_times_the_vote_within_bounds():
    votes = np.array([[-9], [-2], [-1], [0], [3], [4], [99]])
    assert OUTCOME.predictions(votes).tolist() == [9, 9, 9.5, 10, 11.5, 12, 12]
    assert OUTCOME.predictions(votes).dtype == np.float64
    assert NumericOutcome().predictions(votes).tolist() == [-9, -2, -1, 0, 3, 4, 99]
    assert OUTCOME.flat(votes).shape == (7,)
    assert np.array_equal(OUTCOME.banked(OUTCOME.flat(votes)), votes)


def test_sentences_say_how_points_become_a_number():
    assert OUTCOME.how_to_vote([0]) == "Add the points of each rule that holds."
    assert OUTCOME.how_to_vote([-3]) == "Start at -3 and add the points of each rule that holds."
    assert OUTCOME.how_to_decide() == "Predicts 10 + 0.5 times the total, at least 9 and at most 12."
    assert NumericOutcome().how_to_decide() == "Predicts the total."
    assert NumericOutcome(1, -2, high=7).how_to_decide() == "Predicts -2 + the total, at most 7."
    assert NumericOutcome(0.1, low=0).how_to_decide() == "Predicts 0.1 times the total, at least 0."
    assert (OUTCOME.speaks_for(0, 2), OUTCOME.speaks_for(0, -2)) == ("higher", "lower")
    assert OUTCOME.prediction_text(10.5) == "10.5"


def test_what_is_always_predicted_is_found():
    assert OUTCOME.always([4], [9]) == ("12", "no rule changes it")
    assert OUTCOME.always([1], [1])[0] == "10.5"
    assert OUTCOME.always([3], [9]) is None


def test_it_cannot_be_changed_and_equals_one_of_the_same_numbers():
    with pytest.raises(AttributeError, match="An Outcome cannot be changed. Got a new value of 'unit'"):
        OUTCOME.unit = 2.0
    assert pickle.loads(pickle.dumps(OUTCOME)) == OUTCOME
    assert hash(NumericOutcome(0.5, 10, 9, 12)) == hash(OUTCOME)
    assert make_outcome(OUTCOME) is OUTCOME
    others = [NumericOutcome(0.25, 10, 9, 12), NumericOutcome(0.5, 10), make_outcome([0, 1])]
    assert OUTCOME not in others


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"unit": 0.0}, "unit of a NumericOutcome must be above 0. Got 0.0"),
        ({"unit": math.nan}, "unit of a NumericOutcome must be a finite number. Got nan"),
        ({"offset": math.inf}, "offset of a NumericOutcome must be a finite number. Got inf"),
        ({"low": math.nan}, "low of a NumericOutcome must be a number. Got nan"),
        ({"low": 2.0, "high": 1.0}, "low of a NumericOutcome must be at most high, 1.0. Got 2.0"),
    ],
)
def test_impossible_numbers_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        NumericOutcome(**given)


@pytest.mark.parametrize("name", ["classes", "labels", "pos_label"])
def test_what_is_about_classes_is_refused(name):
    with pytest.raises(
        ValueError, match="is for models that predict one class per row. This one predicts numbers"
    ):
        getattr(OUTCOME, name)
    with pytest.raises(ValueError, match=r"Fairness is for models that predict one class per row\."):
        OUTCOME.require_classes("Fairness")
    with pytest.raises(ValueError, match=r"A cut-off is for models that predict one class per row\."):
        make_outcome(OUTCOME, 3)
    make_outcome(["a", "b"]).require_classes("Fairness")


VOTES = np.zeros((2, 1), np.int64)
OF_CLASSES = [
    ("by_label", VOTES),
    ("decide", VOTES),
    ("decision_list",),
    ("leads", VOTES, 0),
    ("margins", VOTES, VOTES[:, 0]),
    ("gains", VOTES, 0),
    ("contrast", 0, VOTES[0]),
    ("shares", VOTES[:, 0]),
    ("supports", 0, 1, VOTES[:, 0]),
    ("scores", VOTES),
    ("machine_probabilities", VOTES, 1, 1),
    ("class_votes", VOTES),
    ("calibrated_probabilities", VOTES, 1.0, 0.0),
]


@pytest.mark.parametrize("call", OF_CLASSES, ids=lambda call: call[0])
def test_nothing_is_decided(call):
    name, *arguments = call
    with pytest.raises(ValueError, match="predicts numbers"):
        getattr(OUTCOME, name)(*arguments)
