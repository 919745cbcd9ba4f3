"""Machines that are trained on shards of the rows, on a cluster, and joined into one.

Which rows a shard has follows from what they hold and from the seed, so that neither partitions nor the order
of rows matter. Not here: one machine on all rows (fitting.py), how machines are joined (machine/merge.py).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from clausal.cluster.table import ClusterTable, guarded, results
from clausal.encoding.encoding import Encoding
from clausal.encoding.remarks import warn_of_table
from clausal.engine.random_stream import Purpose, child_key, words
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.clause_model import ClauseModel
from clausal.machine.configure import new_seed
from clausal.machine.inputs import class_weights, combine_weights, weight_scale
from clausal.machine.loop import rows_by_content
from clausal.machine.merge import join
from clausal.machine.read import Fitted, Samples, TrainingRows, read_training_rows
from clausal.machine.settings import check_machine_parameters
from clausal.machine.train import prepare_fit
from clausal.outcome import Outcome
from clausal.parameters import Whole

_SHARDS = Whole(2, 2**20)


def check_shards(estimator: Any, n_shards: int) -> None:
    """Raise an error unless the estimator can be trained in that many shards."""
    if not isinstance(estimator, TsetlinClassifier):
        raise TypeError(
            f"n_shards must be None unless estimator is a TsetlinClassifier. Got {n_shards!r} for "
            f"{type(estimator).__name__}."
        )
    if not _SHARDS.accepts(n_shards):
        raise ValueError(f"n_shards must be None or {_SHARDS}. Got {n_shards!r}.")
    check_machine_parameters(estimator)
    owner = type(estimator).__name__
    if estimator.warm_start:
        raise ValueError(f"The 'warm_start' parameter of {owner} must be False for shards. Got True.")
    parts = (("n_clauses", 2 * n_shards, False), ("threshold", n_shards, True))
    for name, divisor, may_be_auto in parts:
        value = getattr(estimator, name)
        if may_be_auto if isinstance(value, str) else value % divisor == 0:
            continue
        auto = " or 'auto'" if may_be_auto else ""
        raise ValueError(
            f"The {name!r} parameter of {owner} must be a multiple of {divisor}{auto} for n_shards="
            f"{n_shards}. Got {value!r}."
        )


def fit_shards(estimator: Any, table: ClusterTable, n_shards: int, labels: Any, weights: Any = None) -> None:
    """Train a machine per shard with its share of the clauses and of T, and join them in the estimator."""
    rows = read_training_rows(estimator, table, labels, weights, None)
    warn_of_table(estimator._own_remarks(rows.remarks))
    _warn_of_weights(estimator, rows)
    seed = new_seed(estimator)
    machine: TsetlinClassifier = clone(estimator)
    for name in ("n_clauses", "threshold"):
        if not isinstance(total := getattr(estimator, name), str):
            machine.set_params(**{name: total // n_shards})
    train = partial(guarded, partial(_train, machine, rows.encoding, rows.outcome))
    seeds = [child_key(seed, Purpose.SHARD, index) % 2**32 for index in range(n_shards)]
    shards = deal(rows.samples, n_shards, seed)
    cluster = table.cluster
    found: list[tuple[ClauseModel, int]] = list(
        results(lambda: cluster.gather(cluster.map(train, cluster.scatter(shards), seeds)))
    )
    fitted = Fitted(join([model for model, _ in found]), rows.encoding, rows.outcome)
    estimator._keep(fitted, {}, max(n_epochs for _, n_epochs in found))


def _warn_of_weights(estimator: TsetlinClassifier, rows: TrainingRows) -> None:
    """Warn of weights that each shard will scale down."""
    codes, weights = rows.samples.codes, rows.samples.weights
    factors = class_weights(
        estimator.class_weight, rows.outcome.classes, codes, weights, type(estimator).__name__
    )
    weight_scale(combine_weights(weights, factors, codes))


def deal(samples: Samples, n_shards: int, seed: int) -> list[Samples]:
    """The rows of each shard, with about the same share of every class.

    A row of whole weight is dealt as so many rows.
    """
    literals, codes, weights = samples.literals, samples.codes, samples.weights
    whole = weights is None or bool(np.all(weights == np.floor(weights)))
    rows = rows_by_content(literals, codes, weights)
    copies = rows if weights is None or not whole else np.repeat(rows, weights[rows].astype(np.int64))
    draws = words(np.uint64(child_key(seed, Purpose.SHARD)), np.arange(len(copies), dtype=np.uint64))
    dealt = copies[np.lexsort((draws, codes[copies]))]
    counts = np.bincount(codes[dealt])
    if counts[counts > 0].min() < n_shards:
        raise ValueError(
            "n_shards must be at most the number of rows of the rarest class, "
            f"{counts[counts > 0].min()}. Got {n_shards}."
        )
    shards = []
    for index in range(n_shards):
        own, times = np.unique(dealt[index::n_shards], return_counts=True)
        own_weights = times.astype(np.float64) if whole or weights is None else weights[own]
        shards.append(Samples(literals[own], codes[own], own_weights))
    return shards


def _train(
    machine: TsetlinClassifier, encoding: Encoding, outcome: Outcome, samples: Samples, seed: int
) -> tuple[ClauseModel, int]:
    """The machine of a shard, and the number of its epochs."""
    own = clone(machine).set_params(random_state=seed)
    arrays = (samples.literals, samples.codes, samples.weights)
    samples = Samples(
        *(np.require(array, requirements="A") for array in arrays)
    )  # a message may not align them
    fit = prepare_fit(own, TrainingRows(encoding, outcome, samples), {}, (), None)
    fit.run()
    assert fit.fitted is not None, "which ends with an epoch"
    return fit.fitted.model, fit.training.epoch
