"""`clausal.load`: any model file back to the estimator that was saved.

Not here: the file itself (model_file.py), and what each kind of estimator stores (machine.py, scorecard.py).
"""

from __future__ import annotations

import os
from typing import Any

from clausal.files.machine import ESTIMATORS, read_estimator
from clausal.files.model_file import read_document
from clausal.files.scorecard import NAME, read_scorecard
from clausal.untrusted import wrong


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator from a file that `save` wrote; safe for files from strangers.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    TsetlinClassifier or RuleClassifier
        As it was when saved: it predicts the same, and `partial_fit`, where there is one, goes on as if
        never interrupted.

    Raises
    ------
    ValueError
        If the file is not a model file, is damaged, or was written by a newer version.
    """
    content = read_document(path)
    name = content.get("estimator") if isinstance(content, dict) else None
    if name == NAME:
        return read_scorecard(content)
    if isinstance(name, str) and name not in ESTIMATORS:
        raise wrong("estimator", f"one of {sorted([NAME, *ESTIMATORS])}", name)
    return read_estimator(content)
