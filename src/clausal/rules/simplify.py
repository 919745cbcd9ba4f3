"""Exact simplification: shorter rules with the same votes on every row that the encoding can produce.

Two sets of literals on a feature have the same meaning if they allow the same patterns of its columns.
Redundant literals and contradictory rules are removed, equal rules are merged by adding their points, and
rules that always hold are added to the constant of their bank. Then rules that differ in one feature are
joined until nothing gets shorter: `a[c and x] + b[c and not x]`, with a >= b > 0, is
`b[c] + (a - b)[c and x]`. Not here: anything that changes a vote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import cycle
from operator import or_

from clausal.encoding.encoding import Encoding
from clausal.encoding.patches import PatchEncoding
from clausal.rules.patterns import Patterns, reachable_patterns
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

Points = int | float
Parts = dict[int, Points]  # the points of each set of patterns


class Joiner:
    """Shortens a sum of points over sets of patterns ("parts") of one feature.

    Parameters
    ----------
    patterns : the patterns of the feature
    n_rest : number of literals on other features, which all parts have in common
    """

    def __init__(self, patterns: Patterns, n_rest: int) -> None:
        self._patterns = patterns
        self._n_rest = n_rest

    def join(self, parts: Parts) -> Parts:
        """The same sum with fewer literals or rules, by repeatedly joining parts."""
        parts = dict(sorted(parts.items()))
        self._join_pairs(parts, list(parts))
        while cover := self._cover(parts):
            common = min((parts[part] for part in cover), key=abs)
            _add(parts, self._patterns.full, common)
            for part in cover:
                _add(parts, part, -common)
            self._join_pairs(parts, list(parts))
        return parts

    def _join_pairs(self, parts: Parts, waiting: list[int]) -> None:
        """Join pairs of parts if that is shorter; changes `parts`."""
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
        """The sum of two parts, disjoint or nested, in a shorter form; None if there is none.

        If nested parts have opposite signs, a form of the same length with smaller points is also accepted.
        """
        if not self._may_join(parts, first, second):
            return None
        given = {first: parts[first], second: parts[second]}
        disjoint = given
        if first & second:
            inner, outer = sorted((first, second), key=int.bit_count)
            disjoint = {inner: parts[inner] + parts[outer], outer ^ inner: parts[outer]}
        candidates = (given, _without_zeros(disjoint), *_shared(disjoint))
        forms = [form for form in candidates if self._has_literals(form)]
        opposed = first & second and parts[first] * parts[second] < 0
        best = min(forms, key=lambda form: (self._cost(form), _size(form) if opposed else 0))
        return None if best is given else best

    def _may_join(self, parts: Parts, first: int, second: int) -> bool:
        """A quick test that excludes most pairs that cannot be joined."""
        common, same_sign = first & second, parts[first] * parts[second] > 0
        if not common:
            return same_sign and self._patterns.literals(first | second) is not None
        if common not in (first, second) or first == second:
            return False
        if not self._n_rest and self._patterns.full in (first, second):
            return False  # the constant is not joined
        rest = self._patterns.literals(first ^ second)
        if rest is None or not same_sign:
            return rest is not None
        return len(rest) < len(self._patterns.literals(first | second) or ())

    def _has_literals(self, parts: Parts) -> bool:
        """Whether each part is the meaning of some AND of literals."""
        return all(self._patterns.literals(part) is not None for part in parts)

    def _cost(self, parts: Parts) -> tuple[int, int]:
        """The number of literals and of rules. The constant counts as neither."""
        rules = [part for part in parts if self._n_rest or part != self._patterns.full]
        n_literals = sum(len(self._patterns.literals(part) or ()) for part in rules)
        return n_literals + self._n_rest * len(rules), len(rules)

    def _cover(self, parts: Parts) -> tuple[int, ...] | None:
        """Two or more parts of the same sign that together contain every pattern exactly once, or None."""
        for sign in (1, -1):
            found = exact_cover(
                (part for part in parts if parts[part] * sign > 0 and part != self._patterns.full),
                self._patterns.full,
            )
            if found:
                return found
        return None


def exact_cover(sets: Iterable[int], full: int) -> tuple[int, ...] | None:
    """Some of the sets, given as bits, that together contain every bit of `full` exactly once; or None."""
    by_lowest_bit: dict[int, list[int]] = {}
    for each in sets:
        by_lowest_bit.setdefault(each & -each, []).append(each)
    if reduce(or_, (each for group in by_lowest_bit.values() for each in group), 0) != full:
        return None
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    seen = set()
    while waiting:
        covered, chosen = waiting.pop()
        if covered == full:
            return chosen
        if covered not in seen:
            seen.add(covered)
            lowest = ~covered & (covered + 1)  # the lowest uncovered bit: the next set must start with it
            waiting += [
                (covered | each, (*chosen, each))
                for each in by_lowest_bit.get(lowest, ())
                if not covered & each
            ]
    return None


def _shared(disjoint: Parts) -> list[Parts]:
    """Two disjoint parts as their common points on the union plus the difference on the part with more.

    Empty if the parts have opposite signs.
    """
    (weak, fewer), (strong, more) = sorted(disjoint.items(), key=lambda item: abs(item[1]))
    if fewer * more <= 0:
        return []
    return [_without_zeros({weak | strong: fewer, strong: more - fewer})]


def _size(parts: Parts) -> Points:
    return sum(map(abs, parts.values()))


def _without_zeros(parts: Parts) -> Parts:
    return {part: points for part, points in parts.items() if points}


def _add(parts: Parts, part: int, points: Points) -> None:
    """Add points to a set of patterns, which is removed if its sum is 0."""
    total = parts.pop(part, 0) + points
    if total:
        parts[part] = total


Meaning = tuple[tuple[int, int], ...]  # (feature, its allowed patterns), features ascending
Term = tuple[int, Meaning]  # (bank, meaning)


def simplify(rules: RuleSet) -> RuleSet:
    """The same model with fewer literals.

    Rules are sorted by decreasing absolute points, then by number of literals, then by text. Simplifying the
    result again changes nothing.
    """
    patterns = reachable_patterns(rules.encoding)
    if isinstance(rules.encoding, PatchEncoding):
        return _as_rules(_simplified_patches(rules, rules.encoding.places, patterns), rules)
    return _as_rules(_simplified(rules, rules.constants, patterns), rules)


def _simplified(rules: Iterable[Rule], constants: Iterable[Points], patterns: dict[int, Patterns]) -> _Sum:
    model = _Sum(patterns, constants)
    for rule in rules:
        meaning = _meaning(rule.literals, patterns)
        if meaning is not None:
            model.add((rule.bank, meaning), rule.points)
    model.join()
    return model


def _simplified_patches(rules: RuleSet, places: frozenset[int], patterns: dict[int, Patterns]) -> _Sum:
    """Rules that hold if some patch does: `c and x` and `c and not x` may both, so nothing is joined.

    A rule about places alone holds on every sample, which has patches at all of them.
    """
    model = _Sum(patterns, rules.constants)
    for rule in rules:
        meaning = _meaning(rule.literals, patterns)
        if meaning is not None:
            always = {feature for feature, _ in meaning} <= places
            model.add((rule.bank, () if always else meaning), rule.points)
    return model


def simple_terms(cards: Iterable[Sequence[Rule]], encoding: Encoding, n_banks: int) -> Iterator[list[Rule]]:
    """The simplified rules of many small models of one encoding, in any order and without their constants.

    They are those of `simplify`, which takes longer because it sorts and checks them.
    """
    patterns, columns = reachable_patterns(encoding), encoding.columns
    for card in cards:
        model = _simplified(card, [0] * n_banks, patterns)
        yield [
            Rule(
                tuple(Literal(columns[k], k, negated) for k, negated in model.literals(meaning)),
                points,
                bank=bank,
            )
            for (bank, meaning), points in model.points.items()
        ]


def reduce_encoding(rules: RuleSet) -> RuleSet:
    """The same rules with an encoding that holds only what they need to read a row.

    Features that no rule tests are no longer read, so that they may hold anything, and categories that no
    rule can tell apart are dropped: a model file does not contain them.
    """
    encoding = rules.encoding
    literals = [literal for each in (*rules, *rules.overrides) for literal in each.literals]
    # A negated condition holds for known categories only. Other policies must know all of them, too.
    complete = {literal.column.feature_index for literal in literals if literal.negated}
    if encoding.policy.handle_unknown not in ("no_rule", "no_match"):
        complete = set(rules.used_features)
    return moved_rules(rules, encoding.reduced(rules.used_features, complete))


def moved_rules(rules: RuleSet, encoding: Encoding) -> RuleSet:
    """The same rules with another encoding, which has the columns that they test at any positions."""
    positions = {column: index for index, column in enumerate(encoding.columns)}

    def moved(literals: tuple[Literal, ...]) -> tuple[Literal, ...]:
        return tuple(replace(each, position=positions[each.column]) for each in literals)

    kept = [replace(rule, literals=moved(rule.literals)) for rule in rules]
    overrides = [replace(each, literals=moved(each.literals)) for each in rules.overrides]
    return RuleSet(kept, encoding, rules.outcome, rules.constants, overrides=overrides)


class _Sum:
    """A model as a sum of points over terms, with a constant per bank."""

    def __init__(self, patterns: dict[int, Patterns], constants: Iterable[Points]) -> None:
        self.constants = list(constants)
        self.points: dict[Term, Points] = {}
        self._patterns = patterns
        self._with_feature: dict[int, set[Term]] = {}

    def add(self, term: Term, points: Points) -> None:
        """Add points to a term, which is removed if its sum is 0; a term that always holds is constant."""
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
        """The literals with this meaning, as (index of the column, negated)."""
        return tuple(
            sign for feature, allowed in meaning for sign in self._patterns[feature].literals(allowed) or ()
        )

    def join(self) -> None:
        """Join terms that differ in one feature until nothing gets shorter for any feature."""
        n_unchanged, features = 0, cycle(sorted(self._with_feature))
        while n_unchanged < len(self._with_feature):
            feature = next(features)
            joined = [self._join_group(feature, rest, parts) for rest, parts in self._groups(feature)]
            n_unchanged = 0 if any(joined) else n_unchanged + 1

    def _groups(self, feature: int) -> list[tuple[Term, Parts]]:
        """Groups of two or more terms that differ in this feature only, with the term that they share."""
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
        """Join terms that differ in one feature only; returns whether anything changed."""
        patterns, (bank, others) = self._patterns[feature], rest
        joined = Joiner(patterns, len(self.literals(others))).join(parts)
        for allowed in sorted(parts.keys() | joined.keys()):
            difference = joined.get(allowed, 0) - parts.get(allowed, 0)
            if difference:
                condition = () if allowed == patterns.full else ((feature, allowed),)
                self.add((bank, tuple(sorted(others + condition))), difference)
        return joined != parts


def _meaning(literals: Iterable[Literal], patterns: dict[int, Patterns]) -> Meaning | None:
    """The allowed patterns of each feature, without features that allow all; None for a contradiction."""
    by_feature: dict[int, list[Literal]] = {}
    for literal in literals:
        by_feature.setdefault(literal.column.feature_index, []).append(literal)
    allowed = {feature: patterns[feature].meaning(group) for feature, group in by_feature.items()}
    if not all(allowed.values()):
        return None
    return tuple(sorted(item for item in allowed.items() if item[1] != patterns[item[0]].full))


def _as_rules(model: _Sum, rules: RuleSet) -> RuleSet:
    """The sum as sorted rules."""
    columns = rules.columns
    found = []
    for (bank, meaning), points in model.points.items():
        literals = tuple(
            Literal(columns[index], index, negated) for index, negated in model.literals(meaning)
        )
        found.append(Rule(literals, points, bank=bank))
    return sorted_rules(rules.with_rules(found, model.constants))


def sorted_rules(rules: RuleSet) -> RuleSet:
    """The same rules in the order of simplified ones: see `simplify`."""
    return rules.with_rules(sorted(rules, key=_sort_key))


def _sort_key(rule: Rule) -> tuple[object, ...]:
    """The order of rules; no two rules of a simplified set have the same key."""
    literals = tuple((literal.position, literal.negated) for literal in rule.literals)
    return -abs(rule.points), len(rule.literals), str(rule), rule.bank, literals
