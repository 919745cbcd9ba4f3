"""The parameters every Tsetlin estimator has: their valid values, alone and together, and what "auto" means.

The defaults come from a study on data other than the paper's (docs/decisions/0004-defaults.md). Also here:
the fitted attributes that belong together. Not here: checks of data, what T does in training
(docs/algorithm.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.patch_encoder import PatchEncoder
from clausal.export import Exportable
from clausal.parameters import (
    Constraint,
    Instance,
    Listing,
    Matching,
    Number,
    OneOf,
    Pair,
    Whole,
    check_parameters,
)

_BOOLEAN = OneOf(True, False)
MAX_SPECIFICITY = 1e6
_SPECIFICITY = Number(1.0, MAX_SPECIFICITY)
MAX_NUMBER = 1e100
"""The largest size of a number to predict, so that squares of differences are finite."""

PARAMETERS: Mapping[str, tuple[Constraint, ...]] = {
    "n_clauses": (OneOf("auto"), Whole(2, 2**24, even=True)),
    "threshold": (OneOf("auto"), Whole(1, 2**30)),
    "specificity": (OneOf("auto"), _SPECIFICITY, Pair(_SPECIFICITY)),
    "weighting": (OneOf("integer", "none", "real", "rwtla", "cpl_ats"),),
    "sharing": (OneOf(None, "clauses"),),
    "n_epochs": (OneOf("auto"), Whole(1)),
    "booleanizer": (
        OneOf("auto", "paper", None),
        Instance((Booleanizer, PatchEncoder), "a Booleanizer or a PatchEncoder"),
    ),
    "weight_floor": (Whole(0, 2**31 - 1),),
    "max_weight": (OneOf(None), Number(1.0, 2**31 - 1)),
    "weight_gain": (Number(0.001, 1.0),),
    "n_states": (Whole(1, 128),),
    "boost_true_positive": (_BOOLEAN,),
    "max_clause_literals": (OneOf(None), Whole(1, 2**31 - 1)),
    "drop_clause": (Number(0.0, 1.0, open_high=True),),
    "negative_sampling": (OneOf("uniform", "focused"),),
    "class_weight": (OneOf("balanced", None), Instance(dict, "a dict")),
    "pos_label": (OneOf(None), Instance((str, int, float, np.generic), "a class label")),
    "categorical_features": (
        OneOf("from_dtype", None),
        Listing("a list of names, of positions or of booleans"),
    ),
    "monotonic_cst": (
        OneOf(None),
        Instance(dict, "a dict of -1, 0 and 1 by name"),
        Listing("a list of -1, 0 and 1, one per feature"),
    ),
    "forbidden_features": (
        OneOf(None),
        Listing("a list of names, of positions or of booleans"),
    ),
    "early_stopping": (_BOOLEAN,),
    "validation_fraction": (Number(0.0, 1.0, open_low=True, open_high=True),),
    "n_iter_no_change": (Whole(1),),
    "tol": (Number(0.0),),
    "warm_start": (_BOOLEAN,),
    "backend": (OneOf("auto", "cpu", "cuda", "reference"), Matching("cuda:[0-9]{1,3}", "'cuda:N' for GPU N")),
    "n_jobs": (OneOf(None), Whole(1, 2**15), Whole(-(2**15), -1)),
    "random_state": (
        OneOf(None),
        Whole(0, 2**32 - 1),
        Instance(np.random.RandomState, "a numpy.random.RandomState"),
    ),
    "verbose": (Whole(0), _BOOLEAN),
}

_OF_CLASSES = ("sharing", "negative_sampling", "class_weight", "pos_label")
NUMBER_PARAMETERS: Mapping[str, tuple[Constraint, ...]] = {
    **{name: constraints for name, constraints in PARAMETERS.items() if name not in _OF_CLASSES},
    "n_clauses": (OneOf("auto"), Whole(1, 2**24)),
    "weighting": (OneOf("integer", "none", "real"),),
    "loss": (OneOf("squared_error", "absolute_error", "quantile"),),
    "quantile": (OneOf(None), Number(0.0, 1.0, open_low=True, open_high=True)),
    "target_range": (OneOf(None), Pair(Number(-MAX_NUMBER, MAX_NUMBER))),
}
"""The parameters of a machine that predicts numbers."""

FIXED: Mapping[str, Any] = {"n_clauses": 100, "specificity": 3.0, "n_epochs": 75}
"""What "auto" means where the settings are not chosen; see `resolve_threshold` for T."""

FIXED_OF_NUMBERS: Mapping[str, Any] = {"n_clauses": 800, "specificity": 3.0, "n_epochs": 100}
"""The same where numbers are predicted."""

CHOSEN_COLUMNS = 32
"""Columns per feature of booleanizer="auto" where the settings are chosen."""

AUTO_THRESHOLD_PER_CLAUSE = {"none": 0.1} | dict.fromkeys(("integer", "real", "rwtla", "cpl_ats"), 64.0)
THRESHOLD_OF_NUMBERS = {"none": 0.25, "integer": 16.0, "real": 16.0}
"""The same where numbers are predicted."""

WHOLE_WEIGHTS = ("integer", "rwtla", "cpl_ats")
_OPEN = ("n_clauses", "threshold", "specificity", "n_epochs")


@dataclass(frozen=True)
class Group:
    """Clauses that are trained together: those of each bank of a machine, or some of them.

    Attributes
    ----------
    n_clauses : int
    threshold : T of these clauses
    specificity : s of these clauses, or the pair (low, high) that is spread over them
    factor : how often a vote of these clauses counts in the votes of the machine
    """

    n_clauses: int
    threshold: int
    specificity: float | tuple[float, float]
    factor: int = 1


@dataclass(frozen=True)
class Chosen:
    """What was chosen, and how well it did on the rows that were held out.

    Attributes
    ----------
    groups : of clauses, each with its T and s
    n_epochs : of the fit on all rows
    slope : log-odds per vote, for calibrated probabilities
    log_loss, accuracy : of held-out rows, slightly optimistic, as the best of several
    """

    groups: tuple[Group, ...]
    n_epochs: int
    slope: float
    log_loss: float
    accuracy: float

    def __str__(self) -> str:
        listed = ", ".join(
            f"{one.n_clauses} with T = {one.threshold:,} and s = {one.specificity:g}" for one in self.groups
        )
        return (
            f"clauses: {listed}; {self.n_epochs} epochs; held-out accuracy {self.accuracy:.3f}, "
            f"log-loss {self.log_loss:.3f}"
        )


def are_open(settings: Any) -> bool:
    """Whether `fit` chooses the settings: all four are "auto", and weights are whole and without a limit."""
    values = (getattr(settings, name) for name in _OPEN)
    free_weights = settings.weighting == "integer" and settings.max_weight is None
    return free_weights and all(isinstance(value, str) for value in values)


def fixed(settings: Any, name: str) -> Any:
    """A parameter, with the fixed value of "auto"."""
    value = getattr(settings, name)
    known = FIXED_OF_NUMBERS if settings._predicts_numbers else FIXED
    return known[name] if isinstance(value, str) else value


def plain_group(settings: Any) -> Group:
    """The clauses of a machine whose settings are not chosen."""
    n_clauses = int(fixed(settings, "n_clauses"))
    shares = THRESHOLD_OF_NUMBERS if settings._predicts_numbers else AUTO_THRESHOLD_PER_CLAUSE
    threshold = resolve_threshold(settings.threshold, n_clauses, shares[settings.weighting])
    return Group(n_clauses, threshold, fixed(settings, "specificity"))


def resolve_threshold(threshold: int | str, n_clauses: int, per_clause: float) -> int:
    """T; "auto" means so much per clause, depending on how large weights can become."""
    if not isinstance(threshold, str):
        return int(threshold)
    return max(1, round(per_clause * n_clauses))


USED_IN_PREDICTION = {name: PARAMETERS[name] for name in ("backend", "n_jobs")}


@dataclass(frozen=True)
class PartOf:
    """A larger fit that a fit is a part of: it has read and merged the rows, and warns by itself.

    Attributes
    ----------
    owner : name of the estimator that the parameters come from, for messages; None if they are the user's own
    """

    owner: str | None = None


def owner_of(settings: Any) -> str:
    """The name of the estimator whose parameters the user has written, for messages."""
    part: PartOf | None = settings._part_of
    return type(settings).__name__ if part is None or part.owner is None else part.owner


def check_machine_parameters(settings: Any) -> None:
    """Raise a ValueError unless all parameters of a machine are valid, alone and together."""
    check_parameters(settings, NUMBER_PARAMETERS if settings._predicts_numbers else PARAMETERS)
    check_together(settings)


def check_together(settings: Any) -> None:
    """Raise a ValueError where parameters that are valid alone contradict each other."""
    name = type(settings).__name__
    if shares_clauses(settings):
        _check_sharing(settings, name)
    if settings.max_weight is not None and settings.weighting in WHOLE_WEIGHTS:
        if float(settings.max_weight) != int(settings.max_weight):
            raise ValueError(
                f"The 'max_weight' parameter of {name} must be a whole number when weighting="
                f"{settings.weighting!r}. Got {settings.max_weight!r}."
            )
        if settings.max_weight < settings.weight_floor:
            raise ValueError(
                f"The 'max_weight' parameter of {name} must not be below weight_floor="
                f"{settings.weight_floor!r}. Got {settings.max_weight!r}."
            )
    if settings._predicts_numbers:
        check_numbers_together(settings)


def check_quantile(settings: Any) -> None:
    """Raise a ValueError where a quantile is given with another loss, or missing with its own."""
    name, given = type(settings).__name__, settings.quantile
    if (settings.loss == "quantile") != (given is not None):
        needed = "a number between 0 and 1" if given is None else "None"
        raise ValueError(
            f"The 'quantile' parameter of {name} must be {needed} when loss={settings.loss!r}. Got {given!r}."
        )


def check_numbers_together(settings: Any) -> None:
    """Raise a ValueError where parameters about numbers contradict each other."""
    check_quantile(settings)
    name = type(settings).__name__
    if settings.target_range is not None and len({*map(float, settings.target_range)}) < 2:
        raise ValueError(
            f"The 'target_range' parameter of {name} must be a pair of different numbers. "
            f"Got {settings.target_range!r}."
        )


def shares_clauses(settings: Any) -> bool:
    """Whether all banks have the same clauses; a regressor has one bank."""
    return not settings._predicts_numbers and settings.sharing is not None


_WITH_SHARING = {"weighting": "integer", "weight_floor": 0, "monotonic_cst": None}
"""What other parameters must be where banks share their clauses: weights then change their sign."""


def _check_sharing(settings: Any, name: str) -> None:
    for parameter, wanted in _WITH_SHARING.items():
        value = getattr(settings, parameter)
        if value is not wanted and value != wanted:
            raise ValueError(
                f"The {parameter!r} parameter of {name} must be {wanted!r} with "
                f"sharing={settings.sharing!r}, where weights may be above or below 0. Got {value!r}."
            )


def check_partial_fit(settings: Any) -> None:
    """Raise a ValueError where a parameter asks for what `partial_fit` cannot do."""
    name = type(settings).__name__
    if settings.early_stopping:
        raise ValueError(
            f"The 'early_stopping' parameter of {name} must be False for partial_fit, which has no epochs. "
            f"Got {settings.early_stopping!r}."
        )
    if not settings._predicts_numbers and isinstance(settings.class_weight, str):
        raise ValueError(
            f"The 'class_weight' parameter of {name} must be a dict or None for partial_fit, which never "
            f"sees all of y. Got {settings.class_weight!r}."
        )


class FittedParts(Exportable):
    """A base class of estimators: with `export`, and without a way to replace a fitted attribute by hand.

    It also knows what it is a part of.

    `fit`, `load`, pickle and `copy` write to `__dict__` or set an attribute that is not there yet.
    """

    _PARTS: ClassVar[tuple[str, ...]] = ()
    _INSTEAD: ClassVar[str] = ""
    _predicts_numbers: ClassVar[bool] = False
    _part_of: PartOf | None = None
    _remarks: tuple[str, ...] = ()

    def _own_remarks(self, remarks: tuple[str, ...]) -> tuple[str, ...]:
        """Keep remarks about the table; returns those to warn of here, which a larger fit does itself."""
        self._remarks = remarks
        return () if self._part_of else remarks

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._PARTS and name in self.__dict__:
            raise AttributeError(
                f"{name} of {type(self).__name__} must not be replaced: {', '.join(self._PARTS)} belong "
                f"together. {self._INSTEAD} Got a {type(value).__name__}."
            )
        super().__setattr__(name, value)
