"""`fit`: an estimator from a table on a cluster.

Encoding and packing run where the partitions are; targets, weights and rows as bins come to this process,
which trains as on any other table. So the model is that of the same rows in memory, whatever the partitions.
With shards, machines are trained on the cluster (shards.py).
"""

from __future__ import annotations

from typing import TypeVar

from clausal.cluster.protocol import open_partitions
from clausal.cluster.shards import check_shards, fit_shards
from clausal.cluster.table import ClusterTable
from clausal.machine.classifier import TsetlinClassifier
from clausal.machine.regressor import TsetlinRegressor
from clausal.scorecard.rule_classifier import RuleClassifier
from clausal.scorecard.rule_regressor import RuleRegressor

Estimator = RuleClassifier | RuleRegressor | TsetlinClassifier | TsetlinRegressor
E = TypeVar("E", bound=Estimator)


def fit(
    estimator: E,
    data: object,
    y: str,
    *,
    sample_weight: str | None = None,
    client: object = None,
    n_shards: int | None = None,
) -> E:
    """Fit an estimator to a table on a cluster.

    Parameters
    ----------
    estimator : RuleClassifier, RuleRegressor, TsetlinClassifier or TsetlinRegressor
        The unfitted estimator. It is as it was before if anything fails.
    data : dask.dataframe.DataFrame, ray.data.Dataset, pyspark.sql.DataFrame or list of data frames
        The table. All columns but `y` and `sample_weight` are features.
    y, sample_weight : str
        The names of the columns of the target and, unless it is None, of weights.
    client : distributed.Client or None, default=None
        The client of a Dask cluster; None takes the current one.
    n_shards : int or None, default=None
        For a TsetlinClassifier: the number of machines that are trained on the cluster, each on its share of
        the rows with its share of the clauses, and merged. None trains one machine in this process.

    Returns
    -------
    RuleClassifier, RuleRegressor, TsetlinClassifier or TsetlinRegressor
        The estimator, fitted. It does not depend on the partitions; without shards it is the same as after
        `fit` of the same rows in memory.

    Examples
    --------
    >>> import pandas as pd
    >>> from clausal import RuleClassifier, cluster
    >>> from clausal.datasets import load_heart_disease
    >>> table = load_heart_disease(as_frame=True).frame
    >>> parts = [table[:100], table[100:]]  # or a Dask or Spark DataFrame, or a Ray Dataset
    >>> cluster.fit(RuleClassifier(max_literals=6), parts, table.columns[-1]).n_literals_ <= 6
    True
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(
            "estimator must be a RuleClassifier, RuleRegressor, TsetlinClassifier or TsetlinRegressor. "
            f"Got {type(estimator).__name__}."
        )
    taken = {"y": y} if sample_weight is None else {"y": y, "sample_weight": sample_weight}
    for name, value in taken.items():
        if not isinstance(value, str):
            raise TypeError(f"{name} must be the name of a column of data. Got {type(value).__name__}.")
    if n_shards is not None:
        check_shards(estimator, n_shards)
    table = ClusterTable(*open_partitions(data, client), bool(estimator.verbose))
    columns = [table.column(column, name) for name, column in taken.items()]
    features = table.without([*taken.values()])
    if n_shards is None:
        estimator.fit(features, *columns)
    else:
        fit_shards(estimator, features, n_shards, *columns)
    return estimator
