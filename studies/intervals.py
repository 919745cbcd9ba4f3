"""How often the intervals of a scorecard's risks contain the true risk, on generated data.

The true risk of a score is the mean probability of the rows with that score, in 60,000 new rows. A score
counts by its number of new rows. `python -m studies.intervals` prints the table of
docs/accuracy.md; it takes about 20 minutes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from clausal import RuleClassifier

Floats = NDArray[np.float64]
Generator = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
"""Makes features [n, ...] and the probability of the positive class [n]."""

N_NEW = 60_000
REPEATS = {300: 60, 1000: 30, 5000: 12}


def additive(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """A logistic model of five of eight numbers."""
    X = rng.normal(size=(n, 8))
    return X, expit(X[:, 0] - 0.8 * X[:, 1] + 0.6 * X[:, 2] + 0.4 * X[:, 3] - 0.3 * X[:, 4] - 0.2)


def rules(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Three rules of two conditions each."""
    X = rng.random((n, 8))
    first = (X[:, 0] > 0.5) & (X[:, 1] > 0.4)
    second = (X[:, 2] < 0.3) | (X[:, 3] > 0.8)
    third = (X[:, 4] > 0.6) & (X[:, 0] < 0.5)
    return X, expit(-1.2 + 2.2 * first + 1.5 * second - 1.5 * third)


def rare(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """A positive class of about one row in ten, curves and a product."""
    X = rng.normal(size=(n, 10))
    curves = np.abs(X[:, 1]) + 0.7 * np.sin(2 * X[:, 2])
    return X, expit(-3.2 + 1.2 * X[:, 0] + curves + 0.5 * X[:, 3] * X[:, 4])


def categories(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Six features of four values, so that many rows are equal."""
    X = rng.integers(0, 4, (n, 6)).astype(np.float64)
    effects = 0.8 * np.random.default_rng(7).normal(size=(6, 4))
    total = sum(effects[k][X[:, k].astype(int)] for k in range(5))
    return X, expit(total + 0.8 * (X[:, 0] == X[:, 1]) - 0.3)


def weak(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Hardly more than noise."""
    X = rng.normal(size=(n, 12))
    return X, expit(0.3 * X[:, 0] + 0.25 * X[:, 1] - 0.2 * X[:, 2] + 0.1 * X[:, 3])


def steep(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Probabilities close to 0 and 1, and a product."""
    X = rng.normal(size=(n, 8))
    return X, expit(3 * np.tanh(2 * X[:, 0]) + 2 * X[:, 1] * X[:, 2] + X[:, 3])


def correlated(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """Six numbers of which three pairs tell almost the same, and an unequal number of rows of each class."""
    hidden = rng.normal(size=(n, 3))
    X = np.repeat(hidden, 2, axis=1) + 0.4 * rng.normal(size=(n, 6))
    return X, expit(-1.0 + 1.1 * hidden[:, 0] + 0.7 * np.maximum(hidden[:, 1], 0) - 0.5 * hidden[:, 2] ** 2)


def tree(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """A decision tree with five leaves, and three features that do not matter."""
    X = rng.random((n, 6))
    left = np.where(X[:, 1] < 0.4, 0.1, np.where(X[:, 2] < 0.5, 0.35, 0.6))
    return X, np.where(X[:, 0] < 0.55, left, np.where(X[:, 1] < 0.7, 0.8, 0.3))


GENERATORS: dict[str, Generator] = {
    made.__name__: made for made in (additive, rules, rare, categories, weak, steep, correlated, tree)
}
"""The last two were not used when the method was chosen."""


@dataclass(frozen=True)
class Coverage:
    """The share of new rows whose interval contains the true risk of their score, and its mean width."""

    share: float
    width: float


def coverage(generate: Generator, n: int, seed: int, confidence: float = 0.95, **params: Any) -> Coverage:
    """Fit one scorecard on `n` rows and compare its intervals with the true risks."""
    rng = np.random.default_rng([seed, n])
    X, p = generate(rng, n)
    y = rng.random(n) < p
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # hardly better than the shares of the classes
        clf = RuleClassifier(random_state=seed, **params).fit(X, y)
    X_new, p_new = generate(np.random.default_rng(99), N_NEW)
    scores, index, counts = np.unique(clf.votes(X_new), return_inverse=True, return_counts=True)
    truth = np.bincount(index, p_new) / counts
    low, high = clf.risk_table_.interval(scores, confidence).T
    return Coverage(
        float(np.average((low <= truth) & (truth <= high), weights=counts)),
        float(np.average(high - low, weights=counts)),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the repetitions")
    parser.add_argument("--only", nargs="*", default=list(GENERATORS), help="generators")
    options = parser.parse_args()
    share = options.share
    sizes = {n: max(round(share * repeats), 2) for n, repeats in REPEATS.items()}
    print(f"| generator | {' | '.join(f'n = {n:,} ({repeats} fits)' for n, repeats in sizes.items())} |")
    print(f"| --- |{' ---: |' * len(sizes)}")
    means: dict[int, list[float]] = {n: [] for n in sizes}
    for name in options.only:
        generate, cells = GENERATORS[name], []
        for n, repeats in sizes.items():
            found = [coverage(generate, n, seed) for seed in range(repeats)]
            means[n].append(float(np.mean([one.share for one in found])))
            width = np.mean([one.width for one in found])
            cells.append(f"{means[n][-1]:.1%} (width {width:.3f})")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"| mean | {' | '.join(f'{np.mean(shares):.1%}' for shares in means.values())} |")


if __name__ == "__main__":
    main()
