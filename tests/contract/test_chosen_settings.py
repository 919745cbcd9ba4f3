"""A machine that chooses its settings: everything that a machine with given settings does, it does too."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import clausal
from clausal import Checkpoint, TsetlinClassifier
from clausal.html_report.page import page_model
from clausal.machine import choose_settings
from clausal.machine.loop import Training
from tests.support.small_data import same_model, table

X, Y = table(n_rows=120)
Y = Y ^ (np.arange(120) % 11 == 0)
X3, Y3 = table(3, n_rows=120)
pytestmark = pytest.mark.usefixtures("quick_choice")


def machine(**params):
    return TsetlinClassifier(**{"random_state": 0} | params)


# --- when settings are chosen ---


def test_the_choice_is_visible(capsys):
    clf = machine(verbose=1).fit(X, Y)
    chosen, model = clf.chosen_, clf.model_
    assert sum(group.n_clauses for group in chosen.groups) == model.n_clauses == 30
    assert sum(group.factor * group.threshold for group in chosen.groups) == model.threshold
    assert len({group.factor * group.threshold for group in chosen.groups}) == 1
    assert clf.n_iter_ == chosen.n_epochs == len(clf.history_["epoch"])
    assert 0.5 < chosen.accuracy <= 1
    assert re.search(r"10 with T = [\d,]+ and s = .*epochs; held-out accuracy 0.*log-loss 0", str(chosen))
    assert "choosing settings" in capsys.readouterr().err
    with pytest.raises(AttributeError, match="chosen_ of TsetlinClassifier must not be replaced"):
        clf.chosen_ = None


@pytest.mark.parametrize(
    "given",
    [
        {"n_clauses": 100},
        {"threshold": 6400},
        {"specificity": 3.0},
        {"n_epochs": 75},
        {"max_weight": 2**31 - 1},
    ],
)
def test_one_given_setting_means_the_fixed_value_of_the_others(given):
    fixed = {"n_clauses": 100, "threshold": 6400, "specificity": 3.0, "n_epochs": 75}
    clf = machine(**given).fit(X, Y)
    assert clf.chosen_ is None
    assert same_model(clf, machine(**fixed).fit(X, Y))


@pytest.mark.parametrize(("weighting", "threshold"), [("none", 10), ("real", 6400 * 2**16)])
def test_other_weights_have_fixed_settings(weighting, threshold):
    clf = machine(weighting=weighting).fit(X, Y)
    assert clf.chosen_ is None
    assert clf.model_.threshold == threshold


def test_a_scorecard_of_such_a_machine_has_its_fixed_settings():
    cards = [
        clausal.RuleClassifier(machine(**params), max_literals=4, cv=2, random_state=0).fit(X, Y)
        for params in ({}, {"n_clauses": 100})
    ]
    assert cards[0].rules_ == cards[1].rules_


# --- predictions ---


@pytest.mark.parametrize(("X", "y"), [(X, Y), (X3, Y3)])
def test_rules_and_probabilities_agree_with_the_decision(X, y):
    clf = machine().fit(X, y)
    assert np.array_equal(clf.rules_.votes(X), clf.votes(X))
    assert np.array_equal(clf.classes_[clf.predict_proba(X).argmax(1)], clf.predict(X))
    kind = page_model(clf, clf.rules_)["probability"]
    assert (kind["kind"], kind["slope"]) == ("logistic", clf.chosen_.slope)
    if y is Y:
        odds = clf.chosen_.slope * (clf.votes(X) + 0.5)
        assert clf.predict_proba(X)[:, 1] == pytest.approx(1 / (1 + np.exp(-odds)))


@pytest.mark.parametrize(("X", "y"), [(X, Y), (X3, Y3)])
def test_an_export_gives_the_calibrated_probabilities(X, y):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    clf, module = machine().fit(frame, y), {}
    exec(clf.export("python"), module)
    for row, expected in zip(frame.to_dict("records")[:20], clf.predict_proba(frame[:20]), strict=True):
        assert list(module["score"](row)["probabilities"].values()) == pytest.approx(expected.tolist())


def test_probabilities_are_right_on_average():
    rng = np.random.default_rng(0)
    X = rng.random((900, 2))
    y = rng.random(900) < 0.2 + 0.6 * (X[:, 0] > 0.5)
    p = machine().fit(X[:600], y[:600]).predict_proba(X[600:])[:, 1]
    for low in (True, False):
        half = (X[600:, 0] <= 0.5) == low
        assert p[half].mean() == pytest.approx(0.2 if low else 0.8, abs=0.1)


def test_the_positive_class_is_a_matter_of_sign():
    plain, other = machine().fit(X, Y), machine(pos_label=False).fit(X, Y)
    assert other.pos_label_ == 0
    assert np.array_equal(other.rules_.votes(X), other.votes(X))
    assert other.predict_proba(X).shape == (120, 2)
    assert (other.predict(X) == plain.predict(X)).mean() > 0.85


def test_weights_of_classes_move_the_probabilities():
    plain = machine().fit(X, Y)
    heavy = machine(class_weight={0: 1.0, 1: 4.0}).fit(X, Y)
    assert heavy.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()


# --- going on ---


def test_a_model_file_goes_on_to_the_same_bits(tmp_path):
    clf = machine(warm_start=True).fit(X, Y)
    clf.save(tmp_path / "machine.json")
    loaded = clausal.load(tmp_path / "machine.json")
    assert loaded.chosen_ == clf.chosen_
    assert np.array_equal(loaded.predict_proba(X), clf.predict_proba(X))
    for each in (clf, loaded):
        each.partial_fit(X[:50], Y[:50]).fit(X, Y)
    assert same_model(loaded, clf)
    assert loaded.model_.epoch == 2 * clf.chosen_.n_epochs
    assert loaded.chosen_ == clf.chosen_


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("groups",), [], "chosen.groups must be at least 1 group"),
        (("groups", 0, "n_clauses"), 12, "groups of 30 clauses together"),
        (("groups", 0, "n_clauses"), 9, "even n_clauses"),
        (("groups", 0, "threshold"), 3, "factor \\* threshold"),
        (("groups", 0, "factor"), 0, "factor must be"),
        (("groups", 0, "specificity"), 0.5, "specificity from 1"),
        (("slope",), 0, "chosen.slope must be above 0"),
        (("slope",), "steep", "chosen.slope must be"),
        (("n_epochs",), 0, "chosen.n_epochs must be"),
    ],
)
def test_a_spoiled_choice_in_a_file_is_refused(path, value, message):
    from clausal.files.machine import read_estimator

    content = json.loads(json.dumps(FILE))
    place = content["chosen"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        read_estimator(content)


@pytest.fixture(autouse=True, scope="module")
def model_file(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choose_settings, "_GRID", [(2, 2.0), (2, 4.0), (8, 3.0)])
        patch.setattr(choose_settings, "_N_CLAUSES", 10)
        file = tmp_path_factory.mktemp("file") / "machine.json"
        machine().fit(X[:40], Y[:40]).save(file)
    FILE.update(json.loads(file.read_text())["content"])


FILE = {}


def test_partial_fit_from_nothing_has_the_fixed_settings():
    clf = machine().partial_fit(X, Y, classes=[0, 1])
    assert clf.chosen_ is None
    assert same_model(clf, machine(n_clauses=100).partial_fit(X, Y, classes=[0, 1]))


def test_other_clauses_are_refused_by_a_warm_start():
    clf = machine(warm_start=True).fit(X, Y).set_params(n_clauses=100)
    with pytest.raises(ValueError, match="'n_clauses' parameter of TsetlinClassifier must stay 30"):
        clf.fit(X, Y)


# --- during the fit ---


def test_held_out_sets_callbacks_and_early_stopping():
    seen = []
    clf = machine(early_stopping=True, n_iter_no_change=2).fit(
        X, Y, eval_set=(X3[:, :3], np.minimum(Y3, 1)), callbacks=lambda event: seen.append(event)
    )
    assert len(clf.history_["eval"]) == len(seen) <= clf.chosen_.n_epochs
    assert seen[0].weights.shape == (1, 30)
    last = machine().fit(X, Y, callbacks=seen.append)
    assert np.array_equal(seen[-1].weights, last.model_.weights)
    inside = machine(early_stopping=True).fit(X, Y)
    assert "validation" in inside.history_


@pytest.mark.parametrize("params", [{}, {"early_stopping": True}])
def test_a_checkpoint_goes_on_to_the_same_bits(tmp_path, monkeypatch, params):
    monkeypatch.setattr(choose_settings, "_STAYING", (3,))  # one comparison, so that there are 16 epochs
    path = Checkpoint(tmp_path / "run", every_epochs=1)
    whole = machine(**params).fit(X, Y)

    def killed(event):
        if event.epoch == 2:
            raise MemoryError

    with pytest.raises(MemoryError):
        machine(**params).fit(X, Y, callbacks=killed, checkpoint=path)
    resumed = machine(**params).fit(X, Y, checkpoint=path)
    assert same_model(resumed, whole)
    assert resumed.chosen_ == whole.chosen_


def test_an_interrupt_during_the_choice_leaves_the_estimator_as_it_was(monkeypatch):
    clf = machine().fit(X, Y)
    before = dict(vars(clf))
    with monkeypatch.context() as patch:

        def interrupted(*_):
            raise KeyboardInterrupt

        patch.setattr(choose_settings, "_votes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X[:100], Y[:100])
        fresh = machine()
        with pytest.raises(KeyboardInterrupt):
            fresh.fit(X, Y)
    assert vars(clf) == before
    assert not hasattr(fresh, "model_")


def test_an_interrupt_during_the_epochs_leaves_the_last_whole_one(monkeypatch):
    plain = Training._end_call

    def interrupted(self, call, n_before, advance):
        plain(self, call, n_before, advance)
        raise KeyboardInterrupt

    monkeypatch.setattr(Training, "_end_call", interrupted)
    clf = machine()
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, Y, callbacks=lambda event: None)
    assert clf.n_iter_ == 1
    assert np.array_equal(clf.rules_.votes(X), clf.votes(X))
