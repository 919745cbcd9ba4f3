"""Shorter rules with the same votes on every row that the encoding can produce.

Two sets of literals on a feature mean the same when they allow the same patterns of its columns. Literals
that others imply go, contradictory rules vanish, equal rules merge by adding their points, what always holds
becomes the constant of its bank, and rules that differ in one feature are joined until nothing gets shorter:
`a[c and x] + b[c and not x]`, with a >= b of one sign, is `b[c] + (a - b)[c and x]`. Not here: anything that
changes a vote.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import cycle
from operator import or_

from clausal.rules.patterns import Patterns, reachable_patterns
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

Points = int | float
Parts = dict[int, Points]  # what each set of patterns adds


class Joiner:
    """Shortens sums over sets of one feature's patterns.

    Parameters
    ----------
    patterns : of the feature
    n_rest : literals of the conditions on other features, which every part has too
    """

    def __init__(self, patterns: Patterns, n_rest: int) -> None:
        self._patterns = patterns
        self._n_rest = n_rest

    def join(self, parts: Parts) -> Parts:
        """The same sum in fewer literals or rules, as far as joining two or more parts at a time gives."""
        parts = dict(sorted(parts.items()))
        self._join_pairs(parts, list(parts))
        while cover := self._cover(parts):
            shared = min((parts[part] for part in cover), key=abs)
            _add(parts, self._patterns.full, shared)
            for part in cover:
                _add(parts, part, -shared)
            self._join_pairs(parts, list(parts))
        return parts

    def _join_pairs(self, parts: Parts, waiting: list[int]) -> None:
        """Join two parts at a time where that is shorter, in place."""
        while waiting:
            first = waiting.pop()
            for second in parts if first in parts else ():
                shorter = self._shorter(parts, first, second)
                if shorter is None:
                    continue
                del parts[first], parts[second]
                for part, points in shorter.items():
                    _add(parts, part, points)
                waiting += shorter
                break

    def _shorter(self, parts: Parts, first: int, second: int) -> Parts | None:
        """Two parts, one within the other or apart from it, said in a shorter way; None if there is none.

        Where one takes points from the other, a way that is just as short but has smaller points will do.
        """
        if not self._may_join(parts, first, second):
            return None
        given = {first: parts[first], second: parts[second]}
        apart = given
        if first & second:
            inner, outer = sorted((first, second), key=int.bit_count)
            apart = {inner: parts[inner] + parts[outer], outer ^ inner: parts[outer]}
        ways = [way for way in (given, _without_zeros(apart), *_shared(apart)) if self._can_say(way)]
        opposed = first & second and parts[first] * parts[second] < 0
        best = min(ways, key=lambda way: (self._cost(way), _size(way) if opposed else 0))
        return None if best is given else best

    def _may_join(self, parts: Parts, first: int, second: int) -> bool:
        """Whether a look at two parts is worth while, told quickly: of most it is not."""
        common, same_sign = first & second, parts[first] * parts[second] > 0
        if not common:
            return same_sign and self._patterns.literals(first | second) is not None
        if common not in (first, second) or first == second:
            return False
        if not self._n_rest and self._patterns.full in (first, second):
            return False  # the constant stays out of it
        rest = self._patterns.literals(first ^ second)
        if rest is None or not same_sign:
            return rest is not None
        return len(rest) < len(self._patterns.literals(first | second) or ())

    def _can_say(self, parts: Parts) -> bool:
        return all(self._patterns.literals(part) is not None for part in parts)

    def _cost(self, parts: Parts) -> tuple[int, int]:
        """Literals and rules. What every row gets goes to the constant, which is neither."""
        rules = [part for part in parts if self._n_rest or part != self._patterns.full]
        own = sum(len(self._patterns.literals(part) or ()) for part in rules)
        return own + self._n_rest * len(rules), len(rules)

    def _cover(self, parts: Parts) -> tuple[int, ...] | None:
        """Parts of one sign that together hold every pattern once, other than the whole itself."""
        for sign in (1, -1):
            found = exact_cover(
                (part for part in parts if parts[part] * sign > 0 and part != self._patterns.full),
                self._patterns.full,
            )
            if found:
                return found
        return None


def exact_cover(sets: Iterable[int], full: int) -> tuple[int, ...] | None:
    """Some of the sets, each the bits of an integer, in which every bit of `full` occurs once; or None."""
    by_lowest: dict[int, list[int]] = {}
    for each in sets:
        by_lowest.setdefault(each & -each, []).append(each)
    if reduce(or_, (each for group in by_lowest.values() for each in group), 0) != full:
        return None
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    seen = set()
    while waiting:
        covered, chosen = waiting.pop()
        if covered == full:
            return chosen
        if covered not in seen:
            seen.add(covered)
            lowest = ~covered & (covered + 1)  # the first bit still to cover must be the next set's first
            waiting += [
                (covered | each, (*chosen, each)) for each in by_lowest.get(lowest, ()) if not covered & each
            ]
    return None


def _shared(apart: Parts) -> list[Parts]:
    """What two sets of one sign have in common said of both, and the rest of the larger; if they can."""
    (small, least), (large, most) = sorted(apart.items(), key=lambda item: abs(item[1]))
    if least * most <= 0:
        return []
    return [_without_zeros({small | large: least, large: most - least})]


def _size(parts: Parts) -> Points:
    return sum(map(abs, parts.values()))


def _without_zeros(parts: Parts) -> Parts:
    return {part: points for part, points in parts.items() if points}


def _add(parts: Parts, part: int, points: Points) -> None:
    """Add points to a set of patterns; a sum of 0 goes."""
    total = parts.pop(part, 0) + points
    if total:
        parts[part] = total


Meaning = tuple[tuple[int, int], ...]  # (feature, the patterns it allows), features ascending
Term = tuple[int, Meaning]  # (bank, what must hold)


def simplify(rules: RuleSet) -> RuleSet:
    """The same model in fewer literals, the rules in one fixed order.

    Rules come by falling size of their points, then by number of literals, then by text. Simplifying once
    more changes nothing.
    """
    patterns = reachable_patterns(rules.encoding)
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
    columns = rules.columns
    found = []
    for (bank, meaning), points in model.points.items():
        literals = tuple(Literal(columns[place], place, sign) for place, sign in model.literals(meaning))
        found.append(Rule(literals, points, bank=bank))
    return rules.with_rules(sorted(found, key=_by_influence), model.constants)


def _by_influence(rule: Rule) -> tuple[object, ...]:
    """The order of rules; no two of a simplified set are equal in it."""
    places = tuple((literal.position, literal.negated) for literal in rule.literals)
    return -abs(rule.points), len(rule.literals), str(rule), rule.bank, places
