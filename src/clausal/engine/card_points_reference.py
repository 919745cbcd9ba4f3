"""Whole points for the terms of a model, in plain NumPy: the twin of core/scorecard/points.cpp.

Not here: models and their objective (card_model_reference.py), which terms there are
(card_search_reference.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from clausal.engine.card_model_reference import Literals, Loss, Model, Rule, Table, Term
from clausal.engine.card_search import NEGATIVE, POSITIVE, SCORE_UNIT

LARGEST_POINTS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100)
MIN_IMPROVEMENT = 1e-6
OFFSET_STEPS = 4
OFFSET_SLACK = 1.125  # Newton steps may lower the loss a little more than expected


class Card:
    """Terms whose coefficients are points times a value, the offsets, and the objective."""

    def __init__(self, model: Model, value: int = 1) -> None:
        self.model, self.value, self.objective = model, value, model.objective()
        self.terms, self.offsets = model.terms, model.offsets

    @property
    def points(self) -> list[int]:
        """The points of each term."""
        return [round(term.coefficient / self.value) for term in self.terms]


class Polish:
    """Cards for some terms: the best scale, and moves that lower the objective."""

    def __init__(self, table: Table, make_rule: Callable[[Literals], Rule], loss: Loss, ridge: float) -> None:
        self.table, self.make_rule, self.loss, self.ridge = table, make_rule, loss, ridge
        self.screens = True  # whether moves that can hardly help are left out

    def whole_points(self, terms: Sequence[Term], max_points: int, thorough: bool) -> Card:
        """A good card; if thorough, none of the moves lowers its objective."""
        if not terms:
            return Card(Model(self.loss, self.ridge))
        card, self.screens = None, True
        while True:
            card = self.best_scale(terms, max_points, card)
            improved = True
            while improved:
                card, improved = self.changed_points(card, max_points)
                if not improved:
                    card, improved = self.first_better(card, self.other_values(card))
                if not improved and thorough:
                    card, improved = self.first_better(card, self.changed_pairs(card, max_points))
            card, slid = self.slid(card)
            again = thorough
            while again:
                card, again = self.slid(card)
            if not thorough or not (slid or self.screens):
                return card
            if not slid:
                self.screens = False  # a round in which every move is evaluated in full
            terms = card.terms

    def first_better(self, card: Card, others: Iterator[Card]) -> tuple[Card, bool]:
        """The first of some cards that is better, or the card itself."""
        for other in others:
            if other.objective < card.objective - MIN_IMPROVEMENT:
                return other, True
        return card, False

    def card(self, terms: Sequence[Term], value: int, offsets: Sequence[int], offset_steps: int) -> Card:
        """A card whose offsets take a few Newton steps."""
        model = Model(self.loss, self.ridge, terms, offsets)
        model.fit_offsets(offset_steps)
        return Card(model, value)

    def best_scale(self, terms: Sequence[Term], max_points: int, best: Card | None) -> Card:
        """Coefficients so that the largest has 1, 2, 3, ... points, rounded; or the card so far.

        Also so that a fixed rule has about the coefficient that its given points stand for.
        """
        size = max(abs(term.coefficient) for term in terms)
        offsets = Model(self.loss, self.ridge).offsets
        scales = [(size, largest) for largest in LARGEST_POINTS if largest <= max_points]
        scales += [
            (abs(term.coefficient), abs(term.rule.low)) for term in terms if _has_given_points(term.rule)
        ]
        for coefficient, points in scales:
            value = max(1, round(coefficient / points))
            scaled = [replace(term, coefficient=value * _rounded(term, value, max_points)) for term in terms]
            card = self.card(scaled, value, offsets, OFFSET_STEPS)
            offsets = card.offsets
            if best is None or card.objective < best.objective - MIN_IMPROVEMENT:
                best = card
        assert best is not None
        return best

    def changed_points(self, card: Card, max_points: int) -> tuple[Card, bool]:
        """One point more or less of each term in turn."""
        improved = False
        for k in range(len(card.terms)):
            changes = [{k: point} for point in (1, -1) if self.descends(card, k, point)]
            card, better = self.first_better(card, self.changed(card, changes, max_points))
            improved = improved or better
        return card, improved

    def descends(self, card: Card, k: int, point: int) -> bool:
        """Whether the objective falls in the direction of a point. It is convex: the other way it cannot."""
        if not self.screens:
            return True
        term = card.terms[k]
        rows = self.loss.derivatives(card.model.scores(), term.bank)[0][term.rule.rows]
        gradient = self.loss.real(int(rows.sum()))
        penalty = self.ridge * (term.coefficient / SCORE_UNIT)
        return gradient > penalty if point > 0 else gradient < penalty

    def changed_pairs(self, card: Card, max_points: int) -> Iterator[Card]:
        """A point more or less of each of two terms of a bank."""
        banks = [term.bank for term in card.terms]
        changes = [
            {k: first, j: second}
            for k, j in combinations(range(len(banks)), 2)
            if banks[k] == banks[j]
            for first, second in ((-1, 1), (1, -1), (1, 1), (-1, -1))
        ]
        return self.changed(card, changes, max_points)

    def changed(self, card: Card, tried: Sequence[dict[int, int]], max_points: int) -> Iterator[Card]:
        """Cards with other points of some terms, where these may have them."""
        for changes in tried:
            terms, penalty = list(card.terms), 0.0
            for k, change in changes.items():
                before, points = terms[k].coefficient, _moved(terms[k].rule, card.points[k], change)
                terms[k] = replace(terms[k], coefficient=points * card.value)
                after = terms[k].coefficient / SCORE_UNIT
                penalty += 0.5 * self.ridge * (after * after - (before / SCORE_UNIT) * (before / SCORE_UNIT))
            allowed = (
                _may_have(terms[k].rule, terms[k].coefficient // card.value, max_points) for k in changes
            )
            if all(allowed) and self.can_improve(card, terms, penalty):
                yield self.card(terms, card.value, card.offsets, 1)

    def can_improve(self, card: Card, terms: Sequence[Term], penalty: float) -> bool:
        """Whether other terms can lower the objective, with a penalty that changes by `penalty`.

        Not if they raise the loss by clearly more than Newton steps of the offsets are expected to lower it.
        """
        if not self.screens:
            return True
        loss, scores = self.loss, Model(self.loss, self.ridge, terms, card.offsets).scores()
        change = loss.real(loss.total(scores) - loss.total(card.model.scores()))
        offsets = 0.0
        for bank in range(loss.n_banks):
            gradient, curvature = (loss.real(int(rows.sum())) for rows in loss.derivatives(scores, bank))
            offsets += gradient * gradient / curvature if curvature > 0 else 0.0
        return change + penalty < OFFSET_SLACK * 0.5 * offsets

    def other_values(self, card: Card) -> Iterator[Card]:
        """A larger and a smaller value of a point."""
        step = max(1, card.value // 16)
        for value in (card.value + step, card.value - step, card.value + 1, card.value - 1):
            if value >= 1:
                terms = [
                    replace(term, coefficient=points * value)
                    for term, points in zip(card.terms, card.points, strict=True)
                ]
                yield self.card(terms, value, card.offsets, OFFSET_STEPS)

    def slid(self, card: Card) -> tuple[Card, bool]:
        """Other cut points of all literals of rules that are not fixed, in turn."""
        improved = False
        for k in range(len(card.terms)):
            if card.terms[k].rule.fixed:
                continue
            for a in range(len(card.terms[k].rule.literals)):
                better = True
                while better:
                    card, better = self.first_better(card, self.other_cuts(card, k, a))
                    improved = improved or better
        return card, improved

    def other_cuts(self, card: Card, k: int, a: int) -> Iterator[Card]:
        """Other cut points of one literal of a term; not where two terms would divide the rows alike."""
        term = card.terms[k]
        own = term.rule.literals
        others = [one.rule.literals for one in card.terms if one is not term and one.bank == term.bank]
        for other in self.table.neighbours(own[a]):
            rule = self.make_rule(self.table.simplified((*own[:a], other, *own[a + 1 :])))
            if len(rule.literals) != len(own) or not _allows(rule, term.coefficient):
                continue
            terms = [*card.terms[:k], replace(term, rule=rule), *card.terms[k + 1 :]]
            if any(self.table.same_split(rule.literals, one) for one in others):
                continue
            if self.can_improve(card, terms, 0.0):
                yield self.card(terms, card.value, card.offsets, 1)


def _allows(rule: Rule, points: int) -> bool:
    return bool(rule.signs & (POSITIVE if points > 0 else NEGATIVE))


def _may_have(rule: Rule, points: int, max_points: int) -> bool:
    within = abs(points) <= max_points and rule.low <= points <= rule.high
    return points != 0 and within and _allows(rule, points)


def _moved(rule: Rule, points: int, change: int) -> int:
    """The points after a change; those of a fixed rule, which must stay, skip 0."""
    return points + change if points + change != 0 or not rule.fixed else change


def _has_given_points(rule: Rule) -> bool:
    return rule.fixed and rule.low == rule.high


def _rounded(term: Term, value: int, max_points: int) -> int:
    """The whole points near a coefficient that a rule may have."""
    rule = term.rule
    points = max(round(abs(term.coefficient) / value), 1)
    if term.coefficient < 0 or not rule.signs & POSITIVE:
        return -min(max(points, -rule.high), max_points, -rule.low)
    return min(max(points, rule.low), max_points, rule.high)
