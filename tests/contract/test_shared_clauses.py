"""Clauses that classes share: votes are rules, files and pickles keep them, fits go on, errors are clear."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clausal
from clausal import PatchEncoder, TsetlinClassifier, merge, report
from clausal.engine.native import available_instruction_sets
from tests.support.export_scoring import SCORERS, require_same, score_in_model
from tests.support.small_data import quick, same_model, table
from tests.support.toy_machines import keyed_bits

PARAMS = {"sharing": "clauses", "n_clauses": 20, "threshold": 20, "specificity": 2.0, "n_epochs": 10}


def shared(**params) -> TsetlinClassifier:
    return quick(**(PARAMS | params))


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([2, 3, 5]), st.booleans(), st.integers(0, 1000))
def test_rules_vote_as_the_clauses_do(n_classes, focused, seed):
    X, y = table(n_classes)
    clf = shared(negative_sampling="focused" if focused else "uniform", random_state=seed).fit(X, y)
    model = clf.model_
    votes = np.einsum("nc,bc->nb", clf.transform(X), model.weights).squeeze()
    assert np.array_equal(clf.votes(X), votes)
    assert np.array_equal(clf.rules_.votes(X), votes)
    assert np.array_equal(clf.rules_.predict(X), clf.predict(X))
    assert model.states.shape == (1, 20, 2 * model.used_columns.size)
    assert model.weights.shape == (1 if n_classes == 2 else n_classes, 20)
    assert (model.weights < 0).any()
    assert (model.weights > 0).any()
    assert clf.n_literals_ == model.include[0][(model.weights != 0).any(axis=0)].sum()


def test_it_learns_what_its_classes_need():
    X, y = table(5, 300)
    own = quick(n_clauses=20, threshold=400, n_epochs=30).fit(X, y).score(X, y)
    together = shared(n_clauses=100, threshold=400, n_epochs=30).fit(X, y).score(X, y)
    assert together > 0.9
    assert together >= own - 0.02, "as many clauses in all"


@pytest.mark.parametrize("isa", available_instruction_sets())
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_bits_do_not_depend_on_the_computer(monkeypatch, isa, n_jobs):
    X, y = table(3)
    monkeypatch.setenv("CLAUSAL_ISA", isa)
    expected = shared(backend="reference").fit(X, y)
    assert same_model(expected, shared(n_jobs=n_jobs).fit(X, y))


@pytest.mark.parametrize("params", [{}, {"negative_sampling": "focused"}, {"drop_clause": 0.3}], ids=str)
@pytest.mark.parametrize("several_labels", [False, True])
def test_images_too(params, several_labels):
    X = keyed_bits(5, 40, 36).reshape(40, 6, 6)
    pixels = X[:, [0, 2, 4], [0, 2, 1]]
    y = pixels if several_labels else pixels.sum(axis=1)
    encoder = PatchEncoder((3, 3))
    machines = [
        shared(booleanizer=encoder, backend=name, **params).fit(X, y) for name in ("reference", "cpu")
    ]
    assert same_model(*machines)
    assert np.array_equal(machines[1].rules_.votes(X), machines[0].votes(X))


def test_a_rule_for_several_classes_is_printed_once():
    X, y = table(3)
    rules = shared().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y).rules_
    conditions = [line.split("  if ")[1] for line in str(rules).splitlines() if "  if " in line]
    assert len(conditions) == len(set(conditions)) < len(rules)
    table_rows = [line for line in rules.to_markdown().splitlines() if line.startswith("| ")][2:]
    assert len(table_rows) == len(conditions)
    assert any("class 0, class 1" in row or "class 1, class 0" in row for row in table_rows)


def test_it_goes_on_with_the_same_bits(tmp_path):
    X, y = table(3)
    whole = shared().partial_fit(X, y, classes=[0, 1, 2]).partial_fit(X, y)
    half = shared().partial_fit(X, y, classes=[0, 1, 2])
    half.save(tmp_path / "half.json")
    assert same_model(whole, clausal.load(tmp_path / "half.json").partial_fit(X, y))
    warm = shared(warm_start=True, n_epochs=4).fit(X, y).fit(X, y)
    assert same_model(warm, shared(n_epochs=8).fit(X, y))


def test_a_fit_goes_on_from_its_checkpoint(tmp_path):
    X, y = table(3)

    def interrupt(end):
        if end.epoch == 4:
            raise KeyboardInterrupt

    path = tmp_path / "fit.checkpoint"
    every = clausal.Checkpoint(path, every_epochs=1)
    with pytest.raises(KeyboardInterrupt):
        shared().fit(X, y, callbacks=interrupt, checkpoint=every)
    assert same_model(shared().fit(X, y, checkpoint=every), shared().fit(X, y))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_reads_rules_reads_them(tmp_path, n_classes):
    X, y = table(n_classes)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    clf = shared().fit(frame, y)
    explained = clf.explain(frame.head(3))
    for one, votes in zip(explained, np.reshape(clf.votes(frame.head(3)), (3, -1)), strict=True):
        sums = np.array(clf.rules_.constants) + [
            sum(rule.points for rule in one.fired if rule.bank == bank) for bank in range(len(votes))
        ]
        assert np.array_equal(sums, votes)
    columns = {name: ("number", frame[name].tolist()) for name in frame}
    for target in ("python", "sqlite"):
        scored = SCORERS[target](clf, columns)
        require_same(target, score_in_model(clf, columns), scored)
        assert [np.ravel(one.votes).tolist() for one in scored] == clf.votes(frame).reshape(
            len(frame), -1
        ).tolist()
    report(clf, frame, y, tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert len(clf.rules_.statistics(frame, y).to_frame("pandas")) == len(clf.rules_)


def test_merged_machines_vote_as_their_sum():
    X, y = table(3)
    parts = [shared(booleanizer=None, random_state=seed).fit(X > 0.5, y) for seed in range(3)]
    merged = merge(parts)
    assert np.array_equal(merged.votes(X > 0.5), sum(part.votes(X > 0.5) for part in parts))
    assert np.array_equal(merged.rules_.votes(X > 0.5), merged.votes(X > 0.5))
    other = quick(n_clauses=20, threshold=20, booleanizer=None).fit(X > 0.5, y)
    with pytest.raises(
        ValueError, match=r"models must have the same sharing. Got 'clauses' in the first and"
    ):
        merge([parts[0], other])
    other.set_params(sharing="clauses")
    with pytest.raises(ValueError, match="models must have the same kind of clauses"):
        merge([parts[0], other])


def test_early_stopping_and_settings_that_are_chosen():
    X, y = table(3, 240)
    stopped = shared(early_stopping=True, n_iter_no_change=2, n_epochs=60).fit(X, y)
    assert stopped.n_iter_ < 60
    assert max(stopped.history_["validation"]) > 0.8
    assert max(stopped.history_["n_live_clauses"]) <= 20
    chosen = TsetlinClassifier(sharing="clauses", random_state=0).fit(X, y)
    assert chosen.chosen_ is not None
    assert chosen.score(X, y) > 0.9
    assert np.array_equal(chosen.rules_.votes(X), chosen.votes(X))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"sharing": "weights"}, r"'sharing' parameter .* must be None or 'clauses'. Got 'weights'"),
        ({"weighting": "real"}, r"'weighting' .* must be 'integer' with sharing='clauses'.*Got 'real'"),
        ({"weight_floor": 1}, r"'weight_floor' .* must be 0 with sharing='clauses'.*Got 1"),
        ({"monotonic_cst": [1, 0, 0]}, r"'monotonic_cst' .* must be None with sharing='clauses'"),
    ],
)
def test_parameters_that_do_not_go_together(params, message):
    with pytest.raises(ValueError, match=message):
        shared(**params).fit(*table(3))


@pytest.mark.parametrize("first", [None, "clauses"])
def test_a_machine_keeps_its_kind_of_clauses(first):
    X, y = table(3)
    clf = shared(sharing=first, warm_start=True).fit(X, y)
    clf.set_params(sharing="clauses" if first is None else None)
    with pytest.raises(ValueError, match=f"'sharing' parameter .* must be {first!r} to go on"):
        clf.fit(X, y)


def test_weights_stay_within_max_weight():
    X, y = table(3)
    weights = shared(max_weight=2, n_epochs=20).fit(X, y).model_.weights
    assert weights.min() == -2
    assert weights.max() == 2


def test_forbidden_features_are_in_no_rule():
    X, y = table(3)
    clf = shared(forbidden_features=[1]).fit(X, y)
    assert {feature for rule in clf.rules_ for feature in rule.features} <= {0, 2}


def test_a_file_says_whether_clauses_are_shared(tmp_path):
    X, y = table(3)
    shared().fit(X, y).save(tmp_path / "shared.json")
    quick().fit(X, y).save(tmp_path / "plain.json")
    contents = [
        json.loads((tmp_path / f"{name}.json").read_text())["content"] for name in ("shared", "plain")
    ]
    assert contents[0]["model"]["shared"] is True
    assert contents[0]["parameters"]["sharing"] == "clauses"
    assert "shared" not in contents[1]["model"]
    assert "sharing" not in contents[1]["parameters"]
