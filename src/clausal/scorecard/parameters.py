"""The parameters of RuleClassifier: their constraints, alone and together.

Not here: what they mean for rules (rule_constraints.py, search_space.py).
"""

from __future__ import annotations

from typing import Any

from clausal.engine.card_search import MAX_POINTS
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.settings import PARAMETERS as MACHINE_PARAMETERS
from clausal.parameters import Constraint, Instance, Number, OneOf, Whole, check_parameters
from clausal.scorecard.folds import Splits
from clausal.scorecard.rule_constraints import check_shapes
from clausal.scorecard.scoring import check_scoring_name

PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    "estimator": (OneOf(None), Instance(TsetlinClassifier, "a TsetlinClassifier")),
    "max_literals": (OneOf(None), Whole(1, 10_000)),
    "max_rules": (OneOf(None), Whole(1, 10_000)),
    "max_features": (OneOf(None), Whole(1, 10_000)),
    "max_points": (Whole(1, MAX_POINTS),),
    "fixed_rules": (OneOf(None), Instance((list, tuple), "a list of rules in words")),
    "points_bounds": (OneOf(None), Instance(dict, "a dict of pairs (least, most) by feature")),
    "interaction_cst": (
        OneOf(None, "pairwise", "no_interactions"),
        Instance((list, tuple), "a list of groups of features"),
    ),
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
