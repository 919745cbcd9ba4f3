"""The parameters of RuleClassifier and RuleRegressor: their constraints, alone and together.

Here too: what the two estimators share. Not here: what the parameters mean for rules (rule_constraints.py,
search_space.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from sklearn.base import clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from clausal.encoding.booleanizer import Booleanizer
from clausal.engine.card_search import MAX_POINTS
from clausal.explain.explain_rows import Explainable
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.scored import Scored
from clausal.machine.settings import PARAMETERS as MACHINE_PARAMETERS
from clausal.machine.settings import FittedParts, check_machine_parameters
from clausal.parameters import Constraint, Instance, Number, OneOf, Whole, check_parameters
from clausal.progress import Advance, progress, say
from clausal.scorecard.folds import Splits
from clausal.scorecard.kept_constraints import constraints_of
from clausal.scorecard.numbers import LOSSES
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.rule_constraints import PARAMETERS as RULE_PARAMETERS
from clausal.scorecard.rule_constraints import check_shapes
from clausal.scorecard.scorecard import Scorecard
from clausal.scorecard.scoring import check_scoring_name

PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    "estimator": (OneOf(None), Instance(TsetlinClassifier, "a TsetlinClassifier")),
    "max_literals": (OneOf(None), Whole(1, 10_000)),
    "max_rules": (OneOf(None), Whole(1, 10_000)),
    "max_features": (OneOf(None), Whole(1, 10_000)),
    "max_points": (Whole(1, MAX_POINTS),),
    **RULE_PARAMETERS,
    "parsimony": (Number(0, 10),),
    "n_alternatives": (Whole(0, 100),),
    "cv": (OneOf(None), Whole(2, 1_000), Splits()),
    **{
        name: MACHINE_PARAMETERS[name]
        for name in (
            "class_weight",
            "pos_label",
            "booleanizer",
            "monotonic_cst",
            "forbidden_features",
            "n_jobs",
            "random_state",
            "verbose",
        )
    },
}
_NOT_OF_NUMBERS = ("estimator", "n_alternatives", "class_weight", "pos_label")
NUMBER_PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    "loss": (OneOf(*LOSSES),),
    "quantile": (OneOf(None), Number(0, 1, True, True)),
    **{name: each for name, each in PARAMETERS.items() if name not in _NOT_OF_NUMBERS},
}
MACHINE_DEFAULTS = {
    "pos_label": None,
    "booleanizer": "auto",
    "monotonic_cst": None,
    "forbidden_features": None,
}
"""Parameters of the machine, with the values that they must have if an estimator is given."""


def check_rule_classifier(settings: Any, stored: bool) -> None:
    """Raise a ValueError unless all parameters are valid, alone and together; `stored` if from a file."""
    check_parameters(settings, PARAMETERS)
    check_shapes(settings)
    if not stored:  # a model file of an earlier version may have another scorer
        check_scoring_name(settings.scoring, type(settings).__name__)
    for name, default in MACHINE_DEFAULTS.items():
        if settings.estimator is not None and not OneOf(default).accepts(getattr(settings, name)):
            raise ValueError(
                f"The {name!r} parameter of {type(settings).__name__} must be {default!r} if 'estimator' "
                f"is given, because the estimator has its own. Got {getattr(settings, name)!r}."
            )
    unused = None if stored or settings.estimator is None else settings.estimator.class_weight
    if unused is not None and settings.class_weight is None:
        raise ValueError(
            f"The 'class_weight' parameter of the 'estimator' of {type(settings).__name__} must be None, "
            "because that machine only proposes rules: give it as the 'class_weight' of "
            f"{type(settings).__name__}, which weights all steps. Got {unused!r}."
        )


def machine_of(settings: Any) -> TsetlinClassifier:
    """An unfitted copy of the given estimator without its class weights, which the rows have already."""
    machine: TsetlinClassifier = clone(settings.estimator)
    check_machine_parameters(machine)
    machine.set_params(class_weight=None)
    return machine


def unused_remarks(settings: Any) -> tuple[str, ...]:
    """A sentence for each parameter of the given estimator that a fit makes no use of."""
    given, owner = settings.estimator, type(settings).__name__
    if given is None:
        return ()
    said = []
    if given.random_state is not None and settings.random_state is None:
        said.append(
            f"The 'random_state' of the 'estimator' is not used: give it as the 'random_state' of {owner}, "
            "which is the seed of all machines and of the folds."
        )
    if given.warm_start:
        said.append(
            f"The 'warm_start' of the 'estimator' is not used: {owner} trains new machines in every fit."
        )
    return tuple(said)


_CONSTRAINTS = ("monotonic_cst", "forbidden_features", "interaction_cst", "points_bounds", "max_features")


def naming_constraints(settings: Any, remarks: tuple[str, ...]) -> tuple[str, ...]:
    """What is said of a scorecard that predicts little, with the constraints that may be the reason."""
    given = getattr(settings, "estimator", None)
    values = {name: getattr(given, name, None) for name in _CONSTRAINTS} if given is not None else {}
    names = [
        repr(name)
        for name in _CONSTRAINTS
        if getattr(settings, name) is not None or values.get(name) is not None
    ]
    if not names:
        return remarks
    also = f"The constraints may also be the reason: {', '.join(names)}."
    return tuple(f"{remark} {also}" for remark in remarks)


class CardEstimator(Scored, FittedParts, Explainable):
    """What the estimators of scorecards have in common: `to_scorecard`, seeds, progress and tags."""

    booleanizer: Any
    random_state: Any
    verbose: int
    _owned_parts: Callable[[], dict[str, Any]]  # what a Scorecard has beside the rules

    def to_scorecard(self, about: Mapping[str, str] | None = None) -> Scorecard:
        """The fitted scorecard as a model that you own, which can be edited and saved.

        Parameters
        ----------
        about : dict of str, default=None
            What readers should know, such as "name", "purpose" and "owner".

        Returns
        -------
        Scorecard
            It has the same votes and predictions, and does not change with this estimator.
        """
        check_is_fitted(self, "rules_")
        return Scorecard(self.rules_, **self._owned_parts(), about=about, constraints=constraints_of(self))

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    @contextmanager
    def _progress(self, n_steps: int) -> Iterator[Advance]:
        """The progress bar of a fit, whose scorers use one BLAS thread."""
        shown = progress(n_steps, bool(self.verbose), "compacting", "steps")
        with threadpool_limits(1, "blas"), shown as advance:
            yield advance

    def _say_sample(self, rows: SearchRows) -> None:
        """With `verbose`, say how many rows machines are trained on if these are not all."""
        if self.verbose and rows.n_sampled is not None:
            say(
                f"The search reads all {len(rows.codes):,} distinct rows. Machines, which propose "
                f"rules, are trained on a sample of {rows.n_sampled:,}, taken by class."
            )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rules_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of the base classes of scikit-learn
        chosen = getattr(getattr(self, "estimator", None), "booleanizer", self.booleanizer)
        mode = chosen.mode if isinstance(chosen, Booleanizer) else chosen
        tags.input_tags.allow_nan = tags.input_tags.string = mode not in (None, "boolean")
        return cast(Tags, tags)
