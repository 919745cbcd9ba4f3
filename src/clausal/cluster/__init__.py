"""Fitting estimators to tables whose partitions are on the computers of a Dask, Ray or Spark cluster."""

from clausal.cluster.fitting import fit

__all__ = ["fit"]
