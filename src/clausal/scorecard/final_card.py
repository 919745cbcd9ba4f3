"""The scorecard on all rows: the chosen search and size, whole constants, and the calibration of its votes.

Not here: how search, size and calibration are chosen (validation.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clausal.engine.card_search import SCORE_UNIT, CardTerm
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import reduce_encoding, simplify, sorted_rules
from clausal.scorecard.calibration import Calibration, Floats, exact_sum, row_losses
from clausal.scorecard.cut_off import constant_at
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.search_space import Clauses, Limits, Search, SearchSpace


@dataclass(frozen=True, eq=False)
class FinalCard:
    """The scorecard that was found on all rows.

    Attributes
    ----------
    rules : RuleSet
    votes : int64 [n, banks], of the training rows
    slope, offset : the calibrated log-odds are slope * vote + offset
    """

    rules: RuleSet
    votes: NDArray[np.int64]
    slope: float
    offset: float


def final_card(
    space: SearchSpace, search: Search, size: int, clauses: Clauses, limits: Limits, calibration: Calibration
) -> FinalCard:
    """The scorecard of a search and a size, on all rows; without rules if the scores carry no information."""
    rows = space.rows
    sizes = tuple(one for one in limits.sizes if one <= size)
    cards = space.find_cards(search, rows.weights, clauses, limits, sizes, thorough=True)
    card, value = 0, int(cards.values[0])
    terms: list[CardTerm] = cards.terms(card)
    scores = space.table.scores(cards, np.arange(len(rows.codes)))[card].T - cards.offsets[card]
    if not calibration.is_informative:
        terms = terms[: len(space.constraints.fixed)]
        scores = space.points_of(terms) * value
    votes = scores.astype(np.int64) // value
    own_slope, own_offsets = calibration.on(rows, (scores + cards.offsets[card]) / SCORE_UNIT)
    slope = max(own_slope * value / SCORE_UNIT, 1e-9)
    offsets = own_slope * cards.offsets[card] / SCORE_UNIT + own_offsets
    factor, offset = 1, 0.0
    if rows.outcome.positive is not None:
        cut_off = calibration.cut_off if terms else 0.5  # without rules: the larger class
        constants = [constant_at(cut_off, slope, float(offsets[0]))]
        offset = float(offsets[0] - slope * constants[0])
    else:
        max_factor = 1 if space.constraints.limit_points else limits.max_points // _largest(terms)
        factor, constants = integer_constants(votes, rows, slope, offsets, max_factor)
    found = [replace(rule, points=factor * rule.points) for rule in space.rules_of(terms)]
    rules = RuleSet((), rows.encoding, rows.outcome).with_rules(found, constants)
    totals = factor * votes + np.array(constants)
    return FinalCard(reduce_encoding(simplified(rules, space)), totals, slope / factor, offset)


def simplified(rules: RuleSet, space: SearchSpace) -> RuleSet:
    """The rules, simplified; not fixed ones, which come first, and not if bounds would not be kept."""
    n_fixed = len(space.constraints.fixed)
    if not space.constraints.limit_points and not n_fixed:
        return simplify(rules)
    simple = simplify(rules[n_fixed:])
    if not space.constraints.are_kept_by(simple):
        simple = rules[n_fixed:]
    return sorted_rules(simple.with_rules([*rules[:n_fixed], *simple]))


def _largest(terms: Iterable[CardTerm]) -> int:
    """The largest points of a term, at least 1."""
    return max([1, *(abs(points) for _, _, points in terms)])


_MAX_LOSS = 1.01  # of the loss with real offsets; finer points are used until constants reach it


def integer_constants(
    votes: NDArray[np.int64], rows: SearchRows, slope: float, offsets: Floats, max_factor: int
) -> tuple[int, list[int]]:
    """A factor of all points and the integer constants of K > 2 banks, for votes [n, banks].

    If a point is worth much, integer constants can be far from offsets / slope. The points are therefore
    multiplied by the smallest factor up to `max_factor` with which the constants cost almost no loss.
    """
    wanted = _MAX_LOSS * _loss(slope * votes + offsets, rows)
    found: list[tuple[float, int, list[int]]] = []
    for factor in range(1, max(max_factor, 1) + 1):
        loss, constants = _best_constants(factor * votes, rows, slope / factor, offsets)
        found.append((loss, factor, constants))
        if loss <= wanted:
            break
    _, factor, constants = min(found)
    return factor, constants


def _best_constants(
    votes: NDArray[np.int64], rows: SearchRows, slope: float, offsets: Floats
) -> tuple[float, list[int]]:
    """The loss and the constants near offsets / slope of which none can change by one to a lower loss."""
    constants = np.clip(np.rint(offsets / slope), -(2**31), 2**31)
    best = _loss(slope * (votes + constants), rows)
    improved = True
    while improved:
        improved = False
        for bank, step in [(bank, step) for bank in range(len(offsets)) for step in (1.0, -1.0)]:
            tried = constants.copy()
            tried[bank] += step
            loss = _loss(slope * (votes + tried), rows)
            if loss < best:
                constants, best, improved = tried, loss, True
    return best, [int(constant) for constant in constants]


def _loss(log_odds: Floats, rows: SearchRows) -> float:
    return float(exact_sum(rows.weights * row_losses(log_odds, rows.codes)))
