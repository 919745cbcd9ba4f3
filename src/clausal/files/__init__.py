"""`clausal.load`, which reads any model file.

Beside it: the file format (model_file.py), and the content for each estimator (machine.py,
rule_classifier.py, scorecard.py).
"""

from __future__ import annotations

import os
from typing import Any

from clausal.files.machine import ESTIMATORS, read_estimator
from clausal.files.model_file import read_document
from clausal.files.rule_classifier import NAME as RULE_CLASSIFIER
from clausal.files.rule_classifier import REGRESSOR, read_regressor, read_scorecard
from clausal.files.scorecard import NAME as SCORECARD
from clausal.files.scorecard import read_card
from clausal.untrusted import wrong


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator from a file written by `save`; safe for untrusted files.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    TsetlinClassifier, RuleClassifier, RuleRegressor or Scorecard
        The saved model. It makes the same predictions, and `partial_fit`, if available, continues as if
        the estimator had never been saved.

    Raises
    ------
    ValueError
        If the file is not a model file, is damaged, or was written by a newer version.
    """
    content = read_document(path)
    name = content.get("estimator") if isinstance(content, dict) else None
    readers = {RULE_CLASSIFIER: read_scorecard, REGRESSOR: read_regressor, SCORECARD: read_card}
    if isinstance(name, str) and name in readers:
        return readers[name](content)
    if isinstance(name, str) and name not in ESTIMATORS:
        raise wrong("estimator", f"one of {sorted([*readers, *ESTIMATORS])}", name)
    return read_estimator(content)
