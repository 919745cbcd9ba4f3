"""What votes mean: decisions, margins, names, and the landmarks of the probabilities."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.outcome import make_outcome


def binary_probabilities(votes, threshold):
    return make_outcome(["no", "yes"]).machine_probabilities(votes[:, None], threshold, 1)


def multiclass_probabilities(votes, threshold, scale):
    return make_outcome(range(votes.shape[1])).machine_probabilities(votes, threshold, scale)


def test_two_classes_at_the_landmarks():
    votes = np.array([-1000, -11, -10, -1, 0, 10, 11, 1000])
    positive = binary_probabilities(votes, 10)[:, 1]
    expected = [0, 0, (1 - 9.5 / 10.5) / 2, (1 - 0.5 / 10.5) / 2, (1 + 0.5 / 10.5) / 2, 1, 1, 1]
    np.testing.assert_allclose(positive, expected)


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=20), st.integers(1, 2**46))
def test_two_classes_sum_to_one_rise_and_agree_with_the_sign(votes, threshold):
    votes = np.sort(np.array(votes, np.int64))
    probabilities = binary_probabilities(votes, threshold)
    assert probabilities.shape == (len(votes), 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert (np.diff(probabilities[:, 1]) >= 0).all()
    assert np.array_equal(probabilities[:, 1] > 0.5, votes >= 0)


@pytest.mark.parametrize(("n_classes", "r"), [(3, 1 / 3), (3, 0.8), (5, 0.2), (5, 0.5), (10, 0.05)])
def test_more_classes_undo_what_a_uniform_negative_does(n_classes, r):
    q = r / (r + (1 - r) / (n_classes - 1))  # where a bank settles for true probability r
    others = (1 - r) / (n_classes - 1)
    q_other = others / (others + (1 - others) / (n_classes - 1))
    threshold = 10**9  # so large that rounding votes to whole numbers does not show
    votes = np.rint(threshold * (2 * np.array([[q] + [q_other] * (n_classes - 1)]) - 1)).astype(np.int64)
    probabilities = multiclass_probabilities(votes, threshold, 1)
    np.testing.assert_allclose(probabilities[0], [r] + [others] * (n_classes - 1), rtol=1e-6)


@given(
    st.lists(st.lists(st.integers(-(10**6), 10**6), min_size=4, max_size=4), min_size=1, max_size=9),
    st.integers(1, 10**6),
)
def test_more_classes_sum_to_one_and_keep_the_order_of_votes(rows, threshold):
    votes = np.array(rows, np.int64)
    probabilities = multiclass_probabilities(votes, threshold, 1)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (probabilities > 0).all()
    for vote, probability in zip(votes, probabilities, strict=True):
        for i in range(4):
            for j in range(4):
                assert (vote[i] < vote[j]) == (probability[i] < probability[j])


def test_the_scale_of_real_weights_cancels():
    votes = np.array([[5, -3, 0], [100, 7, -20]])
    np.testing.assert_allclose(
        multiclass_probabilities(votes * 65536, 8 * 65536, 65536), multiclass_probabilities(votes, 8, 1)
    )


def votes_of(outcome, n_rows=200, seed=0):
    return np.random.RandomState(seed).randint(-3, 4, (n_rows, outcome.n_banks))


OUTCOMES = [make_outcome(labels) for labels in (["no", "yes"], [0, 1, 2], list("abcd"))]


def holds(test, votes):
    other = 0 if test.other is None else votes[test.other]
    return votes[test.bank] < other if test.below else votes[test.bank] >= other


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_decision_list_decides_as_decide_does(outcome):
    votes = votes_of(outcome)
    for row, decided in zip(votes, outcome.decide(votes), strict=True):
        first = next(case for case in outcome.decision_list() if all(holds(t, row) for t in case.tests))
        assert first.class_index == decided


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_class_leads_where_it_is_decided_for(outcome):
    votes = votes_of(outcome).astype(float)
    decided = outcome.decide(votes)
    for k in range(len(outcome.classes)):
        leads = outcome.leads(votes, k)
        assert (leads[decided == k] >= 0).all()
        assert (leads[decided != k] <= 0).all()
    assert (outcome.margins(votes, decided) >= 0).all()


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_shapes_go_there_and_back(outcome):
    votes = votes_of(outcome)
    assert np.array_equal(outcome.banked(outcome.flat(votes)), votes)
    assert outcome.flat(votes).ndim == (1 if outcome.positive is not None else 2)
    assert outcome.flat(np.zeros((5, outcome.n_banks, 7)), axis=1).shape[0] == 5


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_points_speak_for_the_rows_that_they_support(outcome):
    codes = np.arange(len(outcome.classes))
    for bank in range(outcome.n_banks):
        for points in (1, -1):
            said, supported = outcome.speaks_for(bank, points), outcome.supports(bank, points, codes)
            names = [name for name, own in zip(outcome.class_names, supported, strict=True) if own]
            assert names == [said] or said not in names


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_contrast_is_won_by_the_class_decided_for(outcome):
    votes = votes_of(outcome).astype(float)
    for row, decided in zip(votes, outcome.decide(votes), strict=True):
        contrast = outcome.contrast(int(decided), row)
        assert sum(row[bank] * sign for bank, sign in contrast.signs.items()) >= 0
        assert contrast.towards.startswith(outcome.class_names[decided])


def test_what_always_wins_is_found():
    two, three = OUTCOMES[:2]
    assert two.always([0], [4])[0] == "yes"
    assert two.always([-3], [-1])[0] == "no"
    assert two.always([-3], [0]) is None
    assert three.always([1, 5, 0], [4, 9, 5])[0] == "class 1"
    assert three.always([1, 4, 0], [4, 9, 5]) is None


def test_equal_labels_of_the_same_type_are_the_same_outcome():
    assert make_outcome(["a", "b"]) == make_outcome(np.array(["a", "b"]))
    assert hash(make_outcome(["a", "b"])) == hash(make_outcome(np.array(["a", "b"])))
    objects = make_outcome(np.array(["a", "b"], dtype=object))
    assert objects == make_outcome(["a", "b"])
    assert hash(objects) == hash(make_outcome(["a", "b"]))
    assert make_outcome([0, 1]) != make_outcome([False, True])
    assert make_outcome(["a", "b"]) != make_outcome(["b", "a"])


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_cannot_be_changed(outcome):
    with pytest.raises(ValueError, match="read-only"):
        outcome.classes[0] = outcome.classes[1]
    with pytest.raises(ValueError, match="WRITEABLE"):
        outcome.classes.setflags(write=True)
    with pytest.raises(AttributeError, match="An Outcome cannot be changed. Got a new value of 'classes'"):
        outcome.classes = np.array(["a", "b"])
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_votes_get_different_names():
    assert OUTCOMES[0].vote_names("score") == ("score",)
    assert OUTCOMES[1].vote_names() == ("vote_0", "vote_1", "vote_2")
    assert make_outcome(["a", "A", "b"]).vote_names() == ("vote_0", "vote_1", "vote_2")


@pytest.mark.parametrize(("labels", "positive"), [(["bad", "good"], "good"), (["good", "bad"], "bad")])
def test_the_second_of_two_classes_is_positive_and_labels_keep_their_order(labels, positive):
    outcome = make_outcome(labels)
    assert outcome.pos_label == positive
    assert outcome.labels.tolist() == ["bad", "good"]
    assert not outcome.labels.flags.writeable
    votes = votes_of(outcome)
    decided = outcome.classes[outcome.decide(votes)]
    assert np.array_equal(decided == positive, votes[:, 0] >= 0)
    assert np.array_equal(outcome.labels[(outcome.scores(votes) > 0).astype(int)], decided)
    probabilities = outcome.calibrated_probabilities(votes, 1.0, 0.0)
    by_label = outcome.by_label(probabilities)
    assert np.array_equal(by_label[:, outcome.labels.tolist().index(positive)], probabilities[:, 1])
    assert np.array_equal(outcome.by_label(by_label), probabilities)


def test_of_more_classes_none_is_positive():
    outcome = OUTCOMES[1]
    assert outcome.pos_label is None
    assert outcome.labels.tolist() == [0, 1, 2]
    assert outcome.by_label(np.eye(3)).tolist() == np.eye(3).tolist()


def test_a_class_stands_beside_points_only_if_rules_differ_in_it():
    assert make_outcome([0, 1]).class_cells(0) == ()
    assert [OUTCOMES[1].class_cells(bank) for bank in range(3)] == [("class 0",), ("class 1",), ("class 2",)]


def test_sentences_say_how_points_become_a_decision():
    two = make_outcome([1, 0])
    assert two.how_to_vote([0]) == "Add the points of each rule that holds."
    assert two.how_to_vote([-3]) == "Start at -3 and add the points of each rule that holds."
    assert two.how_to_decide() == "Predicts class 0 if the total is 0 or more, else class 1."
    assert OUTCOMES[1].how_to_vote([0, 2, 0]).startswith("Start class 1 at 2, others at 0. Add the points")
