"""The search for a scorecard: four searches over candidate rules, each with a scorecard for every size.

A search is a set of candidates, a selection algorithm (selection.py), a ridge penalty and a kind of target.
Not here: which search and which size are chosen (validation.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.constraints import Signs, allowed_signs, forbidden_positions, monotonic_signs
from clausal.rules.rule import Rule
from clausal.scorecard.candidates import (
    Candidates,
    Literals,
    Twin,
    distinct,
    outputs,
    rules_of,
    single_literals,
)
from clausal.scorecard.logistic import Fit, Floats, Indices, Targets, fit_logistic, left_out_scores
from clausal.scorecard.points import Scorecard, empty_scorecard, integer_points
from clausal.scorecard.rows import LabeledRows, SearchRows
from clausal.scorecard.selection import Selection, forward_path, lasso_path

_SIZES = (*range(1, 13), 14, 16, 18, 20, 23, 26, 30, 35, 40, 45, 50, 60, 70, 80, 100, 120, 150, 200)
_DEFAULT_MAX_LITERALS = 40
_MAX_CANDIDATES = 1_000


@dataclass(frozen=True)
class Search:
    """One of the searches.

    Attributes
    ----------
    name : as stored in model files
    candidates : "single_literals", "first_machine" (single literals and the rules of the first machine) or
        "all_machines" (single literals and the rules of all machines)
    select : the selection algorithm
    ridge : the ridge penalty of the coefficients
    soft_targets : whether to approximate soft targets instead of the labels
    """

    name: str
    candidates: str
    select: Callable[[Candidates, Targets, int, float], list[Selection]]
    ridge: float
    soft_targets: bool = False


SEARCHES = (
    Search("lasso", "first_machine", lasso_path, 5.0),
    Search("forward", "all_machines", forward_path, 0.3),
    Search("taught", "single_literals", forward_path, 0.3, soft_targets=True),
    Search("additive", "single_literals", forward_path, 0.03),
)


@dataclass(frozen=True)
class Limits:
    """The maximum size of a scorecard."""

    max_literals: int | None
    max_rules: int | None
    max_points: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of literals to try."""
        largest = _DEFAULT_MAX_LITERALS if self.max_literals is None else self.max_literals
        return tuple(sorted({size for size in _SIZES if size < largest} | {largest}))


class SearchSpace:
    """The candidate rules of trained machines.

    Parameters
    ----------
    machines : fitted on `rows`
    rows : the training rows
    seed : of the sample, if there are too many rows to search

    Attributes
    ----------
    targets : of the searched rows
    n_rows : int, the number of training rows that the searches use
    """

    def __init__(self, machines: list[TsetlinClassifier], rows: LabeledRows, seed: int) -> None:
        self.encoding = machines[0].encoding_
        searched = SearchRows.of(rows, self.encoding, seed)
        self.targets, self.n_rows, bits = searched.targets, searched.n_rows, searched.bits
        forbidden = forbidden_positions(machines[0].forbidden_features, self.encoding)
        singles = [
            literals
            for literals in single_literals(machines[0].columns_)
            if literals[0].column.feature_index not in forbidden
        ]
        signs = None
        if machines[0].monotonic_cst is not None:
            signs = monotonic_signs(machines[0].monotonic_cst, self.encoding)
        literals_of = {
            "single_literals": singles,
            "first_machine": [*singles, *rules_of([machines[0].rules_])],
            "all_machines": [*singles, *rules_of(machine.rules_ for machine in machines)],
        }
        self._candidates = {
            name: _make_candidates(literals, bits, self.targets, signs)
            for name, literals in literals_of.items()
        }

    def bits(self, X: Any) -> NDArray[np.uint8]:
        """The boolean columns of validation rows, which may have values that were not seen in training."""
        return self.encoding.plain_bits(X, self.encoding.policy.accepting)

    def candidates(self, search: Search) -> Candidates:
        """The candidates of a search."""
        return self._candidates[search.candidates][1]

    def scorecards(self, search: Search, sizes: tuple[int, ...], limits: Limits) -> list[Scorecard]:
        """The best scorecard that a search finds for each maximum number of literals."""
        candidates = self.candidates(search)
        targets = soft_targets(candidates, self.targets) if search.soft_targets else self.targets
        path = search.select(candidates, targets, max(sizes), search.ridge)
        if limits.max_rules is not None:
            path = [selection for selection in path if len(selection.rules) <= limits.max_rules]
        cards: dict[int, Scorecard] = {}
        result = []
        for size in sizes:
            best = _best_within(path, size)
            if best is None:
                result.append(empty_scorecard(targets))
                continue
            if id(best) not in cards:
                cards[id(best)] = integer_points(best, candidates, targets, limits.max_points)
            result.append(cards[id(best)])
        return result

    def outputs(self, search: Search, card: Scorecard, bits: NDArray[np.uint8]) -> Floats:
        """The outputs of a scorecard's candidates on other rows, [n, k]."""
        forms = self._forms(search, card)
        negated = np.array([form.negated for form in forms], bool)
        result: Floats = (outputs([form.literals for form in forms], bits) ^ negated).astype(np.float64)
        return result

    def rules(self, search: Search, card: Scorecard) -> tuple[list[Rule], int]:
        """A scorecard's rules with their points, and the points that all rows get in addition.

        A candidate whose sign only its negation may have is written as its negation, with opposite points.
        """
        rules, constant = [], 0
        for form, points, bank in zip(self._forms(search, card), card.points, card.banks, strict=True):
            sign = -1 if form.negated else 1
            rules.append(Rule(form.literals, sign * int(points), bank=int(bank)))
            constant += int(points) if form.negated else 0
        return rules, constant

    def _forms(self, search: Search, card: Scorecard) -> list[Form]:
        forms, _ = self._candidates[search.candidates]
        signs = (card.points < 0).astype(np.intp).tolist()
        return [forms[rule][sign] for rule, sign in zip(card.rules.tolist(), signs, strict=True)]


def _best_within(path: list[Selection], size: int) -> Selection | None:
    within = [selection for selection in path if selection.n_literals <= size]
    return min(within, key=lambda selection: selection.fit.loss, default=None)


class Form(NamedTuple):
    """How a candidate is written as a rule: its literals, and whether the rule is its negation."""

    literals: Literals
    negated: bool


Forms = list[list[Form]]  # of each candidate: with a positive and with a negative coefficient


def _make_candidates(
    literals: list[Literals], bits: NDArray[np.uint8], targets: Targets, signs: Signs | None
) -> tuple[Forms, Candidates]:
    """Distinct candidates with an allowed sign; of too many, those with the largest gradient per literal."""
    allowed = np.ones((len(literals), targets.n_banks, 2), bool)
    if signs is not None:
        signs_of = [allowed_signs(Rule(one, 1), signs) for one in literals]
        literals = [one for one, own in zip(literals, signs_of, strict=True) if own]
        allowed = np.array([[[1 in own, -1 in own]] for own in signs_of if own], bool).reshape(-1, 1, 2)
    fires = outputs(literals, bits)
    sizes = np.array([len(one) for one in literals], np.intp)
    kept, twins = distinct(fires, sizes)
    forms = [[Form(one, negated=False)] * 2 for one in literals]
    if signs is not None:
        _allow_signs_of_twins(forms, allowed, twins)
    candidates = Candidates(fires[:, kept].astype(np.float32), sizes[kept], allowed[kept])
    if len(kept) > _MAX_CANDIDATES:
        scores = empty_scorecard(targets).log_odds(candidates.fires)
        gradient = np.abs(candidates.sums(targets.negative_gradient(scores))).max(axis=1)
        order = np.argsort(-gradient / candidates.n_literals, kind="stable")
        best = np.sort(order[:_MAX_CANDIDATES])
        kept, candidates = kept[best], candidates.take(best)
    return [forms[index] for index in kept], candidates


def _allow_signs_of_twins(forms: Forms, allowed: NDArray[np.bool_], twins: list[Twin]) -> None:
    """Allow a candidate the signs that only a twin of its length may have; it is then written as the twin.

    Changes `forms` and `allowed` [candidates, 1, 2].
    """
    for twin in twins:
        literals = forms[twin.candidate][0].literals
        if len(literals) > len(forms[twin.kept][0].literals):
            continue
        for own in (0, 1):
            sign = 1 - own if twin.negated else own
            if allowed[twin.candidate, 0, own] and not allowed[twin.kept, 0, sign]:
                allowed[twin.kept, 0, sign] = True
                forms[twin.kept][sign] = Form(literals, twin.negated)


_RIDGES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0)
_MAX_COLUMNS = 300  # the time of a fit grows with their cube


def soft_targets(candidates: Candidates, targets: Targets) -> Targets:
    """Targets with probabilities instead of labels.

    One logistic regression per bank on all candidates, with the ridge of the lowest leave-one-out loss.
    """
    share = np.column_stack([_probabilities(candidates, targets, bank) for bank in range(targets.n_banks)])
    if targets.n_banks > 1:
        share /= share.sum(axis=1, keepdims=True)
    return Targets(share, targets.weights)


def _probabilities(candidates: Candidates, targets: Targets, bank: int) -> Floats:
    """The probability of one bank's class against the other classes, [n]."""
    one_bank = Targets(targets.share[:, [bank]], targets.weights)
    columns = candidates.columns(_strongest(candidates, one_bank))
    banks = np.zeros(columns.shape[1], np.intp)
    fit: Fit | None = None
    best_scores, best_loss = np.empty(0), np.inf
    for ridge in _RIDGES:
        fit = fit_logistic(columns, banks, one_bank, ridge, fit)
        loss = one_bank.loss(left_out_scores(columns, one_bank, fit, ridge))
        if loss >= best_loss:
            break  # from here on, a smaller ridge overfits
        best_scores, best_loss = fit.scores, loss
    return one_bank.probabilities(best_scores)[:, 0]


def _strongest(candidates: Candidates, targets: Targets) -> Indices:
    """Indices of the candidates with the largest gradients, or of all if there are at most _MAX_COLUMNS."""
    n_candidates = candidates.fires.shape[1]
    if n_candidates <= _MAX_COLUMNS:
        return np.arange(n_candidates)
    constant = fit_logistic(candidates.columns([]), np.array([], np.intp), targets, 0.0)
    gradient = np.abs(candidates.sums(targets.negative_gradient(constant.scores)))[:, 0]
    return np.sort(np.argsort(-gradient, kind="stable")[:_MAX_COLUMNS])
