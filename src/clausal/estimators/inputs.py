"""What comes with X: sample weights, class weights, held-out sets and callbacks, checked in the user's words.

Not here: X itself (encoding) and labels (classifier).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_SAMPLE_WEIGHT = 1e9
"""A row of weight w is visited w times per epoch."""

Weights = NDArray[np.float64]


def check_sample_weight(sample_weight: Any, n_rows: int) -> Weights | None:
    """Weights as float64 [n_rows], None where every row weighs 1."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "biuf":
        raise ValueError(f"sample_weight must be numbers. Got an array of dtype {weights.dtype}.")
    weights = weights.astype(np.float64)
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), one per row. Got {weights.shape}.")
    for wrong, rule in ((~np.isfinite(weights), "finite"), (weights < 0, "at least 0")):
        if wrong.any():
            raise ValueError(
                f"sample_weight must be {rule}. Got {weights[wrong][0]} at row {wrong.argmax()}."
            )
    if weights.max(initial=0.0) > MAX_SAMPLE_WEIGHT:
        raise ValueError(f"sample_weight must be at most {MAX_SAMPLE_WEIGHT:g}. Got {weights.max()}.")
    return None if np.all(weights == 1) else weights


def class_weights(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[Any], weights: Weights | None
) -> Any:
    """A factor for each class, float64 [n_classes], or None."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):  # "balanced", scikit-learn's formula with weighted counts
        counts = np.bincount(codes, weights, minlength=len(classes))
        return counts.sum() / (len(classes) * np.maximum(counts, np.finfo(float).tiny))
    known = {_plain(label): i for i, label in enumerate(classes)}
    factors = np.ones(len(classes))
    for label, factor in class_weight.items():
        if _plain(label) not in known:
            raise ValueError(
                f"The 'class_weight' parameter must name only classes in y, {list(known)}. Got {label!r}."
            )
        if isinstance(factor, bool) or not np.isscalar(factor) or not 0 <= float(factor) < np.inf:  # type: ignore[arg-type]
            raise ValueError(
                f"The 'class_weight' parameter must map to finite numbers >= 0. Got {factor!r} for {label!r}."
            )
        factors[known[_plain(label)]] = float(factor)  # type: ignore[arg-type]
    return factors


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def combine_weights(weights: Weights | None, factors: Any, codes: NDArray[Any]) -> Weights | None:
    """Sample weights times class weights; warns when an epoch would visit few of the rows."""
    if factors is not None:
        weights = factors[codes] * (1.0 if weights is None else weights)
    if weights is None:
        return None
    counted = int((weights > 0).sum())
    if counted == 0:
        raise ValueError("sample_weight must be above 0 for at least one row. Got only zeros.")
    if weights.sum() < 0.5 * counted:
        warnings.warn(
            "A row of weight w is visited w times per epoch, and these weights average "
            f"{weights.sum() / counted:.3g}: most rows are left out of most epochs. Scale sample_weight to "
            "average 1.",
            UserWarning,
            stacklevel=4,
        )
    return weights


def check_eval_set(eval_set: Any) -> dict[str, tuple[Any, Any]]:
    """Held-out sets by name: `eval` for one pair (X, y), `eval_0`, `eval_1`, ... for a list of pairs."""
    if eval_set is None:
        return {}
    if isinstance(eval_set, tuple) and len(eval_set) == 2:
        return {"eval": (eval_set[0], eval_set[1])}
    if isinstance(eval_set, list) and all(isinstance(p, tuple) and len(p) == 2 for p in eval_set):
        return {f"eval_{i}": pair for i, pair in enumerate(eval_set)}
    raise ValueError(
        f"eval_set must be a pair (X, y) or a list of such pairs. Got {type(eval_set).__name__}."
    )


def check_callbacks(callbacks: Any) -> tuple[Callable[[Any], object], ...]:
    """One callable or several."""
    listed = () if callbacks is None else (callbacks,) if callable(callbacks) else tuple(callbacks)
    for callback in listed:
        if not callable(callback):
            raise ValueError(f"callbacks must be callables. Got {callback!r}.")
    return listed


Scores = Mapping[str, float]
