"""What a model must not do: use some features, or let its vote fall (or rise) where a feature grows.

Both forbid literals: a clause for the positive class may only ask a rising feature to be large, a clause
against only to be small, so that every term of the vote rises with the feature, and so does their sum. Exact
simplification changes no vote, so it keeps that. Not here: the mask's effect on learning (the engines).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column, plain_selection, selected_indices
from clausal.encoding.encoding import Encoding
from clausal.encoding.patches import require_table
from clausal.machine.clause_model import ClauseModel
from clausal.machine.settings import owner_of
from clausal.outcome import Outcome
from clausal.parameters import Number
from clausal.rules.rule import Rule

Signs = NDArray[np.int8]
Mask = NDArray[np.bool_]

_SIGN = Number(-1, 1)


def allowed_literals(settings: Any, encoding: Encoding, outcome: Outcome) -> Mask | None:
    """The literals that an estimator's parameters allow, bool [2, 2 * columns]; None where all are.

    Row 0 is for what votes for a bank, row 1 for what votes against it.
    """
    if settings.monotonic_cst is None and settings.forbidden_features is None:
        return None
    owner = owner_of(settings)
    if settings.monotonic_cst is not None and outcome.n_banks > 1:
        raise ValueError(
            f"The 'monotonic_cst' parameter of {owner} must be None for more than two classes, whose votes "
            f"compete. Got {settings.monotonic_cst!r} for {len(outcome.classes)} classes."
        )
    if settings.monotonic_cst is not None:
        require_table(encoding, "the 'monotonic_cst' parameter")
    signs = monotonic_signs(settings.monotonic_cst, encoding, owner)
    forbidden = forbidden_positions(settings.forbidden_features, encoding, owner)
    allowed = literal_mask(encoding.columns, signs, forbidden)
    if not allowed.any():
        raise ValueError(
            f"The 'forbidden_features' parameter of {owner} must leave at least one feature that varies. "
            f"Got {settings.forbidden_features!r}."
        )
    return allowed


def monotonic_signs(parameter: Any, encoding: Encoding, owner: str = "TsetlinClassifier") -> Signs:
    """How the vote may move when each feature grows: 1 up only, -1 down only, 0 either; int8 [features].

    Parameters
    ----------
    parameter : `monotonic_cst` as a user gives it: None, one number per feature, or a dict by name
    encoding : which knows the features
    owner : whose parameter it is, for messages
    """
    said = f"The 'monotonic_cst' parameter of {owner}"
    signs, names = np.zeros(encoding.n_features, np.int8), encoding.names
    if parameter is None:
        return signs
    if isinstance(parameter, dict):
        stray = [name for name in parameter if not isinstance(name, str)]
        if stray:
            raise ValueError(f"{said} must, as a dict, have names of features as keys. Got {stray[0]!r}.")
        positions = selected_indices(list(parameter), names, len(signs), said)
        given = list(parameter.values())
    else:
        positions, given = list(range(len(signs))), plain_selection(parameter, said)
        if len(given) != len(signs):
            raise ValueError(f"{said} must have one entry per feature ({len(signs)}). Got {len(given)}.")
    for position, sign in zip(positions, given, strict=True):
        if not _SIGN.accepts(sign) or sign != int(sign):
            raise ValueError(f"{said} must hold only -1, 0 and 1. Got {sign!r}.")
        signs[position] = int(sign)
        if sign and not encoding.features[position].ordered:
            name = repr(names[position]) if names else position
            raise ValueError(
                f"{said} must be 0 for feature {name}, whose categories have no order. Got {sign!r}."
            )
    return signs


def forbidden_positions(parameter: Any, encoding: Encoding, owner: str = "TsetlinClassifier") -> list[int]:
    """Positions of the features that no rule may use, from `forbidden_features` as a user gives it."""
    said = f"The 'forbidden_features' parameter of {owner}"
    return selected_indices(plain_selection(parameter, said), encoding.names, encoding.n_features, said)


def literal_mask(columns: tuple[Column, ...], signs: Signs, forbidden: list[int]) -> Mask:
    """Literals that clauses for (row 0) and against (row 1) may include, bool [2, 2 * columns]."""
    feature = np.array([column.feature_index for column in columns])
    helps = signs[feature] * np.array([column.direction for column in columns])  # 1: true raises the vote
    plain, negated = helps >= 0, helps <= 0
    free = ~np.isin(feature, forbidden)
    return np.block([[plain & free, negated & free], [negated & free, plain & free]])


def allowed_signs(rule: Rule, signs: Signs) -> set[int]:
    """The signs of points, of {1, -1}, with which the rule keeps the vote monotone.

    A rule that asks a rising feature to be large may only add points, one that asks it to be small may only
    take some away; one that asks for both, such as an interval, may do neither. Whether a value is missing
    is free: a constraint compares the values that are there.
    """
    allowed = {1, -1}
    for literal in rule.literals:
        helps = int(signs[literal.column.feature_index]) * literal.column.direction
        if helps:
            allowed &= {-helps if literal.negated else helps}
    return allowed


def check_resumed(model: ClauseModel, allowed: Mask | None, columns: tuple[Column, ...], owner: str) -> None:
    """Refuse to go on from a model that includes what is no longer allowed."""
    if allowed is None:
        return
    own = allowed[(model.polarity < 0).astype(int)]  # [clauses, literals]
    breaches = np.argwhere(model.include & ~own)
    if len(breaches):
        _, clause, k = breaches[0].tolist()
        text = columns[k % len(columns)].text(negated=k >= len(columns))
        side = "for" if model.polarity[clause] > 0 else "against"
        raise ValueError(
            f"The parameters monotonic_cst and forbidden_features of {owner} must allow what the present "
            f"model includes, to go on from it. Got a clause {side} with `{text}`."
        )
