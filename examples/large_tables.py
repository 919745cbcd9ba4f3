"""
Large tables
============

A folder of Parquet files is a table, too. It is read in batches and never held in memory as a whole: only
its packed rows are, one bit per column.
"""

# %%
# Ten files of 20,000 rows each, in a folder that is removed at the end. You need ``pip install clausal
# pyarrow``.

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import clausal

folder = tempfile.TemporaryDirectory()
draw = np.random.default_rng(0)
for part in range(10):
    n = 20_000
    speed, load = draw.normal(100, 15, n), draw.uniform(0, 1, n)
    road = draw.choice(["city", "country", "motorway"], n)
    wear = draw.random(n) < 1 / (1 + np.exp(3.5 - 0.02 * speed - 1.5 * load - (road == "city")))
    table = pa.table({"speed": speed, "load": load, "road": road, "worn": wear})
    pq.write_table(table, Path(folder.name, f"part-{part}.parquet"))

# %%
# ``fit`` takes the path and the name of the column to predict. The other columns are features.

clf = clausal.RuleClassifier(max_literals=8, scoring="roc_auc", random_state=0)
clf.fit(f"{folder.name}/*.parquet", "worn")
print(clf.rules_)
clausal.RuleDisplay.from_estimator(clf)

# %%
# The model is the one that the same table in memory would give, whatever the batches. Predictions are made
# batch by batch, too; they need the features only.

risk = clf.predict_proba(Path(folder.name, "part-0.parquet"))
print(risk.shape, risk[:, 1].mean().round(3))

# %%
# A pyarrow ``Dataset``, a polars ``LazyFrame`` and a DuckDB relation work the same way. A ``LazyFrame`` may
# hold a whole query, which runs batch by batch:

import polars as pl

fast = pl.scan_parquet(f"{folder.name}/*.parquet").filter(pl.col("speed") > 120)
print(clf.predict(fast).mean().round(3), "of the fast ones are predicted to be worn")

# %%
# Rows on a cluster
# -----------------
# If the table is a Dask, Ray or Spark data frame, ``clausal.cluster.fit`` trains the same scorecard where
# the partitions are. A list of data frames shows the idea without a cluster:

frames = [pl.read_parquet(path) for path in sorted(Path(folder.name).glob("*.parquet"))[:2]]
same = clausal.cluster.fit(clausal.RuleClassifier(max_literals=4, random_state=0), frames, "worn")
print(same.rules_)

folder.cleanup()
