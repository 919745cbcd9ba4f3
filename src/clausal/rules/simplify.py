"""Shorter rules with the same votes on every row that the booleanizer can produce.

Two sets of literals on a feature mean the same when they allow the same patterns of its columns. Literals
that others imply go, contradictory rules vanish, equal rules merge by adding their points, what always holds
becomes the constant of its bank, and rules that differ in one feature are joined (joins.py) until nothing
gets shorter. Not here: anything that changes a vote.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle

from clausal.rules.joins import Joiner, Parts, Points
from clausal.rules.patterns import Patterns, reachable_patterns
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet, speaker

Meaning = tuple[tuple[int, int], ...]  # (feature, the patterns it allows), features ascending
Term = tuple[int, Meaning]  # (bank, what must hold)


def simplify(rules: RuleSet) -> RuleSet:
    """The same model in fewer literals, the rules in one fixed order.

    Rules come by falling size of their points, then by number of literals, then by text. Simplifying once
    more changes nothing.
    """
    patterns = reachable_patterns(rules.booleanizer)
    model = _Sum(patterns, rules.constants)
    for rule in rules:
        meaning = _meaning(rule.literals, patterns)
        if meaning is not None:
            model.add((rule.bank, meaning), rule.points)
    model.join()
    return _as_rules(model, rules)


class _Sum:
    """A model as a sum of points over meanings, with a constant per bank."""

    def __init__(self, patterns: dict[int, Patterns], constants: Iterable[Points]) -> None:
        self.constants = list(constants)
        self.points: dict[Term, Points] = {}
        self._patterns = patterns
        self._with_feature: dict[int, set[Term]] = {}

    def add(self, term: Term, points: Points) -> None:
        """Add points to a term; a sum of 0 goes, what always holds is constant."""
        bank, meaning = term
        if not meaning:
            self.constants[bank] += points
            return
        total = self.points.pop(term, 0) + points
        if total:
            self.points[term] = total
        for feature, _ in meaning:
            terms = self._with_feature.setdefault(feature, set())
            (terms.add if total else terms.discard)(term)

    def literals(self, meaning: Meaning) -> tuple[tuple[int, bool], ...]:
        """The literals that say it, as (place of the column, negated)."""
        return tuple(
            sign for feature, allowed in meaning for sign in self._patterns[feature].literals(allowed) or ()
        )

    def join(self) -> None:
        """Join terms that differ in one feature until nothing gets shorter on any feature."""
        n_settled, features = 0, cycle(sorted(self._with_feature))
        while n_settled < len(self._with_feature):
            feature = next(features)
            joined = [self._join_group(feature, rest, parts) for rest, parts in self._groups(feature)]
            n_settled = 0 if any(joined) else n_settled + 1

    def _groups(self, feature: int) -> list[tuple[Term, Parts]]:
        """The terms that differ in this feature only, two or more, by what else must hold."""
        groups: dict[Term, Parts] = {}
        for term in self._with_feature[feature]:
            bank, meaning = term
            (allowed,) = (allowed for other, allowed in meaning if other == feature)
            rest = (bank, tuple(item for item in meaning if item[0] != feature))
            groups.setdefault(rest, {})[allowed] = self.points[term]
        for rest, parts in groups.items():
            if rest in self.points:
                parts[self._patterns[feature].full] = self.points[rest]
        return sorted((rest, parts) for rest, parts in groups.items() if len(parts) > 1)

    def _join_group(self, feature: int, rest: Term, parts: Parts) -> bool:
        """Join some terms that differ in one feature; whether that changed any."""
        patterns, (bank, others) = self._patterns[feature], rest
        joined = Joiner(patterns, len(self.literals(others))).join(parts)
        for allowed in sorted(parts.keys() | joined.keys()):
            difference = joined.get(allowed, 0) - parts.get(allowed, 0)
            if difference:
                own = () if allowed == patterns.full else ((feature, allowed),)
                self.add((bank, tuple(sorted(others + own))), difference)
        return joined != parts


def _meaning(literals: Iterable[Literal], patterns: dict[int, Patterns]) -> Meaning | None:
    """What must hold, by feature, without what always does; None where it never can."""
    by_feature: dict[int, list[Literal]] = {}
    for literal in literals:
        by_feature.setdefault(literal.column.feature_index, []).append(literal)
    allowed = {feature: patterns[feature].meaning(own) for feature, own in by_feature.items()}
    if not all(allowed.values()):
        return None
    return tuple(sorted(item for item in allowed.items() if item[1] != patterns[item[0]].full))


def _as_rules(model: _Sum, rules: RuleSet) -> RuleSet:
    """The sum as rules, in their order."""
    columns, names = rules.columns, rules.class_names
    found = []
    for (bank, meaning), points in model.points.items():
        literals = tuple(Literal(columns[place], place, sign) for place, sign in model.literals(meaning))
        found.append(Rule(literals, points, speaker(names, bank, points), bank))
    return rules.with_rules(sorted(found, key=_by_influence), model.constants)


def _by_influence(rule: Rule) -> tuple[object, ...]:
    """The order of rules; no two of a simplified set are equal in it."""
    places = tuple((literal.position, literal.negated) for literal in rule.literals)
    return -abs(rule.points), len(rule.literals), str(rule), rule.bank, places
