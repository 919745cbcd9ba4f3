"""Which few of many candidate rules to keep: two searches, each giving models from one literal up.

`forward_path` adds the rule that lowers the loss most per literal, refits, and swaps rules while that helps:
best where the truth is crisp logic. `lasso_path` lets an L1 penalty per literal choose: best on small noisy
tables. Not here: targets that are softer than labels (soft_targets.py), whole-number points (points.py), and
how the size is chosen (compaction.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausal.scorecard.logistic import Fit, Floats, Places, Targets, fit_logistic

_LEAST_GAIN = 1e-3  # of the loss, for a step to be worth taking
_SWAP_MARGIN = 1.02  # a swap is refitted when it promises this many times the gain
_PENALTIES = 40  # strengths tried, from the first that lets a rule in down to a hundredth
_SMALL_MOVE = 1e-3  # of a coefficient, below which it counts as settled
_MOST_SCREENED = 150  # candidates that the penalty is worked out for at a time


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rules to choose from, on some rows.

    Attributes
    ----------
    fires : float32 [n, rules], 1 where a rule holds
    n_literals : intp [rules]
    signs : bool [rules, banks, 2], whether a rule may count for (0) or against (1) a bank's class
    """

    fires: NDArray[np.float32]
    n_literals: Places
    signs: NDArray[np.bool_]

    def sums(self, values: Floats) -> Floats:
        """Of values [n, k] over the rows where each rule holds, [rules, k]."""
        return np.asarray(self.fires.T @ values.astype(np.float32), np.float64)

    def columns(self, rules: Places | list[int]) -> Floats:
        """The outputs of some rules, [n, rules]."""
        return self.fires[:, rules].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Selection:
    """Some candidates with fitted coefficients.

    Attributes
    ----------
    rules : intp [k], places among the candidates
    banks : intp [k], whom each speaks to
    n_literals : int, their literals together
    fit : their coefficients
    """

    rules: Places
    banks: Places
    n_literals: int
    fit: Fit


Search = Callable[[Candidates, Targets, int, float], list[Selection]]


# --- forward, with swaps ---


def forward_path(candidates: Candidates, targets: Targets, most: int, ridge: float) -> list[Selection]:
    """Models of rising size up to `most` literals, each the last one with a rule more and some swapped."""
    model = _refit(candidates, targets, ridge, [], [], None)
    path: list[Selection] = []
    while len(candidates.n_literals) and model.n_literals < most:
        value = _gains(candidates, targets, model, ridge) / candidates.n_literals[:, None]
        value[candidates.n_literals > most - model.n_literals] = 0.0
        rule, bank = map(int, np.unravel_index(value.argmax(), value.shape))
        if value[rule, bank] <= _LEAST_GAIN:
            break
        larger = _refit(candidates, targets, ridge, [*model.rules, rule], [*model.banks, bank], model.fit)
        if _objective(larger.fit, ridge) >= _objective(model.fit, ridge):
            break  # the rule could not stay with the sign that it may have
        model = _swapped(candidates, targets, ridge, larger)
        path.append(model)
    return path


def _gains(candidates: Candidates, targets: Targets, model: Selection, ridge: float) -> Floats:
    """About how much each candidate would lower the loss, [rules, banks]; 0 for those in the model."""
    pull = candidates.sums(targets.pull(model.fit.scores))
    curvature = candidates.sums(targets.curvature(model.fit.scores)) + max(ridge, _LEAST_GAIN)
    gains: Floats = pull**2 / (2.0 * curvature)
    gains[np.where(pull > 0, ~candidates.signs[:, :, 0], ~candidates.signs[:, :, 1])] = 0.0
    gains[model.rules, model.banks] = 0.0
    return gains


def _swapped(candidates: Candidates, targets: Targets, ridge: float, model: Selection) -> Selection:
    """The model after the first exchange of an older rule for one no longer that lowers the loss."""
    for place in range(len(model.rules) - 1):
        without = _without(candidates, model, place)
        gains = _gains(candidates, targets, without, ridge)
        own = gains[model.rules[place], model.banks[place]]
        gains[candidates.n_literals > candidates.n_literals[model.rules[place]]] = 0.0
        rule, bank = map(int, np.unravel_index(gains.argmax(), gains.shape))
        if gains[rule, bank] <= own * _SWAP_MARGIN:
            continue
        rules, banks = [*without.rules, rule], [*without.banks, bank]
        tried = _refit(candidates, targets, ridge, rules, banks, without.fit)
        if _objective(tried.fit, ridge) < _objective(model.fit, ridge) - _LEAST_GAIN:
            return tried
    return model


def _without(candidates: Candidates, model: Selection, place: int) -> Selection:
    """The model less one rule, nothing refitted."""
    kept = np.arange(len(model.rules)) != place
    rule, bank = model.rules[place], model.banks[place]
    scores = model.fit.scores.copy()
    scores[:, bank] -= model.fit.coefficients[place] * candidates.fires[:, rule]
    fit = Fit(model.fit.coefficients[kept], model.fit.intercepts, scores, np.nan)
    n_literals = model.n_literals - int(candidates.n_literals[rule])
    return Selection(model.rules[kept], model.banks[kept], n_literals, fit)


def _refit(
    candidates: Candidates,
    targets: Targets,
    ridge: float,
    rules: list[int],
    banks: list[int],
    start: Fit | None,
) -> Selection:
    """The model of these rules; one whose coefficient takes a sign that it may not have is left out."""
    while True:
        chosen, whom = np.array(rules, np.intp), np.array(banks, np.intp)
        fit = fit_logistic(candidates.columns(chosen), whom, targets, ridge, start)
        against = (fit.coefficients < 0).astype(np.intp)
        wrong = ~candidates.signs[chosen, whom, against] & (fit.coefficients != 0)
        if not wrong.any():
            return Selection(chosen, whom, int(candidates.n_literals[chosen].sum()), fit)
        worst = int(np.abs(np.where(wrong, fit.coefficients, 0.0)).argmax())
        del rules[worst], banks[worst]
        start = None


def _objective(fit: Fit, ridge: float) -> float:
    return fit.loss + 0.5 * ridge * float(fit.coefficients @ fit.coefficients)


# --- an L1 penalty per literal ---


def lasso_path(candidates: Candidates, targets: Targets, most: int, ridge: float) -> list[Selection]:
    """Models of at most `most` literals that a falling L1 penalty lets in, each refitted without it."""
    walk = _LassoWalk(candidates, targets)
    path: list[Selection] = []
    seen: set[bytes] = set()
    for strength in walk.first * np.geomspace(0.95, 0.01, _PENALTIES):
        rules, banks = walk.solve(strength)
        key = rules.tobytes() + banks.tobytes()
        if int(candidates.n_literals[rules].sum()) > most:
            break
        if len(rules) and key not in seen:
            seen.add(key)
            model = _refit(candidates, targets, ridge, rules.tolist(), banks.tolist(), None)
            if len(model.rules):
                path.append(model)
    return path


class _LassoWalk:
    """Coefficients under a falling L1 penalty, by coordinate descent on quadratic models of the loss."""

    def __init__(self, candidates: Candidates, targets: Targets) -> None:
        self.candidates, self.targets = candidates, targets
        start = fit_logistic(candidates.columns([]), np.array([], np.intp), targets, 0.0)
        self.scores = start.scores
        self.coefficients = np.zeros((candidates.fires.shape[1], targets.n_banks))
        pull = np.abs(candidates.sums(targets.pull(self.scores)))
        self.first = float((pull / candidates.n_literals[:, None]).max(initial=0.0))
        self.last = self.first

    def solve(self, strength: float) -> tuple[Places, Places]:
        """Rules and banks with coefficients other than 0 at this penalty per literal."""
        for _ in range(8):
            slopes = self.candidates.sums(self.targets.pull(self.scores))
            bound = (2 * strength - self.last) * self.candidates.n_literals[:, None]
            working = (self.coefficients != 0) | (np.abs(slopes) >= bound)
            moved = 0.0
            for bank in range(self.targets.n_banks):
                rules = np.flatnonzero(working[:, bank])
                if len(rules) > _MOST_SCREENED:
                    rank = np.abs(slopes[rules, bank]) / self.candidates.n_literals[rules]
                    rank[self.coefficients[rules, bank] != 0] = np.inf
                    rules = np.sort(rules[np.argsort(-rank, kind="stable")[:_MOST_SCREENED]])
                moved = max(moved, self._descend(rules, bank, strength))
            if moved < 1e-2:
                break
        self.last = strength
        found = np.argwhere(self.coefficients != 0)
        return found[:, 0], found[:, 1]

    def _descend(self, rules: Places, bank: int, strength: float) -> float:
        """Minimise the loss's quadratic model over one bank's rules; gives the largest change of a score."""
        columns = self.candidates.columns(rules)
        weights = self.targets.curvature(self.scores)[:, bank]
        pull = self.targets.pull(self.scores)[:, bank]
        design = np.hstack([columns, np.ones((len(columns), 1))])
        gram = (design * weights[:, None]).T @ design
        gram[np.diag_indices_from(gram)] += 1e-9
        threshold = np.append(strength * self.candidates.n_literals[rules], 0.0)
        allowed = self.candidates.signs[rules, bank]
        before = np.append(self.coefficients[rules, bank], 0.0)
        after = _soft_descent(gram, design.T @ pull, before.copy(), threshold, allowed)
        change = design @ (after - before)
        self.scores[:, bank] += change
        self.coefficients[rules, bank] = after[:-1]
        return float(np.abs(change).max(initial=0.0))


def _soft_descent(
    gram: Floats, residual: Floats, place: Floats, threshold: Floats, allowed: NDArray[np.bool_]
) -> Floats:
    """Coordinate descent with soft thresholds; the last coordinate, an intercept, is free.

    After a round over all coordinates come rounds over those that are not 0, until nothing moves.
    """
    lowest = np.append(np.where(allowed[:, 1], -np.inf, 0.0), -np.inf).tolist()
    highest = np.append(np.where(allowed[:, 0], np.inf, 0.0), np.inf).tolist()
    diagonal, cost = np.diag(gram).tolist(), threshold.tolist()
    everything = range(len(place))
    coordinates: Sequence[int] = everything
    for _ in range(200):
        biggest = 0.0
        for k in coordinates:
            aim = place[k] * diagonal[k] + residual[k]
            value = (aim - cost[k] if aim > cost[k] else aim + cost[k] if aim < -cost[k] else 0.0) / diagonal[
                k
            ]
            step = min(max(value, lowest[k]), highest[k]) - place[k]
            if step != 0.0:
                place[k] += step
                residual -= step * gram[k]
                biggest = max(biggest, abs(step))
        if biggest >= _SMALL_MOVE:
            coordinates = [*np.flatnonzero(place[:-1]).tolist(), len(place) - 1]
        elif coordinates is everything:
            break
        else:
            coordinates = everything
    return place
