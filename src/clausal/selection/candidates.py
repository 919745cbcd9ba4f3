"""Rules to choose from: the clauses of trained machines, the same with a literal less, and single literals.

Not here: training the machines (pool.py), choosing among the rules (searches.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.columns import Column
from clausal.rules.rule import Literal, Rule
from clausal.rules.rule_set import RuleSet

Literals = tuple[Literal, ...]


def rules_of(machines: Iterable[RuleSet]) -> list[Literals]:
    """The conditions of the machines' rules, and of each rule with one of them left out, each once."""
    found: dict[frozenset[tuple[int, bool]], Literals] = {}
    for rules in machines:
        for rule in rules:
            for literals in (rule.literals, *_looser(rule.literals)):
                found.setdefault(frozenset((a.position, a.negated) for a in literals), literals)
    return list(found.values())


def _looser(literals: Literals) -> Iterator[Literals]:
    if len(literals) > 1:
        for place in range(len(literals)):
            yield literals[:place] + literals[place + 1 :]


def single_literals(columns: Sequence[Column]) -> list[Literals]:
    """Every column and its negation, as conditions of one literal."""
    return [
        (Literal(column, place, negated),)
        for negated in (False, True)
        for place, column in enumerate(columns)
    ]


def outputs(candidates: Sequence[Literals], bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which candidates hold on which rows of boolean columns, [n, candidates]."""
    result = np.empty((len(bits), len(candidates)), bool)
    for place, literals in enumerate(candidates):
        result[:, place] = Rule(literals, 1, "").holds(bits)
    return result


def distinct(fires: NDArray[np.bool_], n_literals: NDArray[np.intp], negations: bool) -> NDArray[np.intp]:
    """Places of candidates that differ on the rows [n, candidates]: of equals the shortest, then the first.

    Those that hold on every row or on none are left out, and, unless `negations` are wanted, those that hold
    just where another does not.
    """
    seen: set[bytes] = set()
    kept = []
    for place in np.argsort(n_literals, kind="stable").tolist():
        column = fires[:, place]
        key, opposite = np.packbits(column).tobytes(), np.packbits(~column).tobytes()
        if column.all() or not column.any() or key in seen or (not negations and opposite in seen):
            continue
        seen.add(key)
        kept.append(place)
    return np.array(sorted(kept), np.intp)
