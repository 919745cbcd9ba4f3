"""Small random tables and searches of scorecards on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from clausal.engine.card_search import NO_CONSTRAINTS, CardConstraints, CardSearch, FixedRule
from clausal.engine.protocol import pack_bits


class Case(NamedTuple):
    """A table and a search on it."""

    values: np.ndarray
    feature_of: np.ndarray
    search: CardSearch
    begins: np.ndarray | None = None


def packed(values: np.ndarray) -> np.ndarray:
    """Packed literals [n, words] of columns that are 1 or 0, or 2 where neither literal is true."""
    return pack_bits(np.hstack([values == 1, values == 0]))


def table(rng: np.random.Generator, n_rows: int, widths: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Features of a few columns each: cut points or any bits, sometimes without a value."""
    columns = []
    for width in widths:
        if rng.random() < 0.6:
            own = rng.normal(size=(n_rows, 1)) <= np.sort(rng.normal(size=width))
        else:
            own = rng.random((n_rows, width)) < rng.random()
        unknown = rng.random(n_rows) < rng.choice([0.0, 0.2])
        columns.append(np.where(unknown[:, None], 2, own).astype(np.uint8))
    return np.hstack(columns), np.repeat(np.arange(len(widths)), widths).astype(np.uint32)


def shares_of(rng: np.random.Generator, values: np.ndarray, n_banks: int, hard: bool) -> np.ndarray:
    """Classes, or their probabilities, that depend on the table."""
    scores = rng.normal(size=(max(n_banks, 2), values.shape[1])) @ (values == 1).T
    scores += rng.normal(size=scores.shape)
    if hard:
        shares = (scores == scores.max(axis=0)).astype(float)
    else:
        shares = np.exp(scores) / np.exp(scores).sum(axis=0)
    return np.ascontiguousarray(shares[-n_banks:])


def targets_of(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """Numbers that depend on the table, some of them equal, a few far away."""
    numbers = rng.normal(size=values.shape[1]) @ (values == 1).T + rng.normal(size=len(values))
    numbers = np.where(rng.random(len(numbers)) < 0.5, np.round(numbers), numbers)
    far = rng.choice([1.0, 20.0, 65536.0])
    return np.where(rng.random(len(numbers)) < 0.05, np.sign(numbers) * far, numbers)[None]


def weights_of(rng: np.random.Generator, n_rows: int, kind: str) -> np.ndarray:
    if kind == "equal":
        return np.ones(n_rows)
    if kind == "whole":
        return rng.integers(0, 4, n_rows).astype(float)
    return rng.exponential(size=n_rows) * (rng.random(n_rows) < 0.8) * rng.choice([1e-3, 1.0, 1e9])


def constraints_of(
    rng: np.random.Generator, feature_of: np.ndarray, n_banks: int, max_points: int
) -> CardConstraints:
    """Bounds of points, groups of features and rules that stay, each with a chance."""
    n_literals, n_features = 2 * len(feature_of), int(feature_of[-1]) + 1
    no_bounds = np.zeros(0, np.int32)
    low = rng.choice([-100, -3, 0, 1, 2], n_features).clip(-max_points, max_points)[feature_of]
    high = rng.choice([-2, 0, 1, 4, 100], n_features).clip(-max_points, max_points)[feature_of]
    groups = rng.choice(2**3, (n_features, 2))[feature_of].astype(np.uint64)
    bounded, grouped = rng.random(2) < 0.5
    fixed = {}
    for _ in range(rng.integers(0, 3)):
        literals = tuple(np.unique(rng.choice(n_literals, rng.integers(1, 3))).tolist())
        least, most = np.sort(rng.integers(-max_points, max_points + 1, 2)).tolist()
        least = most if rng.random() < 0.5 else least
        if least < 0 or most > 0:
            bank = int(rng.integers(n_banks))
            fixed[literals, bank] = FixedRule(literals, bank, least, most)
    return CardConstraints(
        low=low.astype(np.int32) if bounded else no_bounds,
        high=high.astype(np.int32) if bounded else no_bounds,
        groups=groups if grouped else np.zeros((0, 0), np.uint64),
        max_rule_features=rng.choice([None, 1, 2]),
        fixed=tuple(fixed.values()),
    )


@st.composite
def cases(
    draw,
    weights=("equal", "whole", "fractional"),
    hard=(True, False),
    constrained: bool = False,
    losses=("log_loss",),
) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(5, 60))
    values, feature_of = table(rng, n_rows, draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)))
    n_literals = 2 * values.shape[1]
    lengths = rng.integers(0, min(n_literals, 10) + 1, draw(st.integers(0, 4)))
    literals = [rng.choice(n_literals, length) for length in lengths]
    first = np.sort(rng.integers(1, 12, draw(st.integers(1, 4))))
    chances = draw(st.sampled_from([(0.0, 0.0, 0.0, 1.0), (0.1, 0.2, 0.2, 0.5)]))
    loss, max_points = draw(st.sampled_from(losses)), draw(st.sampled_from([1, 2, 5, 10, 100]))
    n_banks = draw(st.sampled_from([1, 3])) if loss == "log_loss" else 1
    is_hard = draw(st.sampled_from(hard))
    shares = shares_of(rng, values, n_banks, is_hard) if loss == "log_loss" else targets_of(rng, values)
    return Case(
        values,
        feature_of,
        CardSearch(
            weights=weights_of(rng, n_rows, draw(st.sampled_from(weights))),
            shares=shares,
            signs=rng.choice(4, n_literals, p=chances).astype(np.uint8),
            starts=np.cumsum([0, *lengths], dtype=np.int64),
            literals=np.concatenate([np.zeros(0), *literals]).astype(np.uint32),
            ridge=draw(st.sampled_from([0.0, 1e-4, 0.3, 1.0, 20.0])),
            conjunctions=draw(st.booleans()),
            sizes=first.astype(np.int64),
            max_rules=draw(st.sampled_from([None, 1, 3])),
            max_features=draw(st.sampled_from([None, 1, 2])),
            max_points=max_points,
            thorough=draw(st.booleans()),
            constraints=constraints_of(rng, feature_of, n_banks, max_points)
            if constrained
            else NO_CONSTRAINTS,
            loss=loss,
            quantile=draw(st.sampled_from([0.5, 0.1, 0.75])) if loss == "quantile" else 0.5,
        ),
        rng.random(values.shape[1]) < draw(st.sampled_from([0.4, 1.0])),
    )
