"""The checkpoint of a long fit, which goes on from it after its process was killed.

Here: where and how often it is written, what is in the file, and whether it belongs to the fit that would go
on from it. The file has the layout of a model file (model_file.py) and is read as strictly. Not here: the
loop that goes on (machine/loop.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import clausal
from clausal.engine.protocol import EngineState
from clausal.files.machine import read_history
from clausal.files.model_file import (
    canonical_json,
    decode_array,
    encode_array,
    read_document,
    write_document,
)
from clausal.files.outcome import plain_outcome
from clausal.files.parameters import ADDED, plain_parameters
from clausal.machine.clause_model import to_model
from clausal.machine.constraints import check_resumed
from clausal.machine.loop import Standing, Training
from clausal.machine.read import Samples
from clausal.machine.train import Checkpointing, Fit
from clausal.parameters import Constraint, Number, OneOf, Whole, check_parameters
from clausal.untrusted import read_bool, read_integer, read_number, read_record, read_text, short_repr, wrong

FORMAT = "clausal checkpoint"
_CONTENT = ("clausal", "parameters", "seed", "fit", "history", "state", "stopping", "stopped")
_STOPPING = ("best", "best_score", "reference_score", "epochs_without_gain")
_FREE = ("n_epochs", "n_jobs", "backend", "verbose", "random_state")
"""Parameters that may change: they do not change the bits of an epoch. `seed` stands for `random_state`."""

_OTHERWISE = "Delete the file, or choose another path, to start from the beginning."


_CONSTRAINTS: Mapping[str, tuple[Constraint, ...]] = {
    "every_epochs": (OneOf(None), Whole(1)),
    "every_minutes": (OneOf(None), Number(0.0)),
}


class Checkpoint:
    """The file in which a fit is saved, and how often.

    The file is written at the end of an epoch if one of the two is due, and at the end of the fit. It is
    replaced in one step: a process that is killed leaves the former file or the new one.

    Parameters
    ----------
    path : str or path-like
        The file. If it exists, it must be a checkpoint of the same fit, which goes on from there.
    every_epochs : int or None, default=None
        Epochs between two checkpoints. None: they are not counted.
    every_minutes : float or None, default=1.0
        Minutes between two checkpoints. None: time does not count.

    Examples
    --------
    >>> from clausal import Checkpoint
    >>> Checkpoint("run.checkpoint", every_epochs=10)
    Checkpoint('run.checkpoint', every_epochs=10, every_minutes=1.0)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        every_epochs: int | None = None,
        every_minutes: float | None = 1.0,
    ) -> None:
        if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
            raise ValueError(f"The 'path' parameter of Checkpoint must be a path. Got {path!r}.")
        self.path = os.fspath(path)
        self.every_epochs = every_epochs
        self.every_minutes = every_minutes
        check_parameters(self, _CONSTRAINTS)
        if every_epochs is None and every_minutes is None:
            raise ValueError(
                "The parameters every_epochs and every_minutes of Checkpoint must not both be None. Got None."
            )

    def __repr__(self) -> str:
        every = f"every_epochs={self.every_epochs!r}, every_minutes={self.every_minutes!r}"
        return f"Checkpoint({self.path!r}, {every})"


class Clock:
    """Says when a checkpoint is due."""

    def __init__(self, checkpoint: Checkpoint, epoch: int) -> None:
        self._checkpoint = checkpoint
        self.written(epoch)

    def written(self, epoch: int) -> None:
        """Start anew: a checkpoint of this epoch is there."""
        self._epoch, self._time = epoch, time.monotonic()

    def is_due(self, epoch: int) -> bool:
        """Whether the epochs or the minutes since the last checkpoint are over."""
        epochs, minutes = self._checkpoint.every_epochs, self._checkpoint.every_minutes
        by_epochs = epochs is not None and epoch - self._epoch >= epochs
        return by_epochs or (minutes is not None and time.monotonic() - self._time >= 60 * minutes)


def open_checkpoint(settings: Any, checkpoint: Any) -> Checkpointing:
    """The checkpoint that `fit` was given, read where its file exists."""
    if not isinstance(checkpoint, (str, os.PathLike, Checkpoint)):
        raise ValueError(f"checkpoint must be a path, a Checkpoint or None. Got {checkpoint!r}.")
    given = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
    return CheckpointFile(settings, given)


class CheckpointFile:
    """The checkpoint of one fit: read if it is there, then written again and again.

    Parameters
    ----------
    settings : the estimator; its parameters must be those of the fit that wrote the file
    checkpoint : where the file is, and how often it is written
    """

    def __init__(self, settings: Any, checkpoint: Checkpoint) -> None:
        self._settings, self._checkpoint, self._path = settings, checkpoint, checkpoint.path
        self._parameters = _compared_parameters(settings)
        self._content: dict[str, object] | None = None
        if os.path.exists(self._path):
            self._content = self._read()
        elif not os.path.isdir(Path(self._path).absolute().parent):
            raise ValueError(f"checkpoint must be a path in a folder that exists. Got {self._path!r}.")

    @property
    def seed(self) -> int | None:
        """The seed of the fit to go on with; None if there is none."""
        if self._content is None:
            return None
        return read_integer(self._content["seed"], "seed", 0, 2**32 - 1)

    def attach(self, fit: Fit) -> None:
        """Let the fit go on where its checkpoint stands, and write others."""
        parts, training = _digests(fit), fit.training
        if self._content is not None:
            training.go_on_from(self._standing(self._content, fit, parts))
        clock = Clock(self._checkpoint, training.epoch)
        head = {"clausal": clausal.__version__, "parameters": self._parameters, "seed": fit.config.seed}

        def keep() -> None:
            if training.is_over or clock.is_due(training.epoch):
                write_document(self._path, {**head, "fit": parts, **_plain_standing(training)}, FORMAT)
                clock.written(training.epoch)

        training.keep = keep

    def _read(self) -> dict[str, object]:
        """The content, after all checks that need no data."""
        content = read_record(read_document(self._path, FORMAT), "content", _CONTENT)
        version = read_text(content["clausal"], "clausal")
        if version != clausal.__version__:
            raise ValueError(
                f"{self._path} must be a checkpoint of clausal {clausal.__version__}, since versions may "
                f"differ in bits. Got one of clausal {short_repr(version)}. {_OTHERWISE}"
            )
        stored = read_record(content["parameters"], "parameters", self._parameters)
        for name, value in self._parameters.items():
            if stored[name] != value:
                raise ValueError(
                    f"The {name!r} parameter of {type(self._settings).__name__} must be "
                    f"{short_repr(stored[name])}, as in the checkpoint {self._path}. "
                    f"Got {short_repr(value)}. {_OTHERWISE}"
                )
        return content

    def _standing(self, content: dict[str, object], fit: Fit, parts: dict[str, str]) -> Standing:
        """Where the fit stood, if the checkpoint is one of this very fit."""
        owner = type(self._settings).__name__
        if self.seed != fit.config.seed:
            given = self._settings.random_state
            got = (
                short_repr(given)
                if isinstance(given, (int, np.integer))
                else "a RandomState in another state"
            )
            raise ValueError(
                f"The 'random_state' parameter of {owner} must be that of the fit that wrote the checkpoint "
                f"{self._path}, or None. Got {got}. {_OTHERWISE}"
            )
        stored = read_record(content["fit"], "fit", parts)
        others = [name for name, digest in parts.items() if stored[name] != digest]
        if others:
            raise ValueError(
                f"{self._path} must be a checkpoint of this fit. Got one with other {' and '.join(others)}. "
                f"{_OTHERWISE}"
            )
        standing = _read_standing(content, fit, owner)
        if len(standing.records) > fit.training.plan.n_epochs:
            raise ValueError(
                f"The 'n_epochs' parameter of {owner} must be at least {len(standing.records)}, the epochs "
                f"done in the checkpoint {self._path}. Got {fit.training.plan.n_epochs}. {_OTHERWISE}"
            )
        return standing


def _compared_parameters(settings: Any) -> dict[str, Any]:
    """The parameters that must stay the same, as JSON gives them back."""
    parameters = settings.get_params(deep=False)
    plain = plain_parameters(type(settings)(**parameters | {"random_state": None}))
    added = {name: value for name, value in ADDED.items() if name in parameters}
    compared = {name: value for name, value in (added | plain).items() if name not in _FREE}
    read_back: dict[str, Any] = json.loads(canonical_json(compared))
    return read_back


# --- what a fit is a function of ---


def _digests(fit: Fit) -> dict[str, str]:
    """A digest of each thing that a fit depends on, beside the parameters and the seed."""
    held_out: list[Any] = []
    for name, samples in fit.held_out.items():
        held_out += [name, *_arrays(samples)]
    model = None if fit.before is None else fit.before.model
    start = () if model is None else (model.states, model.levels, f"{model.step} {model.epoch} {model.row}")
    return {
        "training rows": _digest(_arrays(fit.samples)),
        "columns": _digest([canonical_json(fit.rows.encoding.to_dict())]),
        **{name: _digest([canonical_json(plain)]) for name, plain in plain_outcome(fit.rows.outcome).items()},
        "held-out rows": _digest(held_out),
        "model to go on from": _digest(start),
    }


def _arrays(samples: Samples) -> list[Any]:
    targets = samples.codes if samples.numbers is None else samples.numbers
    return [samples.literals, targets, "1" if samples.weights is None else samples.weights]


def _digest(items: Iterable[NDArray[Any] | str]) -> str:
    """SHA-256 of arrays, with type and shape, and of texts."""
    digest = hashlib.sha256()
    for item in items:
        if isinstance(item, str):
            raw = item.encode("utf-8", "surrogatepass")
            digest.update(f"text {len(raw)} ".encode("ascii") + raw)
        else:
            array = np.ascontiguousarray(item, item.dtype.newbyteorder("<"))
            digest.update(f"{array.dtype.str} {array.shape} ".encode("ascii"))
            digest.update(array.reshape(-1).data)
    return digest.hexdigest()


# --- where a fit stands ---


def _plain_standing(training: Training) -> dict[str, Any]:
    standing = training.standing
    score, best = (None, None) if standing.best is None else standing.best
    reference = standing.reference_score
    return {
        "history": training.history,
        "state": _plain_state(standing.state),
        "stopping": {
            "best": None if best is None else _plain_state(best),
            "best_score": score,
            "reference_score": reference if np.isfinite(reference) else None,
            "epochs_without_gain": standing.epochs_without_gain,
        },
        "stopped": bool(standing.stopped),
    }


def _plain_state(state: EngineState) -> dict[str, Any]:
    return {
        "states": encode_array(state.states),
        "levels": encode_array(state.levels),
        "step": int(state.step),
    }


def _read_standing(content: dict[str, object], fit: Fit, owner: str) -> Standing:
    records = _read_records(content["history"], ("epoch", "n_live_clauses", *fit.held_out))
    record = read_record(content["stopping"], "stopping", _STOPPING)
    best, reference = None, -np.inf
    if fit.training.plan.stopping is not None:
        best = (
            read_number(record["best_score"], "stopping.best_score"),
            _read_state(record["best"], "stopping.best", fit, owner),
        )
        reference = read_number(record["reference_score"], "stopping.reference_score")
    return Standing(
        state=_read_state(content["state"], "state", fit, owner),
        records=records,
        best=best,
        reference_score=reference,
        epochs_without_gain=read_integer(
            record["epochs_without_gain"], "stopping.epochs_without_gain", 0, len(records)
        ),
        stopped=read_bool(content["stopped"], "stopped"),
    )


def _read_records(data: object, names: tuple[str, ...]) -> list[dict[str, float]]:
    history = read_record(read_history(data), "history", names)
    columns: list[Any] = [history[name] for name in names]
    if list(columns[0]) != list(range(1, len(columns[0]) + 1)) or not columns[0]:
        raise wrong("history.epoch", "a list that counts the epochs from 1", "another list")
    if any(len(column) != len(columns[0]) for column in columns):
        raise wrong("history", "lists of one length", "lists of several lengths")
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _read_state(data: object, where: str, fit: Fit, owner: str) -> EngineState:
    """A state that the engine can have, and that the constraints allow."""
    record, config = read_record(data, where, ("states", "levels", "step")), fit.config
    shape = (config.n_banks, config.n_clauses)
    of_states = (config.n_clause_sets, config.n_clauses, config.n_literals)
    states = decode_array(record["states"], f"{where}.states", np.uint8, of_states)
    levels = decode_array(record["levels"], f"{where}.levels", np.int32, shape)
    step = read_integer(record["step"], f"{where}.step", 0, 2**62)
    if states.max() >= 2 * config.n_states:
        raise wrong(f"{where}.states", f"below 2 * n_states = {2 * config.n_states}", int(states.max()))
    low, high = config.rule.low, config.rule.high
    if levels.min() < low or levels.max() > high:
        raise wrong(f"{where}.levels", f"from {low} to {high}", f"{levels.min()} to {levels.max()}")
    state = EngineState(states, levels, step)
    check_resumed(to_model(config, state, epoch=0, row=0), config.allowed, fit.rows.encoding.columns, owner)
    return state
