"""Selection of a few rules among many candidates: forward selection and lasso, each for every size.

`forward_path` adds the rule that lowers the loss most per literal, refits, and swaps rules while this helps.
It works best if few rules describe the data exactly. `lasso_path` uses an L1 penalty per literal; it works
best on small noisy data. Not here: which candidates and targets they are used with (search.py,
search.py), integer points (points.py), and the choice of the size (validation.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clausal.scorecard.candidates import Candidates
from clausal.scorecard.logistic import Fit, Floats, Indices, Targets, fit_logistic

_MIN_GAIN = 1e-3  # of the loss; smaller improvements are ignored
_SWAP_FACTOR = 1.02  # a swap is tried if its estimated gain is this many times that of the present rule
_N_PENALTIES = 40  # from the first that selects a rule down to a hundredth of it
_TOLERANCE = 1e-3  # coordinate descent stops if no coefficient changes by more
_MAX_ACTIVE = 150  # rules per bank in coordinate descent


@dataclass(frozen=True, eq=False)
class Selection:
    """Selected candidates with fitted coefficients.

    Attributes
    ----------
    rules : intp [k], indices of candidates
    banks : intp [k], the bank that each rule contributes to
    n_literals : int, the total number of literals
    fit : their coefficients
    """

    rules: Indices
    banks: Indices
    n_literals: int
    fit: Fit


# --- forward selection with swaps ---


def forward_path(
    candidates: Candidates, targets: Targets, max_literals: int, ridge: float
) -> list[Selection]:
    """Models of increasing size up to `max_literals`; each adds a rule and may then swap another."""
    model = _refit(candidates, targets, ridge, [], [], None)
    path: list[Selection] = []
    while len(candidates.n_literals) and model.n_literals < max_literals:
        value = _gains(candidates, targets, model, ridge) / candidates.n_literals[:, None]
        value[candidates.n_literals > max_literals - model.n_literals] = 0.0
        rule, bank = map(int, np.unravel_index(value.argmax(), value.shape))
        if value[rule, bank] <= _MIN_GAIN:
            break
        larger = _refit(candidates, targets, ridge, [*model.rules, rule], [*model.banks, bank], model.fit)
        if _objective(larger.fit, ridge) >= _objective(model.fit, ridge):
            break  # the new rule got a coefficient of a forbidden sign and was removed
        model = _swap(candidates, targets, ridge, larger)
        path.append(model)
    return path


def _gains(candidates: Candidates, targets: Targets, model: Selection, ridge: float) -> Floats:
    """Estimates of how much each candidate lowers the loss, [rules, banks]; 0 for rules in the model."""
    negative_gradient = candidates.sums(targets.negative_gradient(model.fit.scores))
    curvature = candidates.sums(targets.curvature(model.fit.scores)) + max(ridge, _MIN_GAIN)
    gains: Floats = negative_gradient**2 / (2.0 * curvature)
    not_positive, not_negative = ~candidates.signs[:, :, 0], ~candidates.signs[:, :, 1]
    gains[np.where(negative_gradient > 0, not_positive, not_negative)] = 0.0
    gains[model.rules, model.banks] = 0.0
    return gains


def _swap(candidates: Candidates, targets: Targets, ridge: float, model: Selection) -> Selection:
    """Replace the first older rule for which a rule of at most its length lowers the loss."""
    for index in range(len(model.rules) - 1):
        smaller = _without(candidates, model, index)
        gains = _gains(candidates, targets, smaller, ridge)
        present_gain = gains[model.rules[index], model.banks[index]]
        gains[candidates.n_literals > candidates.n_literals[model.rules[index]]] = 0.0
        rule, bank = map(int, np.unravel_index(gains.argmax(), gains.shape))
        if gains[rule, bank] <= present_gain * _SWAP_FACTOR:
            continue
        rules, banks = [*smaller.rules, rule], [*smaller.banks, bank]
        tried = _refit(candidates, targets, ridge, rules, banks, smaller.fit)
        if _objective(tried.fit, ridge) < _objective(model.fit, ridge) - _MIN_GAIN:
            return tried
    return model


def _without(candidates: Candidates, model: Selection, index: int) -> Selection:
    """The model without one of its rules; the other coefficients do not change."""
    kept = np.arange(len(model.rules)) != index
    rule, bank = model.rules[index], model.banks[index]
    scores = model.fit.scores.copy()
    scores[:, bank] -= model.fit.coefficients[index] * candidates.fires[:, rule]
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
    """Fit the coefficients of these rules; rules that get a coefficient of a forbidden sign are removed."""
    while True:
        rule_indices, bank_indices = np.array(rules, np.intp), np.array(banks, np.intp)
        fit = fit_logistic(candidates.columns(rule_indices), bank_indices, targets, ridge, start)
        negative = (fit.coefficients < 0).astype(np.intp)
        forbidden = ~candidates.signs[rule_indices, bank_indices, negative] & (fit.coefficients != 0)
        if not forbidden.any():
            n_literals = int(candidates.n_literals[rule_indices].sum())
            return Selection(rule_indices, bank_indices, n_literals, fit)
        largest = int(np.abs(np.where(forbidden, fit.coefficients, 0.0)).argmax())
        del rules[largest], banks[largest]
        start = None


def _objective(fit: Fit, ridge: float) -> float:
    return fit.loss + 0.5 * ridge * float(fit.coefficients @ fit.coefficients)


# --- lasso: an L1 penalty per literal ---


def lasso_path(candidates: Candidates, targets: Targets, max_literals: int, ridge: float) -> list[Selection]:
    """Models of at most `max_literals` that a decreasing L1 penalty selects, each refitted without it."""
    lasso = _Lasso(candidates, targets)
    path: list[Selection] = []
    seen: set[bytes] = set()
    for penalty in lasso.max_penalty * np.geomspace(0.95, 0.01, _N_PENALTIES):
        rules, banks = lasso.solve(penalty)
        key = rules.tobytes() + banks.tobytes()
        if int(candidates.n_literals[rules].sum()) > max_literals:
            break
        if len(rules) and key not in seen:
            seen.add(key)
            model = _refit(candidates, targets, ridge, rules.tolist(), banks.tolist(), None)
            if len(model.rules):
                path.append(model)
    return path


class _Lasso:
    """Coefficients under a decreasing L1 penalty, by coordinate descent on quadratic models of the loss."""

    def __init__(self, candidates: Candidates, targets: Targets) -> None:
        self.candidates, self.targets = candidates, targets
        start = fit_logistic(candidates.columns([]), np.array([], np.intp), targets, 0.0)
        self.scores = start.scores
        self.coefficients = np.zeros((candidates.fires.shape[1], targets.n_banks))
        gradient = np.abs(candidates.sums(targets.negative_gradient(self.scores)))
        self.max_penalty = float((gradient / candidates.n_literals[:, None]).max(initial=0.0))
        self.previous_penalty = self.max_penalty

    def solve(self, penalty: float) -> tuple[Indices, Indices]:
        """Rules and banks with nonzero coefficients at this penalty per literal.

        Rules with a gradient far below the penalty are skipped (sequential strong screening, Tibshirani et
        al., 2012).
        """
        n_literals = self.candidates.n_literals
        for _ in range(8):
            gradient = np.abs(self.candidates.sums(self.targets.negative_gradient(self.scores)))
            bound = (2 * penalty - self.previous_penalty) * n_literals[:, None]
            active = (self.coefficients != 0) | (gradient >= bound)
            change = 0.0
            for bank in range(self.targets.n_banks):
                rules = np.flatnonzero(active[:, bank])
                if len(rules) > _MAX_ACTIVE:
                    priority = gradient[rules, bank] / n_literals[rules]
                    priority[self.coefficients[rules, bank] != 0] = np.inf
                    rules = np.sort(rules[np.argsort(-priority, kind="stable")[:_MAX_ACTIVE]])
                change = max(change, self._descend(rules, bank, penalty))
            if change < 1e-2:
                break
        self.previous_penalty = penalty
        nonzero = np.argwhere(self.coefficients != 0)
        return nonzero[:, 0], nonzero[:, 1]

    def _descend(self, rules: Indices, bank: int, penalty: float) -> float:
        """Minimize the quadratic model over one bank's rules; returns the largest change of a score."""
        columns = self.candidates.columns(rules)
        weights = self.targets.curvature(self.scores)[:, bank]
        negative_gradient = self.targets.negative_gradient(self.scores)[:, bank]
        design = np.hstack([columns, np.ones((len(columns), 1))])
        gram = (design * weights[:, None]).T @ design
        gram[np.diag_indices_from(gram)] += 1e-9
        penalties = np.append(penalty * self.candidates.n_literals[rules], 0.0)
        signs = self.candidates.signs[rules, bank]
        before = np.append(self.coefficients[rules, bank], 0.0)
        after = _coordinate_descent(gram, design.T @ negative_gradient, before.copy(), penalties, signs)
        change = design @ (after - before)
        self.scores[:, bank] += change
        self.coefficients[rules, bank] = after[:-1]
        return float(np.abs(change).max(initial=0.0))


def _coordinate_descent(
    gram: Floats, residual: Floats, coefficients: Floats, penalties: Floats, signs: NDArray[np.bool_]
) -> Floats:
    """Coordinate descent with soft-thresholding; the last coordinate is the intercept, without penalty.

    Passes over all coordinates alternate with passes over the nonzero ones, until none changes.
    """
    lowest = np.append(np.where(signs[:, 1], -np.inf, 0.0), -np.inf).tolist()
    highest = np.append(np.where(signs[:, 0], np.inf, 0.0), np.inf).tolist()
    diagonal, penalty_of = np.diag(gram).tolist(), penalties.tolist()
    all_coordinates = range(len(coefficients))
    coordinates: Sequence[int] = all_coordinates
    for _ in range(200):
        largest_step = 0.0
        for k in coordinates:
            optimum = (
                _soft_threshold(coefficients[k] * diagonal[k] + residual[k], penalty_of[k]) / diagonal[k]
            )
            step = min(max(optimum, lowest[k]), highest[k]) - coefficients[k]
            if step != 0.0:
                coefficients[k] += step
                residual -= step * gram[k]
                largest_step = max(largest_step, abs(step))
        if largest_step >= _TOLERANCE:
            coordinates = [*np.flatnonzero(coefficients[:-1]).tolist(), len(coefficients) - 1]
        elif coordinates is all_coordinates:
            break
        else:
            coordinates = all_coordinates
    return coefficients


def _soft_threshold(value: float, penalty: float) -> float:
    if value > penalty:
        return value - penalty
    return value + penalty if value < -penalty else 0.0
