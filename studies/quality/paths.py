"""The compact rivals: each gives a path of models from small to large, of which inner validation takes one.

A path is a function of X (a DataFrame), y (whole numbers from 0) and a seed that yields `Model`s; the
position in the path means the same setting on other rows. How literals are counted:

- FastRiskScore, FasterRisk, L1 logistic regression: conditions with points or a coefficient that is not 0;
- LogRR and SIRUS: the conditions of all rules;
- decision tree and FIGS: inner nodes;
- optbinning: the cut points of the features in the scorecard, and for categories the groups less one.

Rules are the terms that are added: for a tree its leaves, for optbinning its bins. FasterRisk and LogRR are
in outside.py. Not here: the choice from a path (selection.py), models without a limit (learners.py).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from studies import baselines
from studies.quality.bits import Bits, is_number

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40)  # of every path that takes a size
PENALTIES = np.geomspace(0.002, 1, 20)  # C of L1 logistic regression
MAX_BINS = (2, 3, None)  # of a feature in optbinning; None is its default
N_TREES = 1000  # of SIRUS, instead of its stopping rule


@dataclass(frozen=True)
class Model:
    """A fitted model and its size; `probabilities` gives a column per class."""

    probabilities: Callable[[pd.DataFrame], NDArray[np.float64]]
    literals: int
    features: int
    rules: int
    seconds: float = 0.0  # CPU seconds in another process


Path = Callable[[pd.DataFrame, NDArray[np.int64], int], Iterator[Model]]


def two_columns(positive: Any) -> NDArray[np.float64]:
    """Columns for both classes from the probability of the positive one."""
    return np.column_stack([1 - positive, positive])


def fast_risk_score(X: pd.DataFrame, y: NDArray[np.int64], seed: int) -> Iterator[Model]:
    """FastRiskScore of imodels with at most k conditions."""
    from imodels import FastRiskScoreClassifier

    for size in SIZES:
        model = FastRiskScoreClassifier(k=size).fit(X, y)
        used = np.flatnonzero(model.coef_)
        features = {model.binarizer_.rules_[j][0] for j in used}
        yield Model(model.predict_proba, len(used), len(features), len(used))


@lru_cache
def compile_fast_risk_score() -> None:
    """Compile (minutes, once per computer) or load (a second, once per process) outside of what is timed."""
    from imodels import FastRiskScoreClassifier

    X = np.random.default_rng(0).normal(size=(60, 3))
    FastRiskScoreClassifier(k=2).fit(X, (X[:, 0] > 0).astype(int))


def l1(X: pd.DataFrame, y: NDArray[np.int64], seed: int) -> Iterator[Model]:
    """Logistic regression on bits with an L1 penalty; with more than two classes one for each class.

    Every penalty gives two models: as it is, and fitted again on its literals with the default L2 penalty.
    """
    bits = Bits().fit(X)
    B, feature_of = bits.transform(X), np.array([bit.feature for bit in bits.columns])
    targets = [y == 1] if y.max() == 1 else [y == k for k in range(y.max() + 1)]
    for penalty in PENALTIES:
        # liblinear shrinks the intercept too, hence the scaling
        lasso = LogisticRegression(
            l1_ratio=1.0, C=penalty, solver="liblinear", intercept_scaling=10, random_state=seed
        )
        fits = [clone(lasso).fit(B, target) for target in targets]
        used = [np.flatnonzero(fit.coef_[0]) for fit in fits]
        again = [
            (LogisticRegression(max_iter=1000).fit(B[:, u], target), u) if len(u) else (fit, slice(None))
            for fit, u, target in zip(fits, used, targets, strict=True)
        ]
        n_used = sum(map(len, used))
        size = (n_used, len(set(feature_of[np.concatenate(used)])), n_used)
        yield Model(_on_bits(bits, [(fit, slice(None)) for fit in fits]), *size)
        yield Model(_on_bits(bits, again), *size)


def _on_bits(bits: Bits, fits: list[tuple[Any, Any]]) -> Callable[[pd.DataFrame], NDArray[np.float64]]:
    def probabilities(X: pd.DataFrame) -> NDArray[np.float64]:
        B = bits.transform(X)
        positive = np.column_stack([fit.predict_proba(B[:, columns])[:, 1] for fit, columns in fits])
        if len(fits) == 1:
            return two_columns(positive[:, 0])
        return np.asarray(positive / positive.sum(1, keepdims=True))

    return probabilities


def decision_tree(X: pd.DataFrame, y: NDArray[np.int64], seed: int) -> Iterator[Model]:
    """CART with at most so many inner nodes; the last one is not limited."""
    encoder = baselines.table_encoder().fit(X)
    encoded, sources = encoder.transform(X), _sources(encoder, X)
    for size in (*SIZES, None):
        leaves = None if size is None else size + 1
        model = baselines.for_table("decision tree", seed, max_leaf_nodes=leaves)[-1].fit(encoded, y)
        inner = model.tree_.feature[model.tree_.feature >= 0]
        features = {sources[column] for column in inner}
        probabilities = make_pipeline(encoder, model).predict_proba
        yield Model(probabilities, len(inner), len(features), int(model.tree_.n_leaves))


def figs(X: pd.DataFrame, y: NDArray[np.int64], seed: int) -> Iterator[Model]:
    """FIGS of imodels, a sum of trees with at most so many inner nodes."""
    from imodels import FIGSClassifier

    encoder = baselines.table_encoder().fit(X)
    encoded, sources = encoder.transform(X), _sources(encoder, X)
    for size in SIZES:
        np.random.seed(seed)  # noqa: NPY002 - its stumps break ties with the global generator
        model = FIGSClassifier(max_rules=size, random_state=seed).fit(encoded, y)
        nodes = [node for root in model.trees_ for node in _inner_nodes(root)]
        features = {sources[node.feature] for node in nodes}
        yield Model(
            _figs_probabilities(model, encoder), len(nodes), len(features), len(nodes) + len(model.trees_)
        )


def _figs_probabilities(model: Any, encoder: Any) -> Callable[[pd.DataFrame], NDArray[np.float64]]:
    def probabilities(X: pd.DataFrame) -> NDArray[np.float64]:
        raw = np.asarray(model.predict_proba(encoder.transform(X), use_clipped_prediction=True))
        clipped = np.clip(raw, 1e-9, 1)
        return np.asarray(clipped / clipped.sum(1, keepdims=True))

    return probabilities


def _inner_nodes(node: Any) -> Iterator[Any]:
    if node is not None and node.left is not None:
        yield node
        yield from _inner_nodes(node.left)
        yield from _inner_nodes(node.right)


def _sources(encoder: Any, X: pd.DataFrame) -> list[int]:
    """The position of the feature behind every column of `baselines.table_encoder`."""
    sources: list[int] = []
    for name, transformer, columns in encoder.transformers_:
        if name == "remainder" or not len(columns):
            continue
        positions = [list(X.columns).index(column) for column in columns]
        if hasattr(transformer, "categories_"):
            sources += [p for p, found in zip(positions, transformer.categories_, strict=True) for _ in found]
        else:
            sources += positions
    return sources


def optbinning(X: pd.DataFrame, y: NDArray[np.int64], seed: int) -> Iterator[Model]:
    """Optimal bins, weights of evidence, and logistic regression on the features of most information.

    The features are added in the order of their information value.
    """
    from optbinning import BinningProcess

    X = _plain(X)
    texts = [name for name in X.columns if X[name].dtype == object]
    for max_bins in MAX_BINS:
        process = BinningProcess(list(X.columns), max_n_bins=max_bins, categorical_variables=texts)
        process.fit(X, y)
        evidence = process.transform(X, metric="woe")
        summary = process.summary().set_index("name")
        bins = summary["n_bins"].astype(int)
        ranked = summary["iv"].astype(float).sort_values(ascending=False, kind="stable").index
        useful = [name for name in ranked if bins[name] > 1]
        for n_features in [n for n in SIZES if n < X.shape[1]] + [X.shape[1]]:
            chosen = useful[:n_features]
            n_bins = int(bins[chosen].sum())
            regression = LogisticRegression(max_iter=1000).fit(evidence[chosen], y) if chosen else None
            probabilities = _on_evidence(process, regression, chosen, float(y.mean()))
            yield Model(probabilities, n_bins - len(chosen), len(chosen), n_bins)


def _plain(X: pd.DataFrame) -> pd.DataFrame:
    """Categories and booleans as texts, which optbinning and SIRUS know."""
    return X.astype({name: str for name in X.columns if not is_number(X[name])}).astype(
        {name: object for name in X.columns if not is_number(X[name])}
    )


def _on_evidence(
    process: Any, regression: Any, chosen: list[str], share: float
) -> Callable[[pd.DataFrame], NDArray[np.float64]]:
    def probabilities(X: pd.DataFrame) -> NDArray[np.float64]:
        if regression is None:
            return two_columns(np.full(len(X), share))
        evidence = process.transform(_plain(X), metric="woe")
        return np.asarray(regression.predict_proba(evidence[chosen]))

    return probabilities


def sirus(X: pd.DataFrame, y: NDArray[np.int64], seed: int) -> Iterator[Model]:
    """SIRUS, rules of at most two conditions; fewer rules are the most frequent ones of the same forest."""
    from sirus import SirusClassifier

    X = _plain(X)
    model = SirusClassifier(num_rules=max(SIZES), num_trees=N_TREES, random_state=seed).fit(X, y)
    for size in SIZES:
        rules = model.rules_[:size]
        conditions = [condition for rule in rules for condition in rule.conditions]
        features = {condition.feature for condition in conditions}
        yield Model(_first_rules(model, size), len(conditions), len(features), len(rules))


def _first_rules(model: Any, size: int) -> Callable[[pd.DataFrame], NDArray[np.float64]]:
    def probabilities(X: pd.DataFrame) -> NDArray[np.float64]:
        columns, _, _ = model._ingest_X(_plain(X), fitting=False)
        votes = model._rule_matrix(columns)[:, :size]
        positive = votes.mean(1) if votes.shape[1] else np.full(len(X), model.mean_)
        return two_columns(positive)

    return probabilities
