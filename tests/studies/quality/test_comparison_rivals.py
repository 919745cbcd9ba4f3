"""The rivals of the comparison: paths of models, how literals are counted, and the choice by validation."""

import importlib.util
import json

import numpy as np
import pandas as pd
import pytest

from studies.quality import outside, outside_worker, paths, selection
from studies.quality.bits import MAX_CUTS, Bits
from studies.quality.learners import LEARNERS
from studies.quality.selection import Candidate, choose

pytestmark = pytest.mark.filterwarnings("ignore")  # of other packages

PATHS = [name for name, learner in LEARNERS.items() if learner.path and not learner.environment]


@pytest.fixture(scope="module")
def table():
    """Numbers, categories and a boolean; the class depends on one of each."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=200),
            "letter": pd.Categorical(rng.choice(list("abc"), 200)),
            "flag": rng.random(200) < 0.5,
            "noise": rng.normal(size=200),
        }
    )
    y = ((X["number"] > 0).astype(int) + (X["letter"] == "a") + X["flag"] >= 2).to_numpy().astype(int)
    return X, y


@pytest.mark.parametrize("name", PATHS)
def test_a_path_grows_and_learns(name, table):
    learner = LEARNERS[name]
    if importlib.util.find_spec(learner.module) is None:
        pytest.skip(f"{learner.package} is installed by `make quality` only")
    X, y = table
    models = list(learner.path(X, y, 0))
    assert max(model.literals for model in models) > min(model.literals for model in models)
    for model in models:
        p = model.probabilities(X)
        assert p.shape == (200, 2)
        assert np.allclose(p.sum(1), 1)
        assert model.features <= min(4, model.literals)
    assert max(np.mean(model.probabilities(X).argmax(1) == y) for model in models) > 0.85


def test_inner_nodes_of_a_tree_are_its_literals_and_leaves_its_rules(table):
    first, second, *_ = paths.decision_tree(*table, 0)
    assert (first.literals, first.rules) == (1, 2)
    assert (second.literals, second.rules) == (2, 3)
    assert second.features == 2


def test_nonzero_coefficients_are_the_literals_of_l1(table):
    X, y = table
    models = list(paths.l1(X, y, 0))
    assert models[0].literals == 0
    assert [m.literals for m in models[::2]] == [m.literals for m in models[1::2]]
    with_one = next(m for m in models if m.literals >= 1)
    assert len(np.unique(with_one.probabilities(X)[:, 1].round(9))) <= 2**with_one.literals


def test_l1_has_a_regression_for_each_of_three_classes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=150)})
    y = np.digitize(X["a"], [-0.5, 0.5])
    *_, last = paths.l1(X, y, 0)
    p = last.probabilities(X)
    assert p.shape == (150, 3)
    assert np.mean(p.argmax(1) == y) > 0.9
    assert last.features == 1


def test_bits_have_at_most_twelve_cuts_and_one_column_for_two_values(table):
    X, _ = table
    bits = Bits().fit(X)
    count = {j: sum(bit.feature == j for bit in bits.columns) for j in range(4)}
    assert count == {0: MAX_CUTS, 1: 3, 2: 1, 3: MAX_CUTS}
    B = bits.transform(X)
    cut = bits.columns[4].value
    assert np.array_equal(B[:, 4], X["number"] <= cut)
    unseen = X.iloc[:1].assign(letter="z")
    assert bits.transform(unseen)[0, MAX_CUTS : MAX_CUTS + 3].tolist() == [0, 0, 0]


def model_of(literals):
    return paths.Model(lambda X: np.zeros((len(X), 2)), literals, literals, literals)


def test_the_choice_keeps_the_limit_and_counts_the_seconds_of_its_candidates():
    found = [
        Candidate(model_of(1), 0.7, 0.60, 1.0),
        Candidate(model_of(4), 0.8, 0.55, 2.0),
        Candidate(model_of(5), 0.8, 0.50, 4.0),
        Candidate(model_of(12), 0.9, 0.70, 8.0),
    ]
    chosen, seconds = choose(found, 5)
    assert (chosen.literals, seconds) == (5, 7.0)  # of equal accuracy the lower log-loss
    assert choose(found, None)[0].literals == 12
    assert choose(found, None, by="log_loss")[0].literals == 5
    with pytest.raises(ValueError, match="at most 0 literals"):
        choose(found, 0)


def test_validation_scores_every_row_once_with_a_model_that_has_not_seen_it():
    X = pd.DataFrame({"row": np.arange(50.0)})
    y = np.arange(50) % 2
    seen = []

    def path(X_train, y_train, seed):
        rows = set(X_train["row"])
        seen.append(len(rows))

        def knows(X_test):
            known = np.array([row in rows for row in X_test["row"]])
            truth = X_test["row"].to_numpy().astype(int) % 2
            right = np.where(known, truth, 1 - truth)  # right on known rows only
            return np.column_stack([1 - right, right]).astype(float)

        yield paths.Model(knows, 1, 1, 1)

    (candidate,) = selection.candidates(path, X, y, 0)
    assert candidate.accuracy == 0
    assert seen == [50, 40, 40, 40, 40, 40]


def test_the_log_loss_of_a_sure_error_is_finite():
    wrong = np.array([[1.0, 0.0]])
    assert selection.mean_log_loss(wrong, np.array([1])) == pytest.approx(-np.log(selection.CLIP))


def test_a_model_from_another_environment_is_a_sum_of_weighted_rules(table, monkeypatch):
    X, y = table
    columns = Bits().fit(X).columns
    flag = next(j for j, bit in enumerate(columns) if bit.feature == 2)
    a = next(j for j, bit in enumerate(columns) if bit.feature == 1)
    found = [{"seconds": 1.5, "constant": -1.0, "rules": [[[flag + 1, -a - 1], 3.0]]}]
    monkeypatch.setattr(outside, "_run", lambda name, B, y: json.loads(json.dumps(found)))
    (model,) = outside.path_of("logrr")(X, y, 0)
    assert (model.literals, model.features, model.rules, model.seconds) == (2, 2, 1, 1.5)
    fires = X["flag"] & (X["letter"] != "a")
    assert np.array_equal(model.probabilities(X)[:, 1] > 0.5, fires)


def test_the_worker_writes_one_result_per_setting(tmp_path, monkeypatch):
    monkeypatch.setattr(outside_worker, "fasterrisk", lambda B, y, k: (0.5, [([1], k)]))
    np.savez(tmp_path / "in.npz", B=np.eye(2), y=np.array([0, 1]), settings=[1, 3])
    outside_worker.main("fasterrisk", str(tmp_path / "in.npz"), str(tmp_path / "out.json"))
    first, second = json.loads((tmp_path / "out.json").read_text())
    assert second["rules"] == [[[1], 3.0]]
    assert first["constant"] == 0.5


@pytest.mark.parametrize("name", outside.ENVIRONMENTS)
def test_a_rival_of_another_environment_learns(name, table):
    if not (outside.folder(name) / "installed.json").exists():
        pytest.skip(f".venv-rivals-{name} is made by `make quality` only")
    X, y = table
    models = list(outside.path_of(name)(X, y, 0))
    assert len(models) == len(outside.ENVIRONMENTS[name].settings)
    assert max(np.mean(model.probabilities(X).argmax(1) == y) for model in models) > 0.85
