"""The constraints that a scorecard keeps after its fit: edits do not break them, and a refit obeys them.

They have the names and the values of the parameters of RuleClassifier. Bounds and given points are in points
of the fit, which a scale multiplies by a factor. Not here: what constraints mean for a search
(rule_constraints.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clausal.encoding.columns import condition_name
from clausal.encoding.encoding import Encoding
from clausal.engine.card_search import MAX_POINTS
from clausal.machine.constraints import Signs, allowed_signs, forbidden_positions, monotonic_signs
from clausal.machine.settings import PARAMETERS as MACHINE_PARAMETERS
from clausal.outcome import Outcome
from clausal.parameters import Number, check_text, check_value
from clausal.rules.parse import bank_of, parse_literals
from clausal.rules.rule import Conjunction, Literal, Override, Rule
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.rule_constraints import (
    PARAMETERS,
    FixedText,
    check_bounded_features,
    read_bounds,
    read_fixed_rules,
    read_interactions,
)
from clausal.untrusted import short_repr
from clausal.wording import label_text, signed_text

if TYPE_CHECKING:
    from clausal.scorecard.scorecard import Scorecard

_OWNER = "Scorecard"
_CHECKS = {name: MACHINE_PARAMETERS[name] for name in ("monotonic_cst", "forbidden_features")} | PARAMETERS
_FACTOR = "factor"
NAMES = (*_CHECKS, _FACTOR)
_MAX_TEXT = 10_000  # characters of a rule
_INTERACTIONS = {2: "pairwise", 1: "no_interactions"}


class Breach(NamedTuple):
    """A constraint that is broken: its name and item as `lift` takes them, its words, and what breaks it."""

    name: str
    item: Any
    said: str
    got: str


@dataclass(frozen=True)
class KeptConstraints:
    """Constraints on the rules and points of a scorecard, with the features as indices.

    Attributes
    ----------
    monotonic : -1 or 1 of features
    forbidden : features that no rule tests
    bounds : the least and the most points of rules that test a feature
    groups : of features that may meet in one rule; empty for no groups
    max_rule_features : the most features of a rule; None for no limit
    fixed : rules that are always there
    factor : how many points a point of the fit is
    """

    monotonic: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[int, ...] = ()
    bounds: tuple[tuple[int, int, int], ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    max_rule_features: int | None = None
    fixed: tuple[FixedText, ...] = ()
    factor: float = 1.0

    def __bool__(self) -> bool:
        return replace(self, factor=1.0) != KeptConstraints()

    @classmethod
    def read(cls, given: Any, encoding: Encoding, outcome: Outcome) -> KeptConstraints:
        """The constraints of a dict of parameters; constraints that were read stay what they are."""
        if given is None or isinstance(given, cls):
            known = given or cls()
            known._check_features(encoding.n_features)
            return known
        if not isinstance(given, Mapping) or (stray := [name for name in given if name not in NAMES]):
            got = short_repr(stray[0]) if isinstance(given, Mapping) else type(given).__name__
            raise ValueError(
                f"The 'constraints' parameter of {_OWNER} must be a dict with keys from {', '.join(NAMES)}. "
                f"Got {got}."
            )
        values = dict.fromkeys(NAMES) | {_FACTOR: 1.0} | dict(given)
        for name, value in values.items():
            check_value(_OWNER, name, value, _CHECKS.get(name, (Number(0, 1e9, open_low=True),)))
        check_bounded_features(values["points_bounds"], _OWNER)
        signs = monotonic_signs(values["monotonic_cst"], encoding, _OWNER)
        if signs.any() and outcome.n_banks > 1:
            raise ValueError(
                f"The 'monotonic_cst' parameter of {_OWNER} must be None for more than two classes. "
                f"Got {values['monotonic_cst']!r:.60}."
            )
        groups, most = read_interactions(values["interaction_cst"], encoding, _OWNER)
        fixed = read_fixed_rules(values["fixed_rules"], _OWNER)
        for rule in fixed:
            check_text("a rule of 'fixed_rules'", rule.text, _MAX_TEXT)
            bank_of(rule.for_class, outcome)
        bounds = read_bounds(values["points_bounds"], encoding, MAX_POINTS, _OWNER)
        return cls(
            tuple((index, int(sign)) for index, sign in enumerate(signs) if sign),
            tuple(sorted(set(forbidden_positions(values["forbidden_features"], encoding, _OWNER)))),
            tuple((feature, *bounds[feature]) for feature in sorted(bounds)),
            tuple(tuple(sorted(group)) for group in groups or ()),
            most,
            fixed,
            float(values[_FACTOR]),
        )

    def _check_features(self, n_features: int) -> None:
        """Refuse constraints of features that other rules do not know."""
        groups = (feature for group in self.groups for feature in group)
        ends = (feature for feature, *_ in (*self.monotonic, *self.bounds))
        if (largest := max((*self.forbidden, *groups, *ends), default=-1)) >= n_features:
            raise ValueError(
                f"The 'rules' parameter of {_OWNER} must have the features of the 'constraints' that are "
                f"kept, at least {largest + 1}. Got {n_features}."
            )

    def to_dict(self, encoding: Encoding) -> dict[str, Any]:
        """The inverse of `read`, with names of features where the table has names."""
        keys: Any = encoding.names or range(encoding.n_features)
        signs = self._signs(encoding.n_features)
        by_name = {keys[feature]: sign for feature, sign in self.monotonic}
        found: dict[str, Any] = {
            "monotonic_cst": by_name if encoding.names or not by_name else signs.tolist(),
            "forbidden_features": [keys[feature] for feature in self.forbidden],
            "fixed_rules": [_plain_fixed(rule) for rule in self.fixed],
            "points_bounds": {keys[feature]: _ends(low, high) for feature, low, high in self.bounds},
            "interaction_cst": _INTERACTIONS.get(self.max_rule_features or 0)
            or [[keys[feature] for feature in group] for group in self.groups],
        }
        found = {name: value for name, value in found.items() if value}
        return found if self.factor == 1 or not found else found | {_FACTOR: self.factor}

    def _signs(self, n_features: int) -> Signs:
        signs = np.zeros(n_features, np.int8)
        for feature, sign in self.monotonic:
            signs[feature] = sign
        return signs

    def turned(self) -> KeptConstraints:
        """The same constraints of points for the other class."""
        return replace(
            self,
            monotonic=tuple((feature, -sign) for feature, sign in self.monotonic),
            bounds=tuple((feature, -high, -low) for feature, low, high in self.bounds),
            fixed=tuple(rule._replace(points=rule.points and -rule.points) for rule in self.fixed),
        )

    def scaled(self, factor: float) -> KeptConstraints:
        """The same constraints of points that are multiplied."""
        return replace(self, factor=factor * self.factor)

    # --- in words ---

    def texts(self, encoding: Encoding) -> Iterator[tuple[str, Any, str]]:
        """The name, the item as `lift` takes it, and the words of each constraint."""
        names = tuple(map(condition_name, encoding.feature_names))
        for feature, sign in self.monotonic:
            way = "rise" if sign > 0 else "fall"
            yield "monotonic_cst", feature, f"points may only {way} with {names[feature]}"
        for feature in self.forbidden:
            yield "forbidden_features", feature, f"no rule may test {names[feature]}"
        for feature, low, high in self.bounds:
            words = zip(("at least", "at most"), _ends(low, high), strict=True)
            ends = (f"{word} {round(self.factor * end)}" for word, end in words if end is not None)
            yield "points_bounds", feature, f"rules on {names[feature]} have {' and '.join(ends)} points"
        if self.max_rule_features is not None:
            most_features = "1 feature" if self.max_rule_features == 1 else "2 features"
            yield "interaction_cst", None, f"a rule may test at most {most_features}"
        if self.groups:
            listed = "; ".join(", ".join(names[feature] for feature in group) for group in self.groups)
            yield "interaction_cst", None, f"a rule may test features of one group only: {listed}"
        for rule in self.fixed:
            points = "" if rule.points is None else f", with {signed_text(round(self.factor * rule.points))}"
            of = "" if rule.for_class is None else f" for {label_text(rule.for_class)}"
            yield "fixed_rules", rule, f"the rule `{rule.text}`{of} is always there{points}"

    def without(self, name: str, item: Any, encoding: Encoding) -> tuple[KeptConstraints, str]:
        """The constraints without one that is lifted, or all of its name if the item is None; its words.

        The item is the name or the position of a feature, or a fixed rule as it was given or is printed.
        """
        keys = encoding.feature_names
        lifted = [
            (own, text)
            for own_name, own, text in self.texts(encoding)
            if own_name == name
            and (item is None or item in _names_of(own, keys) or _same_rule(own, item, encoding))
        ]
        if not lifted:
            known = ", ".join(
                repr(own_name) if own is None else f"{own_name!r} of {_names_of(own, keys)[0]!r}"
                for own_name, own, _ in self.texts(encoding)
            )
            of = "" if item is None else f" of {item!r:.60}"
            raise ValueError(
                f"A constraint to be lifted must be one of the scorecard: {known or 'none'}. "
                f"Got {name!r:.60}{of}."
            )
        gone = {own for own, _ in lifted}
        parts: dict[str, Any] = {
            "monotonic_cst": {"monotonic": tuple(each for each in self.monotonic if each[0] not in gone)},
            "forbidden_features": {"forbidden": tuple(each for each in self.forbidden if each not in gone)},
            "points_bounds": {"bounds": tuple(each for each in self.bounds if each[0] not in gone)},
            "interaction_cst": {"groups": (), "max_rule_features": None},
            "fixed_rules": {"fixed": tuple(each for each in self.fixed if each not in gone)},
        }
        return replace(self, **parts[name]), "; ".join(text for _, text in lifted)

    # --- rules and points ---

    def breaches(self, rules: RuleSet) -> dict[Hashable, Breach]:
        """What rules break, each by a key that tells it from others."""
        if not self:
            return {}
        said = {(name, item): text for name, item, text in self.texts(rules.encoding)}
        found: dict[Hashable, Breach] = {}
        for (name, item), each, got in (
            *self._of_features(rules),
            *self._of_points(rules),
            *self._of_fixed(rules),
        ):
            key = None if each is None else (frozenset(each.literals), getattr(each, "bank", None))
            found[name, item, key] = Breach(name, item, said[name, item], got)
        return found

    def _of_features(self, rules: RuleSet) -> Iterator[tuple[tuple[str, Any], Conjunction | None, str]]:
        """The rules that may not test what they test."""
        groups = [set(group) for group in self.groups]
        for each in (*rules, *rules.overrides):
            features = set(each.features)
            for feature in sorted(features & set(self.forbidden)):
                yield ("forbidden_features", feature), each, f"`{each}`"
            together = not groups or any(features <= group for group in groups)
            few = len(features) <= (self.max_rule_features or len(features))
            if isinstance(each, Rule) and not (together and few):
                yield ("interaction_cst", None), each, f"`{each}`"

    def _of_points(self, rules: RuleSet) -> Iterator[tuple[tuple[str, Any], Conjunction | None, str]]:
        """The rules whose points are not allowed, and the overrides that decide like such points."""
        bounds = {feature: (low, high) for feature, low, high in self.bounds}
        signs = dict(self.monotonic)
        for each in (*rules, *rules.overrides):
            if isinstance(each, Override):
                points = 1 if each.label == rules.outcome.pos_label else -1
                got = f"{label_text(each.label)} if {each}"
            else:
                points, got = int(each.points), f"{signed_text(each.points)} for `{each}`"
            for feature in each.features:
                if feature in signs:
                    own = np.zeros(rules.encoding.n_features, np.int8)
                    own[feature] = signs[feature]
                    if (1 if points > 0 else -1) not in allowed_signs(each, own):
                        yield ("monotonic_cst", feature), each, got
                low, high = (round(self.factor * end) for end in bounds.get(feature, (points, points)))
                if feature in bounds and isinstance(each, Rule) and not low <= points <= high:
                    yield ("points_bounds", feature), each, got

    def _of_fixed(self, rules: RuleSet) -> Iterator[tuple[tuple[str, Any], Conjunction | None, str]]:
        """The fixed rules that are not there, or that have other points."""
        for fixed in self.fixed:
            rule = _rule_of(fixed, rules)
            if rule is None:
                yield ("fixed_rules", fixed), None, "no such rule"
            elif fixed.points is not None and rule.points != round(self.factor * fixed.points):
                yield ("fixed_rules", fixed), rule, f"{signed_text(rule.points)} for `{rule}`"

    def range_of(self, rule: Rule, rules: RuleSet, max_points: int) -> tuple[int, int]:
        """The least and the most points, of the fit, that a rule may have."""
        given = [each.points for each in self.fixed if each.points and _rule_of(each, rules) == rule]
        if given:
            return given[0], given[0]
        low, high = -max_points, max_points
        for feature, least, most in self.bounds:
            if feature in rule.features:
                low, high = max(low, least), min(high, most)
        signs = allowed_signs(rule, self._signs(rules.encoding.n_features))
        low, high = (low if -1 in signs else max(low, 0)), (high if 1 in signs else min(high, 0))
        if low > high or low == high == 0:
            raise ValueError(
                "Points are fitted to rules that the constraints of the scorecard allow some points. Got "
                f"none for `{rule}`; drop the rule or lift a constraint."
            )
        return low, high


def check_kept(before: Scorecard, after: Scorecard) -> None:
    """Refuse a change that breaks a constraint which the scorecard kept."""
    known = before._constraints.breaches(before.rules_)
    for key, breach in after._constraints.breaches(after.rules_).items():
        if key not in known:
            item = "" if breach.item is None else _names_of(breach.item, after.encoding_.feature_names)[0]
            of = f", {item!r}" if item else ""
            raise ValueError(
                f"An edit must keep the constraint {breach.name!r} of the scorecard: {breach.said}. Got "
                f"{breach.got}. A step before can lift it, and the log will tell: "
                f"lift({breach.name!r}{of}), or --lift '{breach.name}{item and ': '}{item}'."
            )


def constraints_of(settings: Any) -> dict[str, Any]:
    """The constraints among the parameters of a RuleClassifier or RuleRegressor."""
    machine = getattr(settings, "estimator", None) or settings
    own = SimpleNamespace(**{name: getattr(settings, name) for name in PARAMETERS})
    own.monotonic_cst, own.forbidden_features = machine.monotonic_cst, machine.forbidden_features
    return vars(own)


def _rule_of(fixed: FixedText, rules: RuleSet) -> Rule | None:
    """The rule that a fixed one is; None if it is not there."""
    literals = _literals_of(fixed.text, rules.encoding)
    bank = bank_of(fixed.for_class, rules.outcome)
    return next((own for own in rules if frozenset(own.literals) == literals and own.bank == bank), None)


def _literals_of(text: str, encoding: Encoding) -> frozenset[Literal] | None:
    """The literals of a rule in words; None if the encoding lacks a column, so that no rule tests it."""
    try:
        return frozenset(parse_literals(text, encoding))
    except ValueError:
        return None


def _same_rule(own: Any, item: Any, encoding: Encoding) -> bool:
    """Whether an item is a fixed rule in other words, such as those in which it is printed."""
    if not (isinstance(own, FixedText) and isinstance(item, str)):
        return False
    literals = _literals_of(item, encoding)
    return literals is not None and literals == _literals_of(own.text, encoding)


def _names_of(item: Any, feature_names: tuple[str, ...]) -> tuple[Any, ...]:
    """What `lift` may call an item: a feature by its name or position, a fixed rule by its words."""
    if item is None:
        return ()
    return (item.text,) if isinstance(item, FixedText) else (feature_names[item], item)


def _ends(low: int, high: int) -> tuple[int | None, int | None]:
    """Bounds as they are given, where None is no bound."""
    return None if low == -MAX_POINTS else low, None if high == MAX_POINTS else high


def _plain_fixed(rule: FixedText) -> Any:
    """A fixed rule as it is given."""
    if rule.for_class is not None:
        return tuple(rule)
    return rule.text if rule.points is None else (rule.text, rule.points)
