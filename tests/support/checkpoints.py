"""A small checkpoint, as a document to spoil, and the fit that goes on from one."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from clausal import Checkpoint, TsetlinClassifier
from tests.support.model_documents import document_of, write_bytes

X = np.array([[0, 0], [1, 0], [0, 1], [1, 1]] * 2)
Y = np.array([0, 1, 0, 1] * 2)


def fit_from(path: Path, n_epochs: int = 4) -> TsetlinClassifier:
    """Fit a machine of two clauses, which stops early at best, from the checkpoint if it is there."""
    clf = TsetlinClassifier(
        2,
        threshold=2,
        n_epochs=n_epochs,
        booleanizer=None,
        early_stopping=True,
        forbidden_features=[1],
        random_state=0,
    )
    return clf.fit(X, Y, eval_set=(X, Y), checkpoint=Checkpoint(path, every_epochs=1))


@cache
def checkpoint_content(folder: Path) -> Any:
    """The content of a checkpoint after two epochs; do not change it."""
    path = folder / "made.checkpoint"
    fit_from(path, n_epochs=2)
    return json.loads(path.read_bytes())["content"]


def checkpoint_document(content: object) -> bytes:
    """A checkpoint with any content and a correct checksum."""
    return document_of(content, format="clausal checkpoint")


def go_on(data: bytes, path: Path) -> TsetlinClassifier:
    """Fit from a document."""
    write_bytes(path, data)
    return fit_from(path)
