"""A scorecard of a Parquet folder on Dask: CPU time of the client and of each worker, next to a plain fit.

The rows are those of streamed.py, in files of 250,000. On a busy computer CPU time says more than wall time:
what one worker takes, divided by what the busier one of two takes, is by how much two are faster at the parts
that run on them.
"""

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pyarrow.parquet as pq
from distributed import Client, LocalCluster
from streamed import make_part

from clausal import RuleClassifier, cluster

FILE_ROWS = 250_000


def write_folder(folder, n_rows):
    rng = np.random.default_rng(0)
    for start in range(0, n_rows, FILE_ROWS):
        pq.write_table(make_part(rng, min(FILE_ROWS, n_rows - start)), folder / f"{start:010}.parquet")


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def fit_plain(folder, options):
    start, before = time.perf_counter(), cpu()
    RuleClassifier(random_state=0, **options).fit(str(folder), "target")
    return {"workers": 0, "wall": time.perf_counter() - start, "client": cpu() - before}


def fit_on_dask(folder, options, n_workers):
    local = LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    )
    with local, Client(local) as client:
        small = dd.from_pandas(make_part(np.random.default_rng(0), 2_000).to_pandas(), 2 * n_workers)
        cluster.fit(RuleClassifier(max_literals=1), small, "target", client=client)  # workers import modules
        rounds = []
        for _ in range(20):
            start = time.perf_counter()
            client.gather(client.map(abs, range(2 * n_workers), pure=False))
            rounds.append(time.perf_counter() - start)
        table = dd.read_parquet(folder)
        of_workers, start, before = client.run(cpu), time.perf_counter(), cpu()
        cluster.fit(RuleClassifier(random_state=0, **options), table, "target", client=client)
        wall, of_client = time.perf_counter() - start, cpu() - before
        own = [after - of_workers[name] for name, after in client.run(cpu).items()]
    found = {"workers": n_workers, "wall": wall, "client": of_client, "each_worker": own}
    return {**found, "round": float(np.median(rounds))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--max-literals", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    options = {"max_literals": given.max_literals}
    with tempfile.TemporaryDirectory() as name:
        write_folder(Path(name), given.rows)
        for n in given.workers:
            found = fit_on_dask(Path(name), options, n) if n else fit_plain(Path(name), options)
            print(json.dumps({"rows": given.rows, **found}), flush=True)


if __name__ == "__main__":
    main()
