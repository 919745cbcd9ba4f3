"""The search for scorecards in plain NumPy, to be read beside core/scorecard. Slow and obviously right.

The compiled search is compared with this one bit for bit. Here is which rules are tried (conjunctions.cpp,
greedy_search.cpp) and the cards of each size (search.cpp). Not here: what is searched and found
(card_search.py), models (card_model_reference.py), whole points (card_points_reference.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.engine.card_model_reference import (
    MIN_GAIN,
    Gain,
    Gains,
    Literals,
    Model,
    Rule,
    Table,
    Term,
    count_literals,
    loss_of,
)
from clausal.engine.card_points_reference import Card, Polish
from clausal.engine.card_search import MAX_POINTS, NEGATIVE, POSITIVE, SCORE_UNIT, Cards, CardSearch

CONJUNCTION_RIDGE = 1.0
MAX_PAIR_FEATURES = 64
MAX_PAIRS = 60  # of which half are extended to triples
MAX_CLAUSES, MAX_LENGTH = 100, 8
TIE = 1.0 + 2.0**-20  # a later candidate must be better by this factor: sums are rounded
SWAP_FACTOR = 1.02  # a swap is tried if its estimated gain is this many times the present
MAX_SWAP_TERMS = 12  # in larger models, swaps cost much and change little

Found = tuple[float, Literals]


class _Choice(NamedTuple):
    value: float = 0.0  # the gain per literal
    gain: Gain = Gain()
    bank: int = 0
    rule: Rule | None = None


class _Search:
    """One search on a table."""

    def __init__(self, table: Table, search: CardSearch) -> None:
        self.table, self.search = table, search
        self.signs: list[int] = search.signs.tolist()
        self.loss = loss_of(search)
        self.max_literals = int(search.sizes[-1])
        self.max_rules = search.max_rules or self.max_literals
        self.candidates = self.conjunctions() if search.conjunctions else []

    def rule(self, literals: Iterable[int]) -> Rule:
        """A rule with the points that it may have; no sign is allowed if there may be no such rule."""
        own, limits = tuple(literals), self.search.constraints
        columns = [literal % self.table.n_columns for literal in own]
        low = max((int(limits.low[k]) for k in columns), default=0) if len(limits.low) else -MAX_POINTS
        high = min((int(limits.high[k]) for k in columns), default=0) if len(limits.high) else MAX_POINTS
        signs = (POSITIVE if high >= 1 else 0) | (NEGATIVE if low <= -1 else 0)
        for literal in own:
            signs &= self.signs[literal]
        if low > high or not self.may_meet(own):
            signs = 0
        return Rule(own, self.table.rows(own), signs, low, high)

    def may_meet(self, literals: Literals) -> bool:
        """Whether the features of these literals may be in one rule."""
        limits = self.search.constraints
        features = {self.table.feature_of[literal] for literal in literals}
        if len(features) > (limits.max_rule_features or len(features)):
            return False
        shared = (
            limits.groups[[literal % self.table.n_columns for literal in literals]]
            if limits.groups.size
            else None
        )
        return shared is None or bool(np.bitwise_and.reduce(shared, axis=0).any())

    def fixed_terms(self) -> list[Term]:
        """The rules that every scorecard has; without coefficients yet."""
        terms = []
        for literals, bank, low, high in self.search.constraints.fixed:
            signs = (POSITIVE if high >= 1 else 0) | (NEGATIVE if low <= -1 else 0)
            terms.append(Term(Rule(literals, self.table.rows(literals), signs, low, high, True), bank, 0))
        return terms

    # Candidate rules of two and more literals: pairs, triples, and clauses of a machine.

    def conjunctions(self) -> list[Rule]:
        start = Model(self.loss, CONJUNCTION_RIDGE)
        banks = [Gains(start, bank) for bank in range(self.loss.n_banks)]
        pairs = _best([found for gains in banks for found in self.pairs(gains)], MAX_PAIRS)
        extended = [pair for _, pair in pairs[: MAX_PAIRS // 2]]
        triples = [found for gains in banks for pair in extended for found in self.triples(gains, pair)]
        clauses = []
        for clause in sorted(self.clauses()):
            rule = self.rule(clause)
            value = max(gains.of(rule).gain / len(clause) for gains in banks)
            if value > MIN_GAIN:
                clauses.append((value, clause))
        found = [*pairs, *triples, *_best(clauses, MAX_CLAUSES)]
        unique = dict.fromkeys(self.table.simplified(literals) for _, literals in found)
        return [self.rule(literals) for literals in unique]

    def pairs(self, gains: Gains) -> list[Found]:
        """The best pairs of literals of two features, both of the features with the best single literals."""
        of = self.table.feature_of
        features = list(dict.fromkeys(of))
        own = [[k for k in self.table.first_literals if of[k] == feature] for feature in features]
        best = [max((gains.of(self.rule((k,))).gain for k in literals), default=0.0) for literals in own]
        order = sorted(range(len(own)), key=lambda f: -best[f])[:MAX_PAIR_FEATURES]
        own = [own[f] for f in sorted(order)]
        found = []
        for f in range(len(own)):
            for g in range(f + 1, len(own)):
                rules = [self.rule((one, two)) for one in own[f] for two in own[g]]
                found += _best_by_sign(gains, rules)
        return found

    def triples(self, gains: Gains, pair: Literals) -> list[Found]:
        """The best triples with a pair."""
        lists = [self.table.simplified((*pair, literal)) for literal in self.table.first_literals]
        return _best_by_sign(gains, [self.rule(literals) for literals in lists if len(literals) == 3])

    def clauses(self) -> set[Literals]:
        """Each clause, and each without one of its literals."""
        result = set()
        starts, literals = self.search.starts.tolist(), self.search.literals.tolist()
        for first, last in pairwise(starts):
            whole = self.table.simplified(literals[first:last])
            if len(whole) <= MAX_LENGTH:
                result |= {whole, *(whole[:k] + whole[k + 1 :] for k in range(len(whole)))}
        return {clause for clause in result if len(clause) >= 2}

    # Models of growing size.

    def path(self) -> list[list[Term]]:
        """The terms of each model, the smallest first."""
        model = Model(self.loss, self.search.ridge)
        model.terms = self.fixed_terms()
        path = []
        if model.terms:
            model.fit()
            path.append(list(model.terms))
        while count_literals(model.terms) < self.max_literals and len(model.terms) < self.max_rules:
            before = model.objective()
            choice = self.best(model, self.max_literals - count_literals(model.terms), extend=True)
            if choice.gain.gain <= MIN_GAIN:
                break
            model.terms.append(_term(choice))
            model.fit()
            if not model.objective() < before:
                break
            recorded = count_literals(model.terms) in self.search.sizes and len(model.terms) <= MAX_SWAP_TERMS
            for index in range(len(model.terms) - 1 if recorded else 0):
                if model.terms[index].rule.fixed:
                    continue
                if (swapped := self.swapped(model, index)) is not None:
                    model = swapped
                    break
            path.append(list(model.terms))
        return path

    def swapped(self, model: Model, index: int) -> Model | None:
        """The model with another rule of at most the same length, if that lowers the objective."""
        term, without = model.terms[index], model.without(index)
        own = Gains(without, term.bank).of(term.rule)
        other = self.best(without, len(term.rule.literals), extend=False)
        if other.rule is None or other.gain.gain <= SWAP_FACTOR * own.gain:
            return None
        if (other.bank, other.rule.literals) == (term.bank, term.rule.literals):
            return None
        without.terms.insert(index, _term(other))
        without.fit()
        return without if without.objective() < model.objective() - MIN_GAIN else None

    def best(self, model: Model, max_literals: int, extend: bool) -> _Choice:
        """The rule of at most `max_literals` literals with the highest gain per literal."""
        best = _Choice()
        for bank in range(self.loss.n_banks):
            gains = Gains(model, bank)
            rules = [self.rule((literal,)) for literal in self.table.first_literals] + self.candidates
            if extend and self.search.conjunctions:
                rules += self.extensions([term.rule for term in model.terms if term.bank == bank])
            present = [term.rule.literals for term in model.terms if term.bank == bank]
            for rule in rules:
                if len(rule.literals) > max_literals:
                    continue
                if any(self.table.same_split(rule.literals, literals) for literals in present):
                    continue
                gain = gains.of(rule)
                value = gain.gain / len(rule.literals)
                if value > TIE * best.value and self.allows_features(model, rule):
                    best = _Choice(value, gain, bank, rule)
        return best

    def extensions(self, rules: Sequence[Rule]) -> list[Rule]:
        """Rules with one more literal that none of theirs implies."""
        lists = [
            (len(rule.literals) + 1, self.table.simplified((*rule.literals, literal)))
            for rule in rules
            for literal in self.table.first_literals
        ]
        return [self.rule(literals) for length, literals in lists if len(literals) == length]

    def allows_features(self, model: Model, rule: Rule) -> bool:
        rules = [rule, *(term.rule for term in model.terms)]
        used = {self.table.feature_of[literal] for one in rules for literal in one.literals}
        return len(used) <= (self.search.max_features or len(used))

    # Cards.

    def cards(self) -> list[Card]:
        """A card for each size, or for the largest one."""
        path, sizes = self.path(), self.search.sizes
        polish = Polish(self.table, self.rule, self.loss, self.search.ridge)
        cards = []
        for size in sizes[-1:] if self.search.thorough else sizes:
            terms: list[Term] = path[0] if self.search.constraints.fixed else []
            for model in path:
                terms = model if count_literals(model) <= size else terms
            cards.append(polish.whole_points(terms, self.search.max_points, self.search.thorough))
        return cards


def _best_by_sign(gains: Gains, rules: list[Rule]) -> list[Found]:
    """The best rule with a negative and the best with a positive coefficient."""
    best: dict[bool, Found] = {False: (0.0, ()), True: (0.0, ())}
    for rule in rules:
        gain, coefficient = gains.of(rule)
        if gain > best[coefficient > 0.0][0]:
            best[coefficient > 0.0] = (gain, rule.literals)
    return [one for one in best.values() if one[0] > MIN_GAIN]


def _best(found: list[Found], n: int) -> list[Found]:
    return sorted(found, key=lambda one: -one[0])[:n]


def _term(choice: _Choice) -> Term:
    assert choice.rule is not None
    coefficient = min(max(choice.gain.coefficient, -1.0), 1.0) * SCORE_UNIT
    return Term(choice.rule, choice.bank, round(coefficient))


class ReferenceSearchTable:
    """The rows of a table for searches of scorecards.

    Parameters
    ----------
    literals : uint64 [n, words], packed; neither a column nor its negation may be true
    feature_of : uint32 [columns], the feature of each column, ascending
    begins : bool [columns], the columns that a search begins with; None for all
    """

    def __init__(
        self,
        literals: NDArray[np.uint64],
        feature_of: NDArray[np.uint32],
        begins: NDArray[np.bool_] | None = None,
    ) -> None:
        self._table = Table(literals, feature_of, begins)

    def find_cards(self, search: CardSearch) -> Cards:
        """A scorecard for each size, or for the largest one."""
        cards = _Search(self._table, search).cards()
        terms = [term for card in cards for term in card.terms]
        return Cards(
            np.cumsum([0, *(len(card.terms) for card in cards)], dtype=np.int64),
            np.cumsum([0, *(len(term.rule.literals) for term in terms)], dtype=np.int64),
            np.array([literal for term in terms for literal in term.rule.literals], np.uint32),
            np.array([term.bank for term in terms], np.uint32),
            np.array([points for card in cards for points in card.points], np.int32),
            np.array([card.value for card in cards], np.int32),
            np.array([card.offsets for card in cards], np.int32),
            np.array([card.objective for card in cards]),
        )

    def scores(self, cards: Cards, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """The scores [cards, banks, rows] of some rows, in units of scores."""
        scores = np.repeat(cards.offsets[:, :, None], len(rows), axis=2)
        for card, value in enumerate(cards.values):
            for literals, bank, points in cards.terms(card):
                scores[card, bank] += points * value * self._table.rows(literals)[rows]
        return scores
