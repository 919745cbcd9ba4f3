"""The polish of whole points: no move lowers the objective of a card that the compiled search returns.

The objective is computed here once more, from the definitions in core/scorecard/loss.hpp.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings

from clausal.engine.card_search import CardSearch
from clausal.engine.exact_math import exact_exp, exact_log
from clausal.engine.native import NativeSearchTable
from tests.support.card_searches import Case, cases, packed

ONE, MOST = 2**20, 4096
TOLERANCE = 1e-6 + 1e-9


class Card(NamedTuple):
    literals: list[list[int]]
    banks: list[int]
    points: list[int]
    value: int
    offsets: list[int]


def scores_of(true: np.ndarray, card: Card) -> np.ndarray:
    scores = np.repeat(np.array(card.offsets)[:, None], len(true), axis=1)
    for literals, bank, points in zip(card.literals, card.banks, card.points, strict=True):
        scores[bank] += points * card.value * true[:, literals].all(axis=1)
    return scores.clip(-MOST, MOST)


def whole(search: CardSearch) -> tuple[list[int], list[list[int]]]:
    """Weights and shares in units of 2^-24; the tables here have a small total weight."""
    weights = [round(weight * 2**24) for weight in search.weights.tolist()]
    return weights, [
        [round(w * s) for w, s in zip(weights, own, strict=True)] for own in search.shares.tolist()
    ]


def objective(true: np.ndarray, search: CardSearch, card: Card) -> float:
    """The loss, in exact integers, and the penalty."""
    scores = scores_of(true, card)
    penalty = sum((points * card.value / 256) ** 2 for points in card.points)
    if search.loss != "log_loss":
        bits, rows = number_rows(true, search, card)
        return sum(loss for loss, _, _ in rows) / 2 ** (20 + bits) + 0.5 * search.ridge * penalty
    powers = exact_exp(scores / 256)
    logs = exact_log(1.0 + powers[0]) if len(powers) == 1 else exact_log(powers[0] + powers[1] + powers[2])
    weights, shares = whole(search)
    loss = sum(weight * round(log * ONE) for weight, log in zip(weights, logs.tolist(), strict=True))
    for own, of_rows in zip(shares, scores.tolist(), strict=True):
        loss -= sum(share * (ONE // 256) * score for share, score in zip(own, of_rows, strict=True))
    return loss / 2**44 + 0.5 * search.ridge * penalty


def number_rows(true: np.ndarray, search: CardSearch, card: Card) -> tuple[int, list[tuple[int, int, int]]]:
    """The bits of a unit of weight, and the loss, minus its slope and the curvature of each row."""
    targets, scores, rows = search.shares[0].tolist(), scores_of(true, card)[0].tolist(), []
    squared = search.loss == "squared_error"
    sizes = [w * max(abs(t), 1.0) if squared else w for w, t in zip(search.weights, targets, strict=True)]
    total, bits = sum(map(math.ceil, sizes)), 24
    while total * 2**bits > 2**34:
        bits -= 1
    for weight, target, score in zip(search.weights.tolist(), targets, scores, strict=True):
        w = round(weight * 2**bits)
        if squared:
            share = round(w * target)
            rows.append((8 * w * score**2 - share * 4096 * score, share * ONE - w * score * 4096, w * ONE))
            continue
        share, u = round(w * (2 * search.quantile - 1)), score - round(min(max(target * 256, -3072), 3072))
        u = min(max(u, -MOST), MOST)
        loss = w * (64 * u * u if abs(u) < 32 else 2048 * (2 * abs(u) - 32)) - share * 4096 * u
        rows.append(
            (loss, share * ONE - w * min(max(u, -32), 32) * 2**15, w * (ONE // max(abs(u), 32)) * 256)
        )
    return bits, rows


def with_fitted_number(true: np.ndarray, search: CardSearch, card: Card, n_steps: int) -> Card:
    """The same for a number."""
    offset = card.offsets[0]
    for _ in range(n_steps):
        _, rows = number_rows(true, search, card._replace(offsets=[offset]))
        gradient, curvature = sum(row[1] for row in rows), sum(row[2] for row in rows)
        change = round(min(max(gradient / curvature * 256, -256), 256)) if curvature else 0
        offset += change if abs(offset + change) <= MOST else 0
    return card._replace(offsets=[offset])


def with_fitted_offsets(true: np.ndarray, search: CardSearch, card: Card, n_steps: int) -> Card:
    """One Newton step, at most 1 of log-odds, for the offset of each bank in turn, a few times."""
    if search.loss != "log_loss":
        return with_fitted_number(true, search, card, n_steps)
    offsets = list(card.offsets)
    weights, shares = whole(search)
    for _ in range(n_steps):
        for bank in range(len(offsets)):
            powers = exact_exp(scores_of(true, card._replace(offsets=offsets)) / 256)
            gradient = curvature = 0
            for row, weight in enumerate(weights):
                power = powers[:, row].tolist()
                total = 1.0 + power[0] if len(power) == 1 else power[0] + power[1] + power[2]
                p = round(power[bank] / total * ONE)
                slope = round(power[0] / total / total * ONE) if len(power) == 1 else p * (ONE - p) // ONE
                gradient += shares[bank][row] * ONE - weight * p
                curvature += weight * max(slope, 1)
            change = round(min(max(gradient / curvature * 256, -256), 256)) if curvature else 0
            if abs(offsets[bank] + change) <= MOST:
                offsets[bank] += change
    return card._replace(offsets=offsets)


def changes_of_points(card: Card, search: CardSearch, changes: list[tuple[int, int]]) -> Iterator[Card]:
    points = list(card.points)
    for k, change in changes:
        points[k] += change
        sign = 1 if points[k] > 0 else 2
        allowed = all(search.signs[literal] & sign for literal in card.literals[k])
        if points[k] == 0 or abs(points[k]) > search.max_points or not allowed:
            return
    yield card._replace(points=points)


def point_moves(card: Card, search: CardSearch) -> Iterator[Card]:
    """One point more or less of a rule, or of each of two rules of the same bank."""
    n_terms = len(card.points)
    for k in range(n_terms):
        for point in (1, -1):
            yield from changes_of_points(card, search, [(k, point)])
            for j in range(k):
                if card.banks[j] == card.banks[k]:
                    yield from changes_of_points(card, search, [(k, point), (j, 1)])
                    yield from changes_of_points(card, search, [(k, point), (j, -1)])


def cut_moves(card: Card, case: Case, true: np.ndarray) -> Iterator[Card]:
    """Another cut point of a literal, if the rule keeps its length and divides the rows unlike others."""
    n_columns = len(case.feature_of)
    for k, own in enumerate(card.literals):
        sign = 1 if card.points[k] > 0 else 2
        for a, literal in enumerate(own):
            for step in (
                (-1, 1, -2, 2, -4, 4) if case.begins is not None and not case.begins.all() else (-1, 1)
            ):
                column = literal % n_columns + step
                if not 0 <= column < n_columns:
                    continue
                other = literal - literal % n_columns + column
                if case.feature_of[column] != case.feature_of[literal % n_columns]:
                    continue
                literals = sorted([*own[:a], other, *own[a + 1 :]])
                taken = any(
                    j != k and card.banks[j] == card.banks[k] and divides_alike(one, literals, case, true)
                    for j, one in enumerate(card.literals)
                )
                if taken or is_redundant(literals, case, true) or not case.search.signs[other] & sign:
                    continue
                yield card._replace(literals=[*card.literals[:k], literals, *card.literals[k + 1 :]])


def divides_alike(one: list[int], two: list[int], case: Case, true: np.ndarray) -> bool:
    """Whether two rules are equal, or single literals of a feature that are always or never both true."""
    features = np.tile(case.feature_of, 2)
    if len(one) > 1 or len(two) > 1 or features[one[0]] != features[two[0]]:
        return one == two
    equal = true[:, one[0]] == true[:, two[0]]
    return bool(equal.all() or not equal.any())


def is_redundant(literals: list[int], case: Case, true: np.ndarray) -> bool:
    """Whether the other literals of the same feature imply one of them."""
    features = np.tile(case.feature_of, 2)
    for literal in literals:
        others = [one for one in literals if one != literal and features[one] == features[literal]]
        if others and (true[:, others].all(axis=1) <= true[:, literal]).all():
            return True
    return len(set(literals)) < len(literals)


@settings(max_examples=60)
@given(cases(weights=("equal", "whole"), losses=("squared_error", "quantile")))
def test_no_move_lowers_the_objective_of_numbers(case: Case) -> None:
    check_moves(case)


@settings(max_examples=80)
@given(cases(weights=("equal", "whole")))
def test_no_move_lowers_the_objective(case: Case) -> None:
    check_moves(case)


def check_moves(case: Case) -> None:
    search, true = replace(case.search, thorough=True), np.hstack([case.values == 1, case.values == 0])
    cards = NativeSearchTable(packed(case.values), case.feature_of, case.begins).find_cards(search)
    last = 0
    literals, banks, points = ([term[k] for term in cards.terms(last)] for k in range(3))
    card = Card(literals, banks, points, int(cards.values[last]), cards.offsets[last].tolist())
    assert objective(true, search, card) == pytest.approx(cards.objectives[last], rel=1e-12, abs=1e-12)
    lowest = cards.objectives[last] - TOLERANCE
    for moved in (*point_moves(card, search), *cut_moves(card, case, true)):
        assert objective(true, search, with_fitted_offsets(true, search, moved, 1)) >= lowest
    for value in (card.value - 1, card.value + 1) if points else ():
        if value >= 1:
            moved = with_fitted_offsets(true, search, card._replace(value=value), 4)
            assert objective(true, search, moved) >= lowest
