"""Rules that differ in one feature only, written with fewer literals.

On one feature a rule allows a set of patterns (patterns.py). Rules with the same other conditions are a sum
of points over such sets, and the sum can often be said shorter: `a[c and x] + b[c and not x]`, with a >= b of
one sign, is `b[c] + (a - b)[c and x]`. Not here: where such rules are found (simplify.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_

from clausal.rules.patterns import Patterns

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
