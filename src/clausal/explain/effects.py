"""What each feature does to the votes: a rule's points are split equally over the features it tests.

So the effects of a row add up, with the constant, to its vote. Not here: single rules and reasons in
words (reasons.py).
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
    """Each rule's points, split equally over its features, float [rules, features]."""
    shares = np.zeros((len(rules), rules.encoding.n_features))
    for place, rule in enumerate(rules):
        shares[place, list(rule.features)] = rule.points / len(rule.features)
    return shares


def feature_importances(rules: RuleSet) -> Floats:
    """Each feature's share of the points of all rules, float [features]; all 0 where there are no rules."""
    sizes: Floats = np.abs(shared_points(rules)).sum(axis=0)
    return sizes / (sizes.sum() or 1.0)


def feature_effects(rules: RuleSet, X: Any) -> Floats:
    """What each feature adds to each row's votes, float [n, features], for K > 2 classes [n, K, features]."""
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
    """How one feature's effect depends on its value.

    Attributes
    ----------
    feature : name of the feature
    texts : what holds in each part of its range that the rules tell apart, such as `54 < age <= 61`
    counts : int [parts], the rows that lie there
    means : float [parts], the mean effect on their vote; for K > 2 classes [parts, K]; 0 without rows
    """

    feature: str
    texts: tuple[str, ...]
    counts: NDArray[np.intp]
    means: Floats


def effect_curves(rules: RuleSet, X: Any) -> list[EffectCurve]:
    """The mean effect of each feature that rules use in each part of its range, over the rows of a table."""
    bits = rules.encoding.dense_bits(X)
    effects = _effects(rules, rules.fires_on(bits))  # [n, (K,) features]
    curves = []
    for cells in cells_of_rules(rules):
        part = cells.of_pattern[cells.pattern_of(bits)]
        n_parts = len(cells.allows)
        counts = np.bincount(part, minlength=n_parts)
        own = effects[..., cells.feature]  # [n] or [n, K]
        sums = np.zeros((n_parts, *own.shape[1:]))
        np.add.at(sums, part, own)
        means = sums / np.maximum(counts, 1).reshape(-1, *(1,) * (own.ndim - 1))
        texts = tuple(_part_text(rules, cells, number) for number in range(n_parts))
        curves.append(EffectCurve(rules.columns[cells.patterns.first].feature, texts, counts, means))
    return curves


def _part_text(rules: RuleSet, cells: Cells, number: int) -> str:
    """What holds in one cell, in words."""
    meaning = sum(1 << pattern for pattern in np.flatnonzero(cells.of_pattern == number).tolist())
    signs = cells.patterns.literals(meaning)
    assert signs is not None, "a cell is where some columns hold and others do not"
    return conditions_text((rules.columns[place], negated) for place, negated in signs)
