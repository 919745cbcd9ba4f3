"""What an expert demands of the rules of a scorecard: rules that are always there, points, interactions.

Each parameter is checked and translated to what a search understands; demands that contradict each other are
refused. Not here: the search (engine/card_search.py), features that are forbidden or monotonic
(machine/constraints.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import condition_name, plain_selection, selected_indices
from clausal.encoding.encoding import Encoding
from clausal.engine.card_search import MAX_POINTS, NO_CONSTRAINTS, CardConstraints, FixedRule
from clausal.machine.constraints import allowed_signs, forbidden_positions, monotonic_signs
from clausal.outcome import Outcome
from clausal.parameters import Constraint, Instance, OneOf, Whole
from clausal.rules.parse import bank_of, encoding_for, parse_literals
from clausal.rules.patterns import check_possible
from clausal.rules.rule import Literal, Rule
from clausal.untrusted import short_repr

PARAMETERS: dict[str, tuple[Constraint, ...]] = {
    "fixed_rules": (OneOf(None), Instance((list, tuple), "a list of rules in words")),
    "points_bounds": (OneOf(None), Instance(dict, "a dict of pairs (least, most) by feature")),
    "interaction_cst": (
        OneOf(None, "pairwise", "no_interactions"),
        Instance((list, tuple), "a list of groups of features"),
    ),
}
FITTED = "fitted"
Bounds = Mapping[int, tuple[int, int]]
"""The least and the most points of a rule that tests a feature, by index."""

_POINTS = Whole(-MAX_POINTS, MAX_POINTS)


class FixedText(NamedTuple):
    """A rule in words that every scorecard has; points are None if they are fitted."""

    text: str
    points: int | None
    for_class: Any


@dataclass(frozen=True, eq=False)
class RuleConstraints:
    """What the rules of a scorecard keep to, as the search reads it.

    Attributes
    ----------
    search : for the search
    fixed : the rules that every scorecard has; points of 0 stand for fitted ones
    bounds : of points, by feature
    """

    search: CardConstraints = NO_CONSTRAINTS
    fixed: tuple[Rule, ...] = ()
    bounds: Bounds = field(default_factory=dict)

    @property
    def n_literals(self) -> int:
        """The number of literals of the rules that every scorecard has."""
        return sum(len(rule.literals) for rule in self.fixed)

    @property
    def limit_points(self) -> bool:
        """Whether some rule may not have any points that others may have."""
        return bool(self.bounds) or any(rule.points for rule in self.fixed)

    def are_kept_by(self, rules: Iterable[Rule]) -> bool:
        """Whether the points of rules are within the bounds."""
        return all(
            low <= rule.points <= high
            for rule in rules
            for low, high in (self.bounds[index] for index in rule.features if index in self.bounds)
        )


def read_fixed_rules(parameter: Any, owner: str) -> tuple[FixedText, ...]:
    """The rules of `fixed_rules` as a user gives them."""
    if parameter is None:
        return ()
    found = []
    for index, item in enumerate(parameter):
        parts = [item] if isinstance(item, str) else list(item) if isinstance(item, (list, tuple)) else []
        text, points, for_class = [*parts, None, None][:3] if 1 <= len(parts) <= 3 else (None, None, None)
        points = None if points is None or points == FITTED else points
        if not isinstance(text, str) or not (points is None or (_POINTS.accepts(points) and points)):
            raise ValueError(
                f"The 'fixed_rules' parameter of {owner} must hold rules in words, or tuples (rule, points) "
                f"or (rule, points, class) with points from -{MAX_POINTS} to {MAX_POINTS} other than 0, or "
                f"None to fit them. Got {item!r:.100} at position {index}."
            )
        found.append(FixedText(text, None if points is None else int(points), for_class))
    return tuple(found)


def encoding_with_fixed(parameter: Any, encoding: Encoding, owner: str) -> Encoding:
    """The encoding with the columns that `fixed_rules` need."""
    for item in read_fixed_rules(parameter, owner):
        with _naming("fixed_rules", owner):
            encoding = encoding_for(item.text, encoding)
    return encoding


@contextmanager
def _naming(name: str, owner: str) -> Iterator[None]:
    """Says in an error which parameter it is about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"In the {name!r} parameter of {owner}: {error}") from None


def rule_constraints(settings: Any, machine: Any, encoding: Encoding, outcome: Outcome) -> RuleConstraints:
    """The constraints that the parameters of a scorecard state.

    Parameters
    ----------
    settings : the RuleClassifier or RuleRegressor
    machine : whose parameters forbid features and make them monotonic
    encoding : with the columns of fixed rules
    outcome : what votes mean
    """
    if settings.fixed_rules is None and settings.points_bounds is None and settings.interaction_cst is None:
        return RuleConstraints()
    owner = type(settings).__name__
    bounds = read_bounds(settings.points_bounds, encoding, int(settings.max_points), owner)
    groups, most = read_interactions(settings.interaction_cst, encoding, owner)
    fixed = []
    for item in read_fixed_rules(settings.fixed_rules, owner):
        with _naming("fixed_rules", owner):
            literals = parse_literals(item.text, encoding)
            bank = bank_of(item.for_class, outcome)
            fixed.append(Rule(literals, item.points or 0, bank=bank))
            check_possible(fixed[-1], encoding, item.text)
    _check_sizes(fixed, settings)
    _check_different(fixed, owner)
    of_column = np.array([column.feature_index for column in encoding.columns], np.intp)
    shared = np.zeros((0, 0), np.uint64) if groups is None else _bits(groups, encoding.n_features)[of_column]
    allowed = _Allowed(machine, encoding, outcome, bounds, groups, most, int(settings.max_points), owner)
    with _naming("fixed_rules", owner):
        in_search = tuple(_fixed(rule, allowed, len(of_column)) for rule in fixed)
    no_bounds = np.zeros(0, np.int32)
    lows, highs = (
        np.array([bounds.get(index, (-MAX_POINTS, MAX_POINTS))[side] for index in of_column], np.int32)
        if bounds
        else no_bounds
        for side in (0, 1)
    )
    return RuleConstraints(CardConstraints(lows, highs, shared, most, in_search), tuple(fixed), bounds)


def read_bounds(
    parameter: Any, encoding: Encoding, max_points: int, owner: str
) -> dict[int, tuple[int, int]]:
    """The bounds of `points_bounds` by index of the feature, within `max_points`."""
    said = f"The 'points_bounds' parameter of {owner}"
    if parameter is None:
        return {}
    positions = selected_indices(list(parameter), encoding.names, encoding.n_features, said)
    found = {}
    for position, pair in zip(positions, parameter.values(), strict=True):
        name = encoding.feature_names[position]
        given = list(pair) if isinstance(pair, (list, tuple)) else []
        if len(given) != 2 or not all(end is None or Whole(-(10**9), 10**9).accepts(end) for end in given):
            raise ValueError(
                f"{said} must hold pairs (least, most) of whole points, or None for no bound. "
                f"Got {pair!r:.60} for {name!r}."
            )
        low = -max_points if given[0] is None else max(int(given[0]), -max_points)
        high = max_points if given[1] is None else min(int(given[1]), max_points)
        if low > high or low == high == 0:
            raise ValueError(
                f"{said} must leave some points other than 0 from -{max_points} to {max_points}, as "
                f"max_points says. Got {pair!r:.60} for {name!r}."
            )
        found[position] = (low, high)
    return found


def read_interactions(
    parameter: Any, encoding: Encoding, owner: str
) -> tuple[list[set[int]] | None, int | None]:
    """The groups of `interaction_cst`, as indices of features, and the most features of a rule."""
    said = f"The 'interaction_cst' parameter of {owner}"
    if parameter is None or isinstance(parameter, str):
        return None, {None: None, "pairwise": 2, "no_interactions": 1}[parameter]
    groups = []
    for group in parameter:
        if isinstance(group, (str, bytes)) or not hasattr(group, "__iter__"):
            raise ValueError(f"{said} must be a list of groups of features, each a list. Got {group!r:.60}.")
        listed = plain_selection(list(group), said)
        groups.append(set(selected_indices(listed, encoding.names, encoding.n_features, said)))
    rest = set(range(encoding.n_features)).difference(*groups)
    return [*groups, rest] if rest else groups, None


def _bits(groups: Sequence[set[int]], n_features: int) -> NDArray[np.uint64]:
    """The groups that each feature is in, as bits [features, words]."""
    bits = np.zeros((n_features, -(-len(groups) // 64)), np.uint64)
    for index, group in enumerate(groups):
        bits[sorted(group), index // 64] |= np.uint64(1 << (index % 64))
    return bits


def _check_sizes(fixed: Sequence[Rule], settings: Any) -> None:
    """Refuse more fixed rules than the scorecard may have."""
    features = {feature for rule in fixed for feature in rule.features}
    sizes = {
        "max_literals": sum(len(rule.literals) for rule in fixed),
        "max_rules": len(fixed),
        "max_features": len(features),
    }
    for name, needed in sizes.items():
        limit = getattr(settings, name)
        if limit is not None and needed > limit:
            raise ValueError(
                f"The {name!r} parameter of {type(settings).__name__} must be at least {needed}, which "
                f"'fixed_rules' needs. Got {limit}."
            )


def _check_different(fixed: Sequence[Rule], owner: str) -> None:
    keys = [(frozenset(rule.literals), rule.bank) for rule in fixed]
    for index, key in enumerate(keys):
        if key in keys[:index]:
            raise ValueError(
                f"The 'fixed_rules' parameter of {owner} must hold different rules. "
                f"Got `{fixed[index]}` twice."
            )


@dataclass(frozen=True)
class _Allowed:
    """What the other constraints allow a fixed rule."""

    machine: Any
    encoding: Encoding
    outcome: Outcome
    bounds: Bounds
    groups: list[set[int]] | None
    max_rule_features: int | None
    max_points: int
    owner: str

    def points_of(self, rule: Rule) -> tuple[int, int]:
        """The least and the most points that a rule may have; raises ValueError if it may not be there."""
        self._check_features(rule)
        low, high = -self.max_points, self.max_points
        for feature in rule.features:
            own = self.bounds.get(feature, (low, high))
            low, high = max(low, own[0]), min(high, own[1])
        if self.outcome.n_banks == 1:
            monotonic = monotonic_signs(self.machine.monotonic_cst, self.encoding, self.owner)
            signs = allowed_signs(rule, monotonic)
            low, high = (low if -1 in signs else max(low, 0)), (high if 1 in signs else min(high, 0))
        within = low <= rule.points <= high if rule.points else low < 0 or high > 0
        if low > high or not within:
            raise ValueError(
                "A fixed rule must have points that 'max_points', 'points_bounds' and 'monotonic_cst' allow, "
                f"here {self._range(low, high)}. Got {rule.points or 'fitted points'} for `{rule}`."
            )
        return (int(rule.points), int(rule.points)) if rule.points else (low, high)

    @staticmethod
    def _range(low: int, high: int) -> str:
        return "none" if low > high or low == high == 0 else f"from {low} to {high}"

    def _check_features(self, rule: Rule) -> None:
        names, features = self.encoding.feature_names, set(rule.features)
        positions = forbidden_positions(self.machine.forbidden_features, self.encoding, self.owner)
        forbidden = features & set(positions)
        if forbidden:
            raise ValueError(
                "A fixed rule must not test a feature of 'forbidden_features'. Got "
                f"{condition_name(names[min(forbidden)])} in `{rule}`."
            )
        together = self.groups is None or any(features <= group for group in self.groups)
        if not together or len(features) > (self.max_rule_features or len(features)):
            raise ValueError(
                "A fixed rule must test only features that 'interaction_cst' lets meet in one rule. "
                f"Got `{rule}`."
            )


def _fixed(rule: Rule, allowed: _Allowed, n_columns: int) -> FixedRule:
    """A fixed rule as the search reads it."""
    if not rule.literals:
        raise ValueError("A fixed rule must have a condition. Got 'always'.")
    low, high = allowed.points_of(rule)
    return FixedRule(
        tuple(sorted(_number(literal, n_columns) for literal in rule.literals)), rule.bank, low, high
    )


def _number(literal: Literal, n_columns: int) -> int:
    return literal.position + n_columns * literal.negated


def check_shapes(settings: Any) -> None:
    """Refuse values of the parameters that no table could make valid."""
    read_fixed_rules(settings.fixed_rules, type(settings).__name__)
    check_bounded_features(settings.points_bounds, type(settings).__name__)


def check_bounded_features(bounds: Any, owner: str) -> None:
    """Refuse keys of `points_bounds` that are no features."""
    stray = [
        key for key in bounds or {} if not isinstance(key, (str, int, np.integer)) or isinstance(key, bool)
    ]
    if stray:
        raise ValueError(
            f"The 'points_bounds' parameter of {owner} must have names or positions of "
            f"features as keys. Got {short_repr(stray[0])}."
        )
