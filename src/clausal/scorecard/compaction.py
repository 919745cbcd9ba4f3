"""From machines to a scorecard: every choice made by cross-validation inside the data given.

Machines are trained and searched anew on each training part, so that no row is scored by rules that saw it.
That gives the search, the number of literals (the fewest near the best), the calibration and the cut-off;
then machines, rules and points are made on all rows. Not here: the estimator (rule_classifier.py).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import logit

from clausal.encoding.values import LENIENT
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.constraints import Signs, allowed_signs, forbidden_positions, monotonic_signs
from clausal.outcome import Outcome
from clausal.progress import progress
from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import simplify
from clausal.scorecard.candidates import Literals, distinct, outputs, rules_of, single_literals, trained
from clausal.scorecard.folds import Split, take_rows
from clausal.scorecard.logistic import Floats, Places, Targets
from clausal.scorecard.path import CompactionPath
from clausal.scorecard.points import (
    Scorecard,
    fit_slope,
    plain_scorecard,
    totals,
    whole_constants,
    whole_points,
)
from clausal.scorecard.scoring import Scoring
from clausal.scorecard.search import Candidates, Search, Selection, forward_path, lasso_path
from clausal.scorecard.soft_targets import taught

_SIZES = (*range(1, 13), 14, 16, 18, 20, 23, 26, 30, 35, 40, 45, 50, 60, 70, 80, 100, 120, 150, 200)
_MOST_LITERALS = 40  # where the user sets no limit
_MOST_SEARCHED_ROWS = 10_000
_MOST_CANDIDATES = 1_000
_LEAST_PROBABILITY = 1e-6
_NEAR_ERRORS = 0.5  # standard errors of the difference to the best that a smaller model may lose
_LEAST_SLOPE = 0.05  # of the calibration, where validation found no signal at all


@dataclass(frozen=True)
class Strategy:
    """One way to search: among which rules, with how much shrinkage, towards labels or a teacher's answer.

    Rules are the first machine's ("own") or all machines' ("pool"), single literals among them, or single
    literals alone ("singles").
    """

    name: str
    among: str
    search: Search
    ridge: float
    taught: bool = False


STRATEGIES = (
    Strategy("lasso", "own", lasso_path, 5.0),
    Strategy("forward", "pool", forward_path, 0.3),
    Strategy("taught", "singles", forward_path, 0.3, taught=True),
    Strategy("additive", "singles", forward_path, 0.03),
)


@dataclass(frozen=True)
class Limits:
    """What a scorecard may have at most."""

    max_literals: int | None
    max_rules: int | None
    max_points: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of literals to look at."""
        most = _MOST_LITERALS if self.max_literals is None else self.max_literals
        return tuple(sorted({size for size in _SIZES if size < most} | {most}))


@dataclass(frozen=True, eq=False)
class Table:
    """Training data as compaction needs it: rows of weight above 0, with class codes.

    Attributes
    ----------
    X : the user's table
    codes : intp [n]
    weights : float64 [n]
    outcome : what votes mean
    """

    X: Any
    codes: Places
    weights: Floats
    outcome: Outcome

    def take(self, rows: Places) -> Table:
        """Some of the rows."""
        return Table(take_rows(self.X, rows), self.codes[rows], self.weights[rows], self.outcome)

    def weighing(self, weights: Floats) -> Table:
        """The rows of weight above 0, each counting as told."""
        rows = np.flatnonzero(weights > 0)
        return Table(take_rows(self.X, rows), self.codes[rows], weights[rows], self.outcome)

    @property
    def classes(self) -> NDArray[Any]:
        """The class labels in order."""
        return self.outcome.classes

    @property
    def targets(self) -> Targets:
        """What is to be predicted."""
        return Targets.of(self.codes, self.outcome, self.weights)

    def train(self, machines: list[TsetlinClassifier], seed: int) -> list[TsetlinClassifier]:
        """The machines, fitted on these rows."""
        weights = None if (self.weights == 1).all() else self.weights
        return trained(machines, self.X, self.classes[self.codes], weights, seed)


class Searched:
    """Trained machines' rules, searched for scorecards.

    Parameters
    ----------
    machines : fitted on the rows of `table`
    table : those rows
    """

    def __init__(self, machines: list[TsetlinClassifier], table: Table) -> None:
        self.encoding = machines[0].encoding_.with_policy(**asdict(LENIENT))  # for held-out rows
        rows = _searched_rows(len(table.codes))
        self.targets = table.targets.take(rows)
        bits = self.bits(table.take(rows).X)
        forbidden = forbidden_positions(machines[0].forbidden_features, self.encoding)
        singles = [
            literals
            for literals in single_literals(machines[0].columns_)
            if literals[0].column.feature_index not in forbidden
        ]
        signs = None
        if machines[0].monotonic_cst is not None:
            signs = monotonic_signs(machines[0].monotonic_cst, self.encoding)
        own = [*singles, *rules_of([machines[0].rules_])]
        pool = [*singles, *rules_of(machine.rules_ for machine in machines)] if len(machines) > 1 else own
        self.found = {
            among: _candidates(literals, bits, self.targets, signs)
            for among, literals in (("singles", singles), ("own", own), ("pool", pool))
        }

    def bits(self, X: Any) -> NDArray[np.uint8]:
        """The boolean columns of a table like the one trained on."""
        return self.encoding.dense_bits(X)

    def scorecards(self, strategy: Strategy, sizes: tuple[int, ...], limits: Limits) -> list[Scorecard]:
        """The best scorecard found of at most each size, in literals."""
        _, candidates = self.found[strategy.among]
        targets = taught(candidates, self.targets) if strategy.taught else self.targets
        path = strategy.search(candidates, targets, max(sizes), strategy.ridge)
        if limits.max_rules is not None:
            path = [selection for selection in path if len(selection.rules) <= limits.max_rules]
        cards: dict[int, Scorecard] = {}
        result = []
        for size in sizes:
            best = _best_within(path, size)
            if best is None:
                result.append(plain_scorecard(targets))
                continue
            if id(best) not in cards:
                cards[id(best)] = whole_points(best, candidates, targets, limits.max_points)
            result.append(cards[id(best)])
        return result

    def literals(self, strategy: Strategy, card: Scorecard) -> list[Literals]:
        """The conditions of a scorecard's rules."""
        return [self.found[strategy.among][0][rule] for rule in card.rules]


def _best_within(path: list[Selection], size: int) -> Selection | None:
    within = [selection for selection in path if selection.n_literals <= size]
    return min(within, key=lambda selection: selection.fit.loss, default=None)


def _searched_rows(n_rows: int) -> Places:
    """All rows, or evenly spread ones where there are very many."""
    if n_rows <= _MOST_SEARCHED_ROWS:
        return np.arange(n_rows)
    return np.linspace(0, n_rows - 1, _MOST_SEARCHED_ROWS).astype(np.intp)


def _candidates(
    literals: list[Literals], bits: NDArray[np.uint8], targets: Targets, signs: Signs | None
) -> tuple[list[Literals], Candidates]:
    """Conditions that differ on the rows (the most telling, where they are very many), and their outputs."""
    fires = outputs(literals, bits)
    sizes = np.array([len(one) for one in literals], np.intp)
    allowed = np.ones((len(literals), targets.n_banks, 2), bool)
    if signs is not None:
        ways = [allowed_signs(Rule(one, 1), signs) for one in literals]
        allowed[:, 0] = [[1 in way, -1 in way] for way in ways]
        literals = [one for one, way in zip(literals, ways, strict=True) if way]
        usable = allowed[:, 0].any(axis=1)
        fires, sizes, allowed = fires[:, usable], sizes[usable], allowed[usable]
    kept = distinct(fires, sizes, negations=signs is not None)
    found = Candidates(fires[:, kept].astype(np.float32), sizes[kept], allowed[kept])
    if len(kept) > _MOST_CANDIDATES:
        telling = np.abs(found.sums(targets.pull(plain_scorecard(targets).log_odds(found.fires)))).max(axis=1)
        best = np.sort(np.argsort(-telling / found.n_literals, kind="stable")[:_MOST_CANDIDATES])
        kept, found = kept[best], Candidates(found.fires[:, best], found.n_literals[best], found.signs[best])
    return [literals[place] for place in kept], found


# --- cross-validation ---


@dataclass(frozen=True, eq=False)
class Validated:
    """How one strategy did at one size.

    Attributes
    ----------
    scores : float64 [folds]
    losses : float64 [folds], log-loss of the calibrated probabilities
    slope, offsets : the calibration of log-odds
    cut_off : the probability from which on to decide for the second class
    n_rules : float, mean over folds
    """

    scores: Floats
    losses: Floats
    slope: float
    offsets: Floats
    cut_off: float
    n_rules: float


@dataclass(frozen=True, eq=False)
class Held:
    """What a fold's scorecards say of its held-out rows.

    Attributes
    ----------
    rows : intp [held out]
    weights : float64 [held out]
    log_odds : float64 [strategies, sizes, held out, banks]
    n_rules : intp [strategies, sizes]
    """

    rows: Places
    weights: Floats
    log_odds: Floats
    n_rules: Places


def hold_out(
    machines: list[TsetlinClassifier], table: Table, split: Split, limits: Limits, seed: int
) -> Held:
    """Train, search and predict with some rows held out."""
    part, rest = table.weighing(split.train), table.weighing(split.held)
    searched = Searched(part.train(machines, seed), part)
    bits = searched.bits(rest.X)
    n_banks = part.targets.n_banks
    log_odds = np.empty((len(STRATEGIES), len(limits.sizes), len(rest.codes), n_banks))
    n_rules = np.empty(log_odds.shape[:2], np.intp)
    for place, strategy in enumerate(STRATEGIES):
        for size, card in enumerate(searched.scorecards(strategy, limits.sizes, limits)):
            fires = outputs(searched.literals(strategy, card), bits).astype(np.float64)
            log_odds[place, size] = (
                card.slope * totals(fires, card.banks, card.points, n_banks) + card.offsets
            )
            n_rules[place, size] = len(card.rules)
    return Held(np.flatnonzero(split.held > 0), rest.weights, log_odds, n_rules)


def validate(table: Table, folds: list[Held], scoring: Scoring) -> dict[tuple[int, int], Validated]:
    """Each strategy at each size, by their places, judged on the held-out rows of all folds together.

    Where a class has none, its risk cannot be calibrated: what the scorecards say themselves is left.
    """
    rows = np.concatenate([fold.rows for fold in folds])
    codes, weights = table.codes[rows], np.concatenate([fold.weights for fold in folds])
    targets = Targets.of(codes, table.outcome, weights)
    whole = len(np.unique(codes)) == len(table.classes)
    parts = np.split(np.arange(len(rows)), np.cumsum([len(fold.rows) for fold in folds])[:-1])
    result = {}
    for place in np.ndindex(folds[0].n_rules.shape):
        log_odds = np.concatenate([fold.log_odds[place] for fold in folds])
        slope, offsets = 1.0, np.zeros(targets.n_banks)
        if whole:
            slope, offsets, _ = fit_slope(log_odds, targets)
            slope = max(slope, _LEAST_SLOPE)
        p = targets.probabilities(slope * log_odds + offsets)
        if table.outcome.positive is not None:
            cut_off = scoring.cut_off(p[:, 0], codes, weights) if whole else 0.5
            decided = (p[:, 0] >= cut_off).astype(np.intp)
            p = np.hstack([1.0 - p, p])
        else:
            cut_off, decided = np.nan, p.argmax(axis=1)
        scores = scoring.fold_scores(p, decided, codes, weights, parts)
        losses = _fold_losses(p, codes, weights, parts)
        n_rules = float(np.mean([fold.n_rules[place] for fold in folds]))
        result[place] = Validated(scores, losses, slope, offsets, cut_off, n_rules)
    return result


def _fold_losses(p: Floats, codes: Places, weights: Floats, parts: list[Places]) -> Floats:
    """Mean log-loss of probabilities [n, classes] in each part of the rows."""
    losses = -np.log(np.maximum(p[np.arange(len(codes)), codes], _LEAST_PROBABILITY))
    return np.array([np.average(losses[part], weights=weights[part]) for part in parts])


def choose(validated: dict[tuple[int, int], Validated]) -> tuple[int, int]:
    """The strategy of the lowest log-loss at its best size, then its smallest size near its best.

    Near is within half a standard error of the difference to the best, fold by fold, by score and by
    log-loss. On small folds a score such as F1 tells sizes apart only roughly; log-loss tells more.
    """
    strategy, _ = min(sorted(validated), key=lambda place: validated[place].losses.mean())
    own = {place: one for place, one in validated.items() if place[0] == strategy}
    near_loss = _near_best({place: -one.losses for place, one in own.items()})
    return min((_near_best({place: one.scores for place, one in own.items()}) & near_loss) or near_loss)


def _near_best(values: dict[tuple[int, int], Floats]) -> set[tuple[int, int]]:
    """Those whose values [folds] fall short of the best mean by no more than the errors allowed."""
    best = max(values.values(), key=lambda one: one.mean())
    near = set()
    for place, one in values.items():
        short = best - one
        error = short.std(ddof=1) / np.sqrt(len(short)) if len(short) > 1 else 0.0
        if short.mean() <= _NEAR_ERRORS * error:
            near.add(place)
    return near


def cross_validated(
    machines: list[TsetlinClassifier],
    table: Table,
    limits: Limits,
    scoring: Scoring,
    plan: Plan,
) -> tuple[CompactionPath, Strategy, int, Validated]:
    """The path, and the strategy and size chosen on it with their calibration."""
    held = []
    with progress(len(plan.splits), plan.verbose, "compacting", "folds") as advance:
        work = (
            delayed(hold_out)(machines, table, split, limits, plan.seed + 100 * place)
            for place, split in enumerate(plan.splits)
        )
        for one in Parallel(n_jobs=plan.n_jobs, return_as="generator")(work):
            held.append(one)
            advance("")
    validated = validate(table, held, scoring)
    strategy, size = choose(validated)
    path = CompactionPath.of(
        validated, [one.name for one in STRATEGIES], limits.sizes, (strategy, size), scoring.name
    )
    return path, STRATEGIES[strategy], limits.sizes[size], validated[strategy, size]


@dataclass(frozen=True, eq=False)
class Plan:
    """How to cross-validate."""

    splits: list[Split]
    n_jobs: int | None
    seed: int
    verbose: bool


# --- the final scorecard ---


def final_rules(
    searched: Searched, rules: RuleSet, strategy: Strategy, size: int, limits: Limits, chosen: Validated
) -> tuple[RuleSet, float, float]:
    """The scorecard as rules on the table of `rules`, and slope and offset from its votes to log-odds."""
    (card,) = searched.scorecards(strategy, (size,), limits)
    slope = max(chosen.slope * card.slope, 1e-9)
    offsets = chosen.slope * card.offsets + chosen.offsets
    if rules.outcome.positive is not None:
        least = (logit(chosen.cut_off) - offsets[0]) / slope  # points needed to decide for the second class
        constants = [-int(np.clip(np.ceil(least - 1e-9), -(2**31), 2**31))]
        offset = float(offsets[0] - slope * constants[0])
    else:
        fires = searched.found[strategy.among][1].fires
        constants = whole_constants(card, fires, searched.targets, slope, offsets)
        offset = 0.0
    named = zip(searched.literals(strategy, card), card.points.tolist(), card.banks.tolist(), strict=True)
    made = [Rule(literals, points, bank=bank) for literals, points, bank in named]
    return simplify(rules.with_rules(made, constants)), slope, offset
