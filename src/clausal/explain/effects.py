"""The effect of each feature on the votes: the points of a rule are split equally among its features.

For each row, the effects and the constant add up to the vote. Not here: single rules, and reasons for a
decision (reasons.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.explain.cells import Cells, cells_of_rules
from clausal.rules.rule_set import RuleSet
from clausal.rules.wording import conditions_text

Floats = NDArray[np.float64]


def shared_points(rules: RuleSet) -> Floats:
    """The points of each rule, split equally among its features, float [rules, features]."""
    shares = np.zeros((len(rules), rules.encoding.n_features))
    for index, rule in enumerate(rules):
        shares[index, list(rule.features)] = rule.points / len(rule.features)
    return shares


def feature_importances(rules: RuleSet) -> Floats:
    """The share of each feature in the points of all rules, float [features]; all 0 if there are no rules."""
    sizes: Floats = np.abs(shared_points(rules)).sum(axis=0)
    return sizes / (sizes.sum() or 1.0)


def feature_effects(rules: RuleSet, X: Any) -> Floats:
    """What each feature adds to the votes, float [n, features], or [n, K, features] for K > 2 classes."""
    return _effects(rules, rules.fires(X))


def _effects(rules: RuleSet, fires: NDArray[np.bool_]) -> Floats:
    shares = shared_points(rules)
    banks = np.array([rule.bank for rule in rules], np.intp)
    effects = np.stack(
        [fires[:, banks == bank] @ shares[banks == bank] for bank in range(rules.n_banks)], axis=1
    )
    return rules.outcome.flat(effects, axis=1)


@dataclass(frozen=True, eq=False)
class EffectCurve:
    """How the effect of one feature depends on its value.

    Attributes
    ----------
    feature : name of the feature
    texts : the condition of each part of its range, such as `54 < age <= 61`; no rule splits a part
    counts : int [parts], number of rows in each part
    means : float [parts], or [parts, K] for K > 2 classes: the mean effect on their vote; 0 without rows
    """

    feature: str
    texts: tuple[str, ...]
    counts: NDArray[np.intp]
    means: Floats


def effect_curves(rules: RuleSet, X: Any) -> list[EffectCurve]:
    """The mean effect, over the rows of a table, of each feature in each part of its range."""
    bits = rules.encoding.dense_bits(X)
    effects = _effects(rules, rules.fires_on(bits))  # [n, (K,) features]
    curves = []
    for cells in cells_of_rules(rules):
        part = cells.of_pattern[cells.pattern_of(bits)]
        n_parts = len(cells.allows)
        counts = np.bincount(part, minlength=n_parts)
        effect = effects[..., cells.feature]  # [n] or [n, K]
        sums = np.zeros((n_parts, *effect.shape[1:]))
        np.add.at(sums, part, effect)
        means = sums / np.maximum(counts, 1).reshape(-1, *(1,) * (effect.ndim - 1))
        texts = tuple(_part_text(rules, cells, cell) for cell in range(n_parts))
        curves.append(EffectCurve(rules.columns[cells.patterns.first].feature, texts, counts, means))
    return curves


def _part_text(rules: RuleSet, cells: Cells, cell: int) -> str:
    """The condition of one cell as text."""
    meaning = sum(1 << pattern for pattern in np.flatnonzero(cells.of_pattern == cell).tolist())
    literals = cells.patterns.literals(meaning)
    assert literals is not None, "every cell is described by an AND of literals"
    return conditions_text((rules.columns[index], negated) for index, negated in literals)
