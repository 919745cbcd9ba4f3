"""Where a scorecard is searched: clauses of machines, and the table with rows as bins and allowed signs.

The settings of the machines differ from the defaults of TsetlinClassifier because a scorecard needs short
clauses (docs/decisions/0018-an-exact-search.md). A search finds a scorecard for every size
(engine/card_search.py, core/scorecard). Not here: which search and which size are chosen (validation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from clausal.encoding.booleanizer import Booleanizer
from clausal.engine.card_search import NEGATIVE, POSITIVE, Cards, CardSearch, CardTerm
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.clause_model import ClauseModel
from clausal.machine.constraints import allowed_literals
from clausal.machine.read import Samples, TrainingRows
from clausal.machine.settings import PartOf
from clausal.machine.train import Fit, prepare_fit, run_together
from clausal.parameters import OneOf
from clausal.rules.rule import Literal, Rule
from clausal.scorecard.calibration import Floats
from clausal.scorecard.rows import SearchRows
from clausal.scorecard.rule_constraints import RuleConstraints

N_CLAUSES = 100
THRESHOLD = 60
SPECIFICITY = 2.0
MAX_COLUMNS = 12
_MORE_COLUMNS, _ENOUGH_ROWS = 24, 5_000  # that many columns from that many rows on
MORE_CUTS = 48  # per number, to which cut points may move, from FEW_ROWS to MANY_ROWS rows
NUMBER_CUTS = 120  # the same where numbers are predicted, which a cut beside the right one costs more
FEW_ROWS = 500  # with fewer, more cut points would fit the noise, and cross-validation is repeated
MANY_ROWS = 20_000  # from here on, three folds are enough
_VISITS = 8_000  # rows times epochs, if that many epochs are within the next two limits
_MIN_EPOCHS, _MAX_EPOCHS = 1, 30


def epochs_for(n_rows: float) -> int:
    """The number of epochs for a table of `n_rows` rows, or of this total weight."""
    return int(np.clip(_VISITS // max(int(n_rows), 1), _MIN_EPOCHS, _MAX_EPOCHS))


def chooses_columns(booleanizer: Any) -> bool:
    """Whether the number of columns is left open: "auto", or a Booleanizer with `max_columns="auto"`."""
    if not isinstance(booleanizer, Booleanizer):
        return OneOf("auto").accepts(booleanizer)
    return booleanizer.mode == "auto" and OneOf("auto").accepts(booleanizer.max_columns)


def booleanizer_for(n_rows: float, given: Any = "auto") -> Booleanizer:
    """The booleanizer that `chooses_columns` for a table of `n_rows` rows, or of this total weight."""
    most = MAX_COLUMNS if n_rows < _ENOUGH_ROWS else _MORE_COLUMNS
    own: Booleanizer = clone(given) if isinstance(given, Booleanizer) else Booleanizer()
    own.max_columns = most
    return own


def default_machine(booleanizer: Any, constraints: dict[str, Any]) -> TsetlinClassifier:
    """The unfitted machine; see `epochs_for` and, if the booleanizer is "auto", `booleanizer_for`."""
    return TsetlinClassifier(
        N_CLAUSES,
        threshold=THRESHOLD,
        specificity=SPECIFICITY,
        booleanizer=booleanizer,
        **constraints,
    )


Clauses = tuple[NDArray[np.int64], NDArray[np.uint32]]
"""Clauses as lists of literals: the start of each, and all literals."""
NO_CLAUSES: Clauses = (np.zeros(1, np.int64), np.zeros(0, np.uint32))


def clauses_of(model: ClauseModel) -> Clauses:
    """The different clauses of a machine that count and include a literal."""
    counts = (model.points > 0) & model.include.any(axis=2)
    include = model.include[counts]
    own = {clause.tobytes(): index for index, clause in enumerate(np.packbits(include, axis=1))}
    include = include[list(own.values())]
    starts = np.concatenate([[0], np.cumsum(include.sum(axis=1))]).astype(np.int64)
    return starts, np.nonzero(include)[1].astype(np.uint32)


def train_machines(
    machine: TsetlinClassifier, rows: SearchRows, parts: Sequence[tuple[Floats, int]], n_threads: int = 1
) -> list[Clauses]:
    """The clauses of machines with the same settings, which are trained in one call.

    Of many rows, they are trained on a sample; see `sample_rows`.

    Parameters
    ----------
    machine : the settings
    rows : to train on
    parts : of each machine the weights of the rows [n], of which those of weight 0 are left out, and its seed
    n_threads : for all machines
    """
    fits = [_prepared(machine, rows, weights, seed) for weights, seed in parts]
    begins = np.flatnonzero(np.tile(rows.begins, 2)).astype(np.uint32)
    found = map(clauses_of, run_together(machine, fits, n_threads))
    return [(starts, begins[literals]) for starts, literals in found]


def _prepared(machine: TsetlinClassifier, rows: SearchRows, weights: Floats, seed: int) -> Fit:
    own = copy(machine)
    own.random_state = seed
    own._part_of = machine._part_of or PartOf()
    sample, literals, _ = rows.for_machines
    weights = weights[sample]
    used = np.flatnonzero(weights > 0)
    samples = Samples(
        literals if len(used) == len(weights) else literals[used],
        rows.codes[sample[used]].astype(np.int32),
        None if (weights[used] == 1).all() else weights[used],
    )
    outcome = rows.machine_outcome or rows.outcome
    return prepare_fit(own, TrainingRows(rows.first or rows.encoding, outcome, samples), {}, (), None)


_SIZES = (*range(1, 9), 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200)
_DEFAULT_MAX_LITERALS = 40


@dataclass(frozen=True)
class Search:
    """One of the searches.

    Attributes
    ----------
    name : as stored in model files
    conjunctions : whether rules may have more than one literal
    ridge : the penalty of squared coefficients
    """

    name: str
    conjunctions: bool
    ridge: float


SEARCHES = (
    Search("shrunk", False, 20.0),
    Search("shrunk_rules", True, 5.0),
    Search("additive", False, 0.03),
    Search("rules", True, 0.3),
)
"""In order of preference, if their scorecards are about equally good."""


def searches_for(n_rows: int) -> tuple[Search, ...]:
    """The searches of a table of `n_rows` distinct rows; with many, a ridge makes hardly a difference."""
    return SEARCHES if n_rows < MANY_ROWS else SEARCHES[:2]


@dataclass(frozen=True)
class Limits:
    """The maximum size of a scorecard."""

    max_literals: int | None
    max_rules: int | None
    max_features: int | None
    max_points: int
    min_literals: int = 0  # of fixed rules

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of literals to try."""
        least = self.min_literals
        largest = max(_DEFAULT_MAX_LITERALS, least) if self.max_literals is None else self.max_literals
        return tuple(sorted({size for size in _SIZES if least <= size < largest} | {largest}))


class SearchSpace:
    """The rows of a table as the searches read them.

    Parameters
    ----------
    machine : the machine or the scorecard whose parameters have the constraints of the rules
    rows : the training rows
    constraints : what rules keep to beside
    """

    def __init__(self, machine: Any, rows: SearchRows, constraints: RuleConstraints | None = None) -> None:
        self.rows, self.table = rows, rows.table
        self.constraints = constraints or RuleConstraints()
        allowed = allowed_literals(machine, rows.encoding, rows.outcome)
        mask = np.ones((2, 2 * rows.encoding.n_columns), bool) if allowed is None else allowed
        self._signs = (mask[0] * POSITIVE + mask[1] * NEGATIVE).astype(np.uint8)

    def without(self, feature: int) -> SearchSpace | None:
        """The same rows with a feature that no rule may test.

        None if no rule would be left, or a fixed rule tests it.
        """
        if any(feature in rule.features for rule in self.constraints.fixed):
            return None
        own = np.array([column.feature_index == feature for column in self.rows.encoding.columns])
        other = copy(self)
        other._signs = np.where(np.tile(own, 2), 0, self._signs).astype(np.uint8)
        return other if other._signs.any() else None

    def find_cards(
        self,
        search: Search,
        weights: Floats,
        clauses: Clauses,
        limits: Limits,
        sizes: tuple[int, ...],
        thorough: bool = False,
    ) -> Cards:
        """The best scorecard that a search finds for each size, on the rows with these weights [n]."""
        starts, literals = clauses
        loss, quantile = ("log_loss", 0.5) if self.rows.numbers is None else self.rows.numbers.loss.of_search
        return self.table.find_cards(
            CardSearch(
                weights,
                self.rows.targets,
                self._signs,
                starts,
                literals,
                search.ridge,
                search.conjunctions,
                np.array(sizes, np.int64),
                limits.max_rules,
                limits.max_features,
                limits.max_points,
                thorough,
                self.constraints.search,
                loss,
                quantile,
            )
        )

    def rules(self, cards: Cards, card: int) -> list[Rule]:
        """The rules of a scorecard."""
        return self.rules_of(cards.terms(card))

    def rules_of(self, terms: Iterable[CardTerm]) -> list[Rule]:
        """The rules of the terms of a scorecard, of which fixed rules come first, as they were written."""
        columns = self.rows.encoding.columns
        n = len(columns)
        rules = [
            Rule(tuple(Literal(columns[k % n], k % n, k >= n) for k in literals), points, bank=bank)
            for literals, bank, points in terms
        ]
        fixed = zip(self.constraints.fixed, rules, strict=False)
        return [replace(own, points=rule.points) for own, rule in fixed] + rules[
            len(self.constraints.fixed) :
        ]

    def points_of(self, terms: Iterable[CardTerm]) -> NDArray[np.float64]:
        """The points of terms for each row, [n, banks]."""
        card = Cards.of_terms(list(terms), self.rows.outcome.n_banks)
        scores = self.table.scores(card, np.arange(len(self.rows.codes)))[0]
        return np.asarray(scores.T, np.float64)
