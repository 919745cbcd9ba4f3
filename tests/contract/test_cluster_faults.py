"""A Dask worker that is killed: the fit gives the same bits, or an error and the estimator as it was."""

import os
import signal

import dask.dataframe as dd
import pytest
from dask import delayed
from distributed import Client, LocalCluster
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from clausal import RuleClassifier, TsetlinClassifier, cluster
from clausal.cluster.dask_cluster import DaskCluster
from tests.support.cluster_data import CARD, FRAME, dask_frame, split, stored


@pytest.fixture(scope="module")
def client():
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**workers, dashboard_address=":0") as local, Client(local) as client:
        yield client


def test_a_worker_that_is_killed_between_rounds_and_in_them(client, monkeypatch, tmp_path):
    expected = cluster.fit(RuleClassifier(**CARD.get_params()), split(FRAME, 4), "y", sample_weight="weight")
    plain_map, rounds = DaskCluster.map, []

    def kill_in_third_round(self, *arguments):
        futures = plain_map(self, *arguments)
        rounds.append(len(futures))
        if len(rounds) == 3:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        return futures

    monkeypatch.setattr(DaskCluster, "map", kill_in_third_round)
    card = RuleClassifier(**CARD.get_params())
    cluster.fit(card, dask_frame(split(FRAME, 4)), "y", sample_weight="weight", client=client)
    assert len(rounds) > 3
    assert stored(card, tmp_path) == stored(expected, tmp_path)


def kill_own_worker():
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_partition_that_kills_its_workers(client):
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    data = dd.from_delayed([delayed(kill_own_worker)()], meta=FRAME.iloc[:0], verify_meta=False)
    machine = TsetlinClassifier(10)
    with pytest.raises(RuntimeError, match=r"did not complete the fit.*as it was before. KilledWorker: "):
        cluster.fit(machine, data, "y", client=client)
    with pytest.raises(NotFittedError):
        check_is_fitted(machine)
