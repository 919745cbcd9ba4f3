"""Merged machines: votes are sums, everything that reads a machine works, and what differs is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from clausal import Booleanizer, TsetlinClassifier, load, merge

RNG = np.random.default_rng(0)
ROWS = RNG.integers(0, 2, (240, 7)).astype(np.uint8)
LABELS = np.where(ROWS[:, 0] & ROWS[:, 1], "a", np.where(ROWS[:, 2], "b", "c"))
TWO = np.where(LABELS == "a", 1, 0)
MACHINE = TsetlinClassifier(12, n_epochs=4, booleanizer=None, random_state=0)


def shards(y, n=3, machine=MACHINE, **others):
    machine = clone(machine).set_params(**others)
    return [clone(machine).set_params(random_state=k).fit(ROWS[k::n], y[k::n]) for k in range(n)]


@settings(max_examples=12, deadline=None)
@given(
    st.integers(1, 4),
    st.sampled_from([LABELS, TWO]),
    st.sampled_from(["integer", "none", "real", "rwtla", "cpl_ats"]),
    st.integers(0, 100),
)
def test_votes_are_the_sum_of_votes(n, y, weighting, seed):
    parts = shards(y, n, weighting=weighting, random_state=seed)
    merged = merge(parts)
    assert np.array_equal(merged.votes(ROWS), sum(part.votes(ROWS) for part in parts))
    assert np.array_equal(merged.rules_.votes(ROWS), merged.votes(ROWS))
    assert merged.n_literals_ == sum(part.n_literals_ for part in parts)
    assert merged.transform(ROWS).shape[1] == sum(part.transform(ROWS).shape[1] for part in parts)


def test_parameters_are_sums_or_those_of_all():
    parts = shards(TWO)
    parts[1].set_params(specificity=5.0)
    merged = merge(parts)
    assert (merged.n_clauses, merged.threshold, merged.specificity) == (36, 3 * 64 * 12, "auto")
    assert (merged.n_epochs, merged.random_state, merged.booleanizer) == (4, None, None)
    assert merged.model_.threshold == 3 * 64 * 12
    assert (merged.n_iter_, merged.history_) == (4, {})


def test_probabilities_are_those_of_the_sum_of_thresholds():
    parts = shards(TWO)
    merged = merge(parts)
    threshold = merged.model_.threshold
    expected = (np.clip(merged.votes(ROWS), -threshold, threshold) + threshold) / (2 * threshold)
    found = merged.predict_proba(ROWS)[:, 1]
    assert np.allclose(found, expected, atol=1 / threshold)  # a vote of 0 is no tie


def test_machines_that_chose_their_settings():
    rows, y = np.tile(ROWS, (2, 1)), np.tile(TWO, 2)
    parts = [TsetlinClassifier(booleanizer=None, random_state=k).fit(rows, y) for k in range(2)]
    merged = merge(parts)
    assert np.array_equal(merged.votes(ROWS), sum(part.votes(ROWS) for part in parts))
    assert merged.chosen_.groups == parts[0].chosen_.groups + parts[1].chosen_.groups
    assert merged.chosen_.slope == (parts[0].chosen_.slope + parts[1].chosen_.slope) / 4
    p = merged.predict_proba(ROWS)[:, 1]
    assert np.allclose(np.log(p / (1 - p)), merged.chosen_.slope * (merged.votes(ROWS) + 0.5))


@pytest.mark.parametrize("y", [LABELS, TWO])
def test_file_and_exports(y, tmp_path):
    merged = merge(shards(y))
    merged.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert np.array_equal(loaded.votes(ROWS), merged.votes(ROWS))
    assert np.array_equal(loaded.predict_proba(ROWS), merged.predict_proba(ROWS))
    assert "def " in merged.export("python")
    assert merged.export("python") == loaded.export("python")


def test_training_goes_on_from_a_merged_machine():
    merged = merge(shards(TWO))
    before = merged.votes(ROWS)
    merged.partial_fit(ROWS, TWO)
    assert merged.model_.n_clauses == 36
    assert not np.array_equal(merged.votes(ROWS), before)


def test_the_machines_stay_as_they_are():
    parts = shards(TWO)
    votes = [part.votes(ROWS) for part in parts]
    merge(parts).partial_fit(ROWS, TWO)
    assert all(np.array_equal(part.votes(ROWS), own) for part, own in zip(parts, votes, strict=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weighting": "real"}, r"have the same weighting. Got 'integer' in the first and 'real'"),
        ({"max_weight": 9}, r"models must have the same max_weight. Got None in the first and 9 in number 2"),
        ({"n_states": 20}, r"models must have the same n_states. Got 128 in the first and 20 in number 2"),
        ({"pos_label": 0}, r"models must have the same pos_label_. Got 1 in the first and 0 in number 2"),
    ],
)
def test_other_parameters(change, message):
    with pytest.raises(ValueError, match=message):
        merge([clone(MACHINE).fit(ROWS, TWO), clone(MACHINE).set_params(**change).fit(ROWS, TWO)])


def test_other_classes():
    with pytest.raises(ValueError, match=r"same classes. Got \[0, 1\] in the first and \['a', 'b', 'c'\]"):
        merge([clone(MACHINE).fit(ROWS, TWO), clone(MACHINE).fit(ROWS, LABELS)])


def test_other_encodings():
    pd = pytest.importorskip("pandas")
    numbers = pd.DataFrame(RNG.normal(size=(240, 2)), columns=["age", "dose"])
    machine = clone(MACHINE).set_params(booleanizer=Booleanizer(max_columns=3))
    fitted = [clone(machine).fit(numbers[k::2], TWO[k::2]) for k in range(2)]
    with pytest.raises(ValueError, match=r"Number 2 has other columns of 'age', 'dose' than the first"):
        merge(fitted)
    renamed = clone(machine).fit(numbers.rename(columns={"dose": "mg"}), TWO)
    with pytest.raises(ValueError, match=r"has the feature 'mg' where the first has 'dose'"):
        merge([fitted[0], renamed])
    with pytest.raises(ValueError, match=r"has 1 features, the first 2"):
        merge([fitted[0], clone(machine).fit(numbers[["age"]], TWO)])
    strict = clone(machine).fit(numbers[::2], TWO[::2]).set_policy(handle_unknown="error")
    with pytest.raises(ValueError, match=r"has Policy.*error.*, the first Policy"):
        merge([fitted[0], strict])


def test_chosen_and_given_settings():
    chosen = TsetlinClassifier(booleanizer=None, random_state=0).fit(ROWS, TWO)
    with pytest.raises(ValueError, match=r"either all have settings that `fit` chose, or none of them"):
        merge([chosen, clone(MACHINE).fit(ROWS, TWO)])


def test_what_is_no_list_of_fitted_machines():
    with pytest.raises(TypeError, match=r"a list of fitted TsetlinClassifiers. Got TsetlinClassifier"):
        merge(clone(MACHINE).fit(ROWS, TWO))
    with pytest.raises(TypeError, match=r"Got one of type str"):
        merge(["machine.json"])
    with pytest.raises(ValueError, match=r"at least 1 fitted TsetlinClassifier. Got 0"):
        merge([])
    with pytest.raises(NotFittedError):
        merge([clone(MACHINE)])


def test_too_many_clauses_or_too_large_a_threshold():
    large = clone(MACHINE).set_params(threshold=2**30, n_epochs=1).fit(ROWS, TWO)
    with pytest.raises(ValueError, match=r"must add up to at most 1073741824. Got 2147483648"):
        merge([large, large])
