"""A fit that is killed goes on from its checkpoint to the same bits; other fits are refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clausal
from clausal import Booleanizer, Checkpoint, TsetlinClassifier
from clausal.datasets import load_balance_scale

X, Y = load_balance_scale(return_X_y=True)
SETTINGS = {"n_clauses": 20, "n_epochs": 12, "random_state": 3}
FITS: dict[str, dict[str, Any]] = {
    "plain": {},
    "early stopping": {"early_stopping": True, "n_iter_no_change": 3},
    "real weights, dropped clauses": {"weighting": "real", "drop_clause": 0.3},
    "other parameters": {"class_weight": "balanced", "booleanizer": Booleanizer(max_columns=3)},
}
KILLED = """
import json, os, signal, sys, time
from clausal import Booleanizer, Checkpoint, TsetlinClassifier
from clausal.datasets import load_balance_scale

path, way, early = sys.argv[1:]
fsync, written = os.fsync, []

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def fsync_and_die(handle):  # the new file is complete but for its name, or has no end
    written.append(handle)
    if len(written) == 3:
        if way == "half a file":
            os.ftruncate(handle, 1000)
        die()
    fsync(handle)

def end_of_epoch(event):
    if way == "at an epoch" and event.epoch == 7:
        die()
    if way == "by another process":
        time.sleep(0.2)

if "file" in way:
    os.fsync = fsync_and_die
X, y = load_balance_scale(return_X_y=True)
clf = TsetlinClassifier(20, n_epochs=12, random_state=3, early_stopping=bool(int(early)), n_iter_no_change=3)
clf.fit(X, y, callbacks=end_of_epoch, checkpoint=Checkpoint(path, every_epochs=2))
"""


def same(first: TsetlinClassifier, second: TsetlinClassifier) -> bool:
    models = first.model_, second.model_
    arrays = all(np.array_equal(*(getattr(m, name) for m in models)) for name in ("states", "levels"))
    numbers = all(getattr(models[0], name) == getattr(models[1], name) for name in ("seed", "step", "epoch"))
    histories = json.dumps(first.history_) == json.dumps(second.history_)  # the order of the names as well
    return arrays and numbers and histories and first.n_iter_ == second.n_iter_


def interrupted(path: Path, epoch: int = 5, **settings: Any) -> None:
    """A fit that leaves a checkpoint and no model."""

    def stop(event: clausal.EpochEnd) -> None:
        if event.epoch == epoch:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        TsetlinClassifier(**{**SETTINGS, **settings}).fit(
            X, Y, callbacks=stop, checkpoint=Checkpoint(path, every_epochs=2)
        )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize(
    "way", ["at an epoch", "before the file is renamed", "half a file", "by another process"]
)
def test_a_killed_fit_goes_on_to_the_same_bits(tmp_path: Path, way: str, early: bool, n_jobs: int) -> None:
    path = tmp_path / "run.checkpoint"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path), way, str(int(early))])
    if way == "by another process":
        while not path.exists() and process.poll() is None:
            time.sleep(0.01)
        process.kill()
    assert process.wait(60) == -signal.SIGKILL
    done = json.loads(path.read_bytes())["content"]["history"]["epoch"]
    assert 2 <= done[-1] < 12
    settings = {**SETTINGS, "early_stopping": early, "n_iter_no_change": 3, "n_jobs": n_jobs}
    epochs: list[int] = []
    resumed = TsetlinClassifier(**settings).fit(
        X, Y, callbacks=lambda event: epochs.append(event.epoch), checkpoint=path
    )
    assert epochs[0] == done[-1] + 1
    assert same(resumed, TsetlinClassifier(**settings).fit(X, Y))


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_every_kind_of_fit_goes_on(tmp_path: Path, name: str, backend: str) -> None:
    path, settings = tmp_path / "run", FITS[name]
    interrupted(path, **settings)
    changed = {**SETTINGS, **settings, "backend": backend, "n_jobs": 2}
    resumed = TsetlinClassifier(**changed).fit(X[:], Y, checkpoint=str(path))
    assert same(resumed, TsetlinClassifier(**{**SETTINGS, **settings}).fit(X, Y))


def test_weights_held_out_rows_and_warm_start_go_on(tmp_path: Path) -> None:
    weights, path = np.linspace(0, 3, len(Y)), tmp_path / "run"
    sets = [(X[:200], Y[:200]), (X[200:], Y[200:])]

    def fit(clf: TsetlinClassifier, stop_at: int = 0, **options: Any) -> TsetlinClassifier:
        return clf.fit(X, Y, weights, sets, lambda event: 1 / (event.epoch - stop_at), **options)

    def first() -> TsetlinClassifier:
        return TsetlinClassifier(**SETTINGS, warm_start=True).fit(X, Y)

    with pytest.raises(ZeroDivisionError):
        fit(first(), 5, checkpoint=Checkpoint(path, every_epochs=1))
    assert same(fit(first(), checkpoint=path), fit(first()))
    with pytest.raises(
        ValueError, match="must be a checkpoint of this fit. Got one with other model to go on"
    ):
        fit(first().fit(X, Y), checkpoint=path)


def test_a_finished_fit_is_not_trained_again(tmp_path: Path) -> None:
    path = tmp_path / "run"
    stopped = {**SETTINGS, "early_stopping": True, "n_iter_no_change": 2, "n_epochs": 50}
    for settings in (SETTINGS, stopped):
        first = TsetlinClassifier(**settings).fit(X, Y, checkpoint=path)
        again = TsetlinClassifier(**settings).fit(X, Y, callbacks=pytest.fail, checkpoint=path)
        assert same(first, again)
        path.unlink()


def test_more_epochs_go_on_and_fewer_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    TsetlinClassifier(**SETTINGS).fit(X, Y, checkpoint=path)
    longer = {**SETTINGS, "n_epochs": 15}
    assert same(TsetlinClassifier(**longer).fit(X, Y, checkpoint=path), TsetlinClassifier(**longer).fit(X, Y))
    with pytest.raises(ValueError, match=r"'n_epochs' parameter .* must be at least 15, .* Got 12\."):
        TsetlinClassifier(**SETTINGS).fit(X, Y, checkpoint=path)


def test_without_a_seed_that_of_the_checkpoint_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "run"
    interrupted(path, random_state=None)
    seed = json.loads(path.read_bytes())["content"]["seed"]
    settings = {**SETTINGS, "random_state": None}
    assert TsetlinClassifier(**settings).fit(X, Y, checkpoint=path).model_.seed == seed


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"threshold": 7}, r"'threshold' parameter .* must be 'auto', as in the checkpoint .*run. Got 7\."),
        ({"pos_label": Y.max()}, r"'pos_label' parameter .* must be None, as in the checkpoint"),
        ({"random_state": 4}, r"'random_state' parameter .* that of the fit that wrote .*, or None. Got 4\."),
        ({"random_state": np.random.RandomState(8)}, "or None. Got a RandomState in another state"),
        ({"booleanizer": Booleanizer()}, r"'booleanizer' parameter .* must be 'auto', .* Got a dict\."),
        ({"X": X[1:], "y": Y[1:]}, r"must be a checkpoint of this fit. Got one with other training rows\."),
        ({"y": Y[::-1]}, "Got one with other training rows"),
        ({"y": Y.astype(str)}, "Got one with other classes"),
        ({"sample_weight": np.full(len(Y), 2.0)}, "Got one with other training rows"),
        ({"eval_set": (X, Y)}, "Got one with other held-out rows"),
    ],
)
def test_other_data_and_parameters_are_refused(tmp_path: Path, changed: dict[str, Any], reason: str) -> None:
    path = tmp_path / "run"
    interrupted(path)
    before = path.read_bytes()
    given = {"X": X, "y": Y}
    for name in ("X", "y", "sample_weight", "eval_set"):
        if name in changed:
            given[name] = changed[name]
    settings = {**SETTINGS, **{name: value for name, value in changed.items() if name not in given}}
    with pytest.raises(ValueError, match=reason) as refused:
        TsetlinClassifier(**settings).fit(**given, checkpoint=path)
    assert str(refused.value).endswith("choose another path, to start from the beginning.")
    assert path.read_bytes() == before


def test_files_that_are_no_checkpoint_are_left_alone(tmp_path: Path) -> None:
    clf = TsetlinClassifier(**SETTINGS).fit(X, Y)
    path = tmp_path / "model.json"
    clf.save(path)
    with pytest.raises(ValueError, match="is not a clausal checkpoint file: its 'format' must be"):
        clf.fit(X, Y, checkpoint=path)
    clausal.load(path)
    checkpoint = tmp_path / "run"
    clf.fit(X, Y, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="is not a clausal model file: its 'format' must be"):
        clausal.load(checkpoint)
