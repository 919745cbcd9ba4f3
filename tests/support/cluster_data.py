"""A table for tests of clusters, and clusters by name with a function that makes partitioned tables on them.

`in_process` and `dask` run in `make test`; `make test-cluster` sets CLAUSAL_CLUSTERS to all of them.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce

import numpy as np
import pandas as pd

from clausal import RuleClassifier

CLUSTERS = os.environ.get("CLAUSAL_CLUSTERS", "in_process dask").split()


@contextmanager
def opened(name: str) -> Iterator[Callable[[list[pd.DataFrame]], object]]:
    """A function from data frames to a table with one partition for each."""
    match name:
        case "in_process":
            yield list
        case "dask":
            from distributed import Client, LocalCluster

            workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
            with LocalCluster(**workers, dashboard_address=":0") as cluster, Client(cluster):
                yield dask_frame
        case "ray":
            import ray

            os.environ["RAY_AUTH_MODE"] = "disabled"
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            yield ray.data.from_pandas
            ray.shutdown()
        case "spark":
            yield from spark_frames()


def dask_frame(frames: list[pd.DataFrame]) -> object:
    """A Dask DataFrame."""
    import dask.dataframe as dd
    from dask import delayed

    parts = [delayed(frame) for frame in frames]
    return dd.from_delayed(parts, meta=frames[0].iloc[:0], verify_meta=False)


def spark_frames() -> Iterator[Callable[[list[pd.DataFrame]], object]]:
    """A function that makes Spark DataFrames in a session of two threads."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()

    def spark_frame(frames: list[pd.DataFrame]) -> object:
        schema = spark.createDataFrame(max(frames, key=len)).schema
        parts = [spark.createDataFrame(frame, schema).coalesce(1) for frame in frames]
        return reduce(lambda one, two: one.union(two), parts)

    yield spark_frame
    spark.stop()


N = 320


def make_frame() -> pd.DataFrame:
    """Numbers with and without gaps, texts, whole weights and three classes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "income": np.round(rng.lognormal(10, 1, N), 2),
            "state": rng.choice(list("ABCD"), N).astype(object),
            "weight": rng.integers(0, 4, N),
        }
    )
    frame.loc[rng.random(N) < 0.1, "income"] = np.nan
    score = (frame.age > 50) * 1.0 + (frame.state == "A") * 1.5 + rng.normal(size=N)
    return frame.assign(y=np.select([score > 2, score > 0.5], ["high", "middle"], "low"))


FRAME = make_frame()
CARD = RuleClassifier(max_literals=4, cv=2, random_state=0)


def split(frame: pd.DataFrame, n: int) -> list[pd.DataFrame]:
    """n partitions; of 7, one is empty, and as the rows are sorted by class, others have one class only."""
    if n < 7:
        return [frame.iloc[rows] for rows in np.array_split(np.arange(len(frame)), n)]
    return [frame.iloc[:0], *split(frame.sort_values("y"), 6)]


def stored(estimator, folder) -> str:
    """The text of the model file, which has everything that was learned."""
    estimator.save(folder / "model.json")
    return (folder / "model.json").read_text()
