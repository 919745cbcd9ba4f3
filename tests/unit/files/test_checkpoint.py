"""Where and how often a fit is saved."""

from pathlib import Path

import numpy as np
import pytest

from clausal import Checkpoint, TsetlinClassifier
from clausal.files import checkpoint as module
from clausal.files.checkpoint import Clock, open_checkpoint


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"path": None}, "'path' parameter of Checkpoint must be a path. Got None"),
        ({"path": b"run"}, "'path' parameter of Checkpoint must be a path. Got b'run'"),
        ({"every_epochs": 0}, "'every_epochs' parameter of Checkpoint must be None or an int >= 1. Got 0"),
        (
            {"every_minutes": -1},
            "'every_minutes' parameter of Checkpoint must be None or a finite number >= 0",
        ),
        ({"every_epochs": None, "every_minutes": None}, "every_epochs and every_minutes .* not both be None"),
    ],
)
def test_bad_values_are_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        Checkpoint(**{"path": "run", **options})


def test_fit_takes_a_path_or_a_checkpoint(tmp_path: Path):
    clf = TsetlinClassifier()
    for given in ("run", Path("run"), Checkpoint("run")):
        assert open_checkpoint(clf, given).seed is None
    with pytest.raises(ValueError, match=r"checkpoint must be a path, a Checkpoint or None. Got 3\."):
        clf.fit(np.eye(2), [0, 1], checkpoint=3)
    with pytest.raises(ValueError, match="checkpoint must be a path in a folder that exists. Got '.*run'"):
        clf.fit(np.eye(2), [0, 1], checkpoint=tmp_path / "no such folder" / "run")


def test_it_is_due_by_epochs_or_by_minutes(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    clock = Clock(Checkpoint("run", every_epochs=3, every_minutes=2), epoch=4)
    assert [clock.is_due(epoch) for epoch in (5, 6, 7)] == [False, False, True]
    clock.written(7)
    assert not clock.is_due(8)
    now[0] = 120.0
    assert clock.is_due(8)
    clock.written(8)
    assert not clock.is_due(8)
    assert not Clock(Checkpoint("run", every_epochs=3, every_minutes=None), epoch=0).is_due(2)
    assert not Clock(Checkpoint("run", every_minutes=2), epoch=0).is_due(2000)
