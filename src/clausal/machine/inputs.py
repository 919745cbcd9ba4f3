"""What comes with X: labels, sample weights, class weights, held-out sets and callbacks, checked.

Every error names what is wrong in the user's words, the rule and the value. Not here: X itself (encoding).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from clausal.encoding.remarks import level_of_user
from clausal.machine.settings import MAX_NUMBER
from clausal.parameters import Number

MAX_SAMPLE_WEIGHT = 1e9
"""A row of weight w is visited w times per epoch."""

_FACTOR = Number(0.0, MAX_SAMPLE_WEIGHT)
MAX_MEAN_WEIGHT = 10.0
"""Weights with a larger mean are scaled down to this mean."""


Codes = NDArray[np.int32]
Weights = NDArray[np.float64]


# --- rows and labels ---


def row_count(X: Any) -> int | None:
    """The number of rows, None where `X` is no table (reading it says so)."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape and isinstance(shape[0], Integral):
        return int(shape[0])
    return len(X) if isinstance(X, (list, tuple)) else None


def read_labels(y: Any, n_rows: int | None, name: str = "y") -> NDArray[Any]:
    """Class labels [n_rows], all of them numbers, strings or booleans, none missing."""
    if y is None:
        raise ValueError(f"The classifier requires {name} to be passed, but the target {name} is None.")
    if sparse.issparse(y):
        raise TypeError(f"{name} must be a dense array. Got a sparse one; call toarray() first.")
    if isinstance(y, str) and name.startswith("y"):  # not `classes`
        raise ValueError(
            f"{name} must be an array of labels. Got the string {y!r}; the name of a column is for fit, "
            "partial_fit and score of a table that is read in batches, and for cluster.fit."
        )
    array = _label_array(y, name)
    if array.ndim != 1 and array.shape[1:] != (1,):
        raise ValueError(f"{name} must be one-dimensional, one label per row. Got shape {array.shape}.")
    labels: NDArray[Any] = array if array.ndim == 1 else column_or_1d(array, warn=True)
    if n_rows is not None and len(labels) != n_rows:
        raise ValueError(f"{name} must have one label for each of the {n_rows} rows of X. Got {len(labels)}.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.isfinite(labels).argmin())
        raise ValueError(f"{name} must hold finite labels, none missing. Got {labels[row]} at row {row}.")
    if labels.dtype.kind in "mM":
        raise ValueError(
            f"{name} must hold numbers, strings or booleans. Got dates or durations ({labels.dtype}); make "
            f"text of them, such as by {name}.astype(str)."
        )
    if len(labels) and not _are_few_classes(labels):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The number of unique classes")  # `label_remarks` says more
            _check_are_classes(labels)
    return labels


def _check_are_classes(labels: NDArray[Any]) -> None:
    """Refuse fractions as scikit-learn does, and name the estimators that predict them."""
    try:
        check_classification_targets(labels)
    except ValueError as error:
        raise ValueError(f"{error} RuleRegressor and TsetlinRegressor predict numbers.") from None


def _are_few_classes(labels: NDArray[Any]) -> bool:
    """Whether labels are plainly classes: whole numbers or booleans, most of them repeated."""
    return labels.dtype.kind in "biu" and 2 * len(np.unique(labels)) <= len(labels)


def _label_array(y: Any, name: str, decimals: bool = False) -> NDArray[Any]:
    """Labels as an array of one type; a list is read as objects, as NumPy would turn 1 and "a" into text.

    With `decimals`, numbers of type Decimal are read as floats.
    """
    try:
        array: NDArray[Any] = np.array(y, dtype=object) if isinstance(y, (list, tuple)) else np.asarray(y)
    except ValueError as error:
        raise ValueError(f"{name} must be one-dimensional, one label per row. {error}") from error
    if array.dtype.kind != "O" or array.ndim == 0:
        return array
    items = array.ravel().tolist()
    if decimals:
        items = [float(item) if isinstance(item, Decimal) else item for item in items]
    groups = {kind: _label_group(kind) for kind in set(map(type, items))}
    found = set(groups.values())
    if items and getattr(y, "dtype", None) == np.dtype("O") and all(isinstance(item, bool) for item in items):
        raise ValueError(f"{name} must hold booleans of type bool. Got objects; use {name}.astype(bool).")
    if found <= {"text"} or found == {"number"}:
        return array if found <= {"text"} else np.array(items).reshape(array.shape)
    for row, item in enumerate(items):
        if groups[type(item)] == "other":
            raise ValueError(
                f"{name} must hold numbers, strings or booleans, one per row. Got {item!r} at row {row}."
            )
        if groups[type(item)] == "missing" or item != item:
            raise ValueError(f"{name} must hold labels, none missing. Got {item!r} at row {row}.")
    text, other = (next(x for x in items if isinstance(x, str) == is_text) for is_text in (True, False))
    raise ValueError(f"{name} must hold either numbers or strings, not both. Got {other!r} and {text!r}.")


def read_numbers(y: Any, n_rows: int | None, name: str = "y") -> Weights:
    """Numbers to predict as float64 [n_rows], all of them finite; `name` is for messages."""
    if y is None:
        raise ValueError("The regressor requires y to be passed, but the target y is None.")
    if sparse.issparse(y):
        raise TypeError(f"{name} must be a dense array. Got a sparse one; call toarray() first.")
    if isinstance(y, str):
        raise ValueError(
            f"{name} must be an array of numbers. Got the string {y!r}; the name of a column is for fit, "
            "partial_fit and score of a table that is read in batches, and for cluster.fit."
        )
    array = _label_array(y, name, decimals=True)
    if array.ndim != 1 and array.shape[1:] != (1,):
        raise ValueError(f"{name} must be one-dimensional, one number per row. Got shape {array.shape}.")
    listed: NDArray[Any] = array if array.ndim == 1 else column_or_1d(array, warn=True)
    if n_rows is not None and len(listed) != n_rows:
        raise ValueError(
            f"{name} must have one number for each of the {n_rows} rows of X. Got {len(listed)}."
        )
    if len(listed) and listed.dtype.kind not in "biuf":
        if listed.dtype.kind == "c":
            raise ValueError(
                f"Complex data not supported: {name} must hold real numbers. Got {listed[0]} at row 0."
            )
        found = f"{listed[0]!r} at row 0" if listed.dtype.kind in "OUST" else f"dtype {listed.dtype}"
        raise ValueError(f"{name} must hold numbers. Got {found}.")
    numbers = listed.astype(np.float64)
    wrong = ~(np.abs(numbers) <= MAX_NUMBER)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{name} must hold finite numbers of at most {MAX_NUMBER:g} in size, none missing. "
            f"Got {numbers[row]} at row {row}."
        )
    return numbers


def check_numbers_vary(numbers: Weights, weights: Weights | None) -> None:
    """A fit needs two different numbers among the rows of weight above 0."""
    left = np.unique(numbers if weights is None else numbers[weights > 0])
    if len(left) >= 2:
        return
    if len(numbers) and not len(left):
        raise ValueError("sample_weight must be above 0 in at least 2 rows. Got zero weight in all of them.")
    found = "no row" if not len(left) else f"only {left[0]:.17g}"
    said = "1 sample" if len(numbers) == 1 else f"{len(numbers)} rows"
    raise ValueError(
        f"y must hold at least 2 different numbers in rows of weight above 0. Got {found} in {said}."
    )


def _label_group(kind: type) -> str:
    """What a Python type is as a label."""
    if kind is type(None) or kind.__name__ in {"NAType", "NaTType"}:
        return "missing"
    if issubclass(kind, str):
        return "text"
    return "number" if issubclass(kind, (Real, np.bool_)) else "other"


def encode_labels(labels: NDArray[Any], known: NDArray[Any] | None) -> tuple[NDArray[Any], Codes]:
    """The classes in order (those of `labels` where none are known) and each label's index among them."""
    present, inverse = _distinct(labels)
    if known is None:
        return present, inverse.astype(np.int32)
    index = {_plain(label): code for code, label in enumerate(known)}
    unseen = [label for label in present.tolist() if label not in index]
    if unseen:
        raise ValueError(f"y must hold only the classes {known.tolist()}. Got {unseen}.")
    codes = np.array([index[label] for label in present.tolist()], dtype=np.int32)
    return known, codes[inverse]


def _distinct(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """What `np.unique` gives; it would sort all texts, which takes long for many rows."""
    if labels.dtype != object:
        distinct, index_of = np.unique(labels, return_inverse=True)
        return distinct, index_of
    items = labels.tolist()
    present = np.unique(np.fromiter(set(items), object))
    index = {label: code for code, label in enumerate(present.tolist())}
    return present, np.fromiter((index[label] for label in items), np.intp, len(items))


_ENCODED = (
    "Some tools of scikit-learn, such as VotingClassifier, encode labels as 0 and 1; there, give y as 0 and "
    "1 and pos_label as one of them."
)


def positive_last(
    classes: NDArray[Any], codes: Codes, pos_label: Any, owner: str
) -> tuple[NDArray[Any], Codes]:
    """Classes and codes with the positive one of two classes last.

    Parameters
    ----------
    classes, codes : the labels in ascending order, and each row's index among them
    pos_label : the positive class; None for the last
    owner : whose parameter it is, for messages
    """
    if pos_label is None or len(classes) < 2:  # one class alone is refused elsewhere
        return classes, codes
    said, listed = f"The 'pos_label' parameter of {owner}", list(map(_plain, classes))
    if len(listed) > 2:
        raise ValueError(
            f"{said} must be None for more than two classes. Got {pos_label!r} for {len(listed)} classes."
        )
    if _plain(pos_label) not in listed:
        encoded = isinstance(pos_label, str) and listed == [0, 1]
        hint = f" {_ENCODED}" if encoded else ""
        raise ValueError(f"{said} must be None or one of the classes {listed}. Got {pos_label!r}.{hint}")
    return (classes, codes) if _plain(pos_label) == listed[1] else (classes[::-1], 1 - codes)


def check_classes_left(classes: NDArray[Any], codes: Codes, weights: Weights | None) -> None:
    """A fit needs rows of at least two classes."""
    left = np.flatnonzero(np.bincount(codes if weights is None else codes[weights > 0]))
    if len(left) >= 2:
        return
    found = f"{len(left)} class{'' if len(left) == 1 else 'es'}: {classes[left].tolist()}"
    if weights is None or len(np.unique(codes)) < 2:
        raise ValueError(f"y must hold at least 2 classes. Got {found}.")
    raise ValueError(f"sample_weight times class_weight must be above 0 in at least 2 classes. Got {found}.")


def check_classes(classes: Any, known: NDArray[Any] | None) -> NDArray[Any]:
    """The argument `classes` of `partial_fit`, which may be left out once classes are known."""
    if classes is None:
        if known is None:
            raise ValueError("classes must be passed on the first call to partial_fit. Got None.")
        return known
    listed: NDArray[Any] = np.unique(read_labels(classes, None, "classes"))
    if known is None:
        if len(listed) < 2:
            raise ValueError(f"classes must list at least 2 classes. Got {listed.tolist()}.")
        return listed
    if listed.tolist() != known.tolist():
        raise ValueError(
            f"classes must be the same in every call of partial_fit, {known.tolist()}. Got {listed.tolist()}."
        )
    return known


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


# --- weights ---


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
    class_weight: Any,
    classes: NDArray[Any],
    codes: Codes,
    weights: Weights | None,
    owner: str = "TsetlinClassifier",
) -> Weights | None:
    """A factor for each class, float64 [n_classes], or None; `owner` is for messages."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):  # "balanced", scikit-learn's formula with weighted counts
        counts = np.bincount(codes, weights, minlength=len(classes))
        seen = counts > 0  # a class of weight 0 stays at weight 0
        balanced: Weights = np.where(seen, counts.sum() / (len(classes) * np.where(seen, counts, 1)), 1.0)
        return balanced
    known = {_plain(label): i for i, label in enumerate(classes)}
    factors = np.ones(len(classes))
    for label, factor in class_weight.items():
        if _plain(label) not in known:
            raise ValueError(
                f"The 'class_weight' parameter of {owner} must name only classes in y, "
                f"{list(known)}. Got {label!r}."
            )
        if not _FACTOR.accepts(factor):
            raise ValueError(
                f"The 'class_weight' parameter of {owner} must map each class to {_FACTOR}. "
                f"Got {factor!r} for {label!r}."
            )
        factors[known[_plain(label)]] = float(factor)
    return factors


def combine_weights(weights: Weights | None, factors: Weights | None, codes: Codes) -> Weights | None:
    """Sample weights times class weights."""
    if factors is None:
        return weights
    combined: Weights = factors[codes] * (1.0 if weights is None else weights)
    if combined.max(initial=0.0) > MAX_SAMPLE_WEIGHT:
        raise ValueError(
            f"sample_weight times class_weight must be at most {MAX_SAMPLE_WEIGHT:g}. Got {combined.max()}."
        )
    return combined


def mean_weight(weights: Weights) -> float:
    """The mean of the weights above 0."""
    return float(weights[weights > 0].mean())


def weight_scale(weights: Weights | None) -> float:
    """The factor that lowers the mean of the weights above 0 to MAX_MEAN_WEIGHT, 1 if it is not larger.

    Warns the caller of `fit` of such weights, and of weights with which an epoch visits few of the rows.
    """
    if weights is None or not weights.any():
        return 1.0
    mean = mean_weight(weights)
    if 0.5 <= mean <= MAX_MEAN_WEIGHT * (1 + 1e-9):  # not what rounding adds
        return 1.0
    if mean < 0.5:
        so = "most rows are left out of most epochs. Scale sample_weight to average 1"
    else:
        so = f"they are scaled down to average {MAX_MEAN_WEIGHT:g}. "
        so += "Repeat the rows instead if weights are counts"
    warnings.warn(
        f"A row of weight w is visited w times per epoch, and these weights average {mean:.3g}: {so}.",
        UserWarning,
        stacklevel=level_of_user(),
    )
    return min(1.0, MAX_MEAN_WEIGHT / mean)


# --- what else `fit` takes ---


def check_eval_set(eval_set: Any) -> dict[str, tuple[Any, Any]]:
    """Held-out sets by name: `eval` for one pair (X, y), `eval_0`, `eval_1`, ... for a list of pairs."""
    if eval_set is None:
        return {}
    if isinstance(eval_set, tuple) and len(eval_set) == 2:
        return {"eval": (eval_set[0], eval_set[1])}
    if isinstance(eval_set, list) and all(isinstance(p, tuple) and len(p) == 2 for p in eval_set):
        return {f"eval_{i}": pair for i, pair in enumerate(eval_set)}
    found = type(eval_set).__name__
    if isinstance(eval_set, (tuple, list)):
        found += f" of {', '.join(type(part).__name__ for part in eval_set[:5])}"
    raise ValueError(f"eval_set must be a tuple (X, y) or a list of such tuples. Got {found}.")


def check_callbacks(callbacks: Any) -> tuple[Callable[[Any], object], ...]:
    """One callable or several."""
    if callbacks is None:
        return ()
    if callable(callbacks):
        return (callbacks,)
    if isinstance(callbacks, str) or not isinstance(callbacks, Iterable):
        raise ValueError(f"callbacks must be a callable or a list of callables. Got {callbacks!r}.")
    listed = tuple(callbacks)
    for callback in listed:
        if not callable(callback):
            raise ValueError(f"callbacks must be callables. Got {callback!r}.")
    return listed
