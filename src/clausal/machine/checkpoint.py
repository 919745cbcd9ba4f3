"""Checkpoint: where and how often a long fit is saved, so that it can go on after its process was killed.

Not here: what is in the file, and what it must belong to (files/checkpoint.py).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from clausal.machine.train import Checkpointing
from clausal.parameters import Constraint, Number, OneOf, Whole, check_parameters

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


def open_checkpoint(settings: Any, checkpoint: Any) -> Checkpointing | None:
    """The checkpoint that `fit` was given, read where its file exists; None where none was given."""
    if checkpoint is None:
        return None
    from clausal.files.checkpoint import CheckpointFile

    if not isinstance(checkpoint, (str, os.PathLike, Checkpoint)):
        raise ValueError(f"checkpoint must be a path, a Checkpoint or None. Got {checkpoint!r}.")
    given = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
    return CheckpointFile(settings, given)
