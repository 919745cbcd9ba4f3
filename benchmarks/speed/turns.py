"""The measurements of one workload: clausal, peer, clausal, next peer, and so on in each round.

A run is one training and one prediction by one learner. Each run of a peer comes right after a run of clausal
and is compared with it. A peer that fails is excluded, and its message is kept. After the first round, each
package continues only with the variants that trained or predicted fastest, and a fit longer than PATIENCE_S
is not repeated. Complete rounds are written to a journal, so that an interrupted run can continue.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from speed.equal_work import NO_CLAUSES, clause_visits, prediction_settings, settings, touched
from speed.learners import CLAUSAL, Learner
from speed.process import Worker, WorkerError
from speed.workloads import Workload

PATIENCE_S = 20.0
Run = dict[str, Any]
Round = dict[str, dict[str, Run]]  # by the peer's name: {"ours": run, "theirs": run}


@dataclass
class Turns:
    """The measurement of one workload."""

    work: Workload
    peers: Sequence[Learner]
    rows: Path
    logs: Path
    limit_s: float
    workers: dict[str, Worker] = field(default_factory=dict)
    prepared: set[str] = field(default_factory=set)
    found: dict[str, dict[str, Any]] = field(default_factory=dict)  # installed versions by name
    failed: dict[str, str] = field(default_factory=dict)

    def measure(self, journal: Journal) -> list[Round]:
        """All rounds; those in the journal are not run again."""
        done: list[Round] = []
        try:
            for number in range(self.work.rounds):
                known = journal.known(self.work, number)
                left = self._left(done)
                if known is None:
                    known = {"round": self._round(left, number), "found": self.found, "failed": self.failed}
                    journal.add(self.work, number, known)
                self.found, self.failed = known["found"] | self.found, known["failed"] | self.failed
                done.append(known["round"])
        finally:
            for worker in self.workers.values():
                worker.stop()
        return done

    def _left(self, done: Sequence[Round]) -> list[Learner]:
        """The peers of the next round."""
        peers = [peer for peer in self.peers if peer.name not in self.failed]
        if not done:
            return peers
        first = done[0]
        peers = [peer for peer in peers if peer.kind != NO_CLAUSES and peer.name in first]
        peers = [peer for peer in peers if first[peer.name]["theirs"]["cpu"] < PATIENCE_S]
        return [peer for peer in peers if keeps_on(peer, peers, first)]

    def _round(self, peers: Sequence[Learner], number: int) -> Round:
        result: Round = {}
        for peer in peers:
            print(f"  round {number + 1}, {peer.name}: ", end="", flush=True)
            ours = self._run(CLAUSAL, number)  # if clausal fails, there is nothing to compare
            try:
                theirs = self._run(peer, number)
            except WorkerError as error:
                self.failed[peer.name] = str(error)
                print(error, flush=True)
                continue
            result[peer.name] = {"ours": ours, "theirs": theirs}
            print(f"{theirs['cpu']:.2f} s, clausal {ours['cpu']:.2f} s", flush=True)
        return result

    def _run(self, learner: Learner, seed: int) -> Run:
        """One training and one prediction."""
        work = self._work_of(learner)
        asked = asdict(settings(learner.kind, work))
        worker = self._worker(learner, asked)
        run = worker.ask("fit", self.limit_s, settings=asked, seed=seed)
        run |= worker.ask("predict", self.limit_s, prepared=False)
        visits = clause_visits(learner.kind, work, work.n_epochs)
        run |= {"settings": asked, "touched": touched(learner.kind, work)}
        run["ns_per_visit"] = run["cpu"] * 1e9 / visits if visits else None
        if (bigger := asdict(prediction_settings(learner.kind, work))) != asked:
            if learner.name not in self.prepared:
                worker.ask("prepare", self.limit_s, settings=bigger, seed=seed)
                self.prepared.add(learner.name)
            run["rows_per_s"] = worker.ask("predict", self.limit_s, prepared=True)["rows_per_s"]
            run["settings_of_prediction"] = bigger
        return run

    def _work_of(self, learner: Learner) -> Workload:
        n_epochs = min(self.work.n_epochs, learner.epochs.get(self.work.family, self.work.n_epochs))
        return replace(self.work, n_epochs=n_epochs)

    def _worker(self, learner: Learner, asked: dict[str, Any]) -> Worker:
        """The process of a learner, started on first use with a very small fit."""
        key = learner.package + learner.variant
        if key not in self.workers:
            log = self.logs / f"{self.work.key}-{key}.log".replace(" ", "-")
            self.workers[key] = Worker(learner, self.rows, log)
            self.found[learner.name] = self.workers[key].ask("describe", self.limit_s, settings=asked)
        return self.workers[key]


def keeps_on(peer: Learner, peers: Sequence[Learner], first: Round) -> bool:
    """Whether a peer was the fastest variant of its package in the first round, in training or prediction."""
    variants = [each.name for each in peers if each.package == peer.package and each.kind == peer.kind]
    trains = min(variants, key=lambda name: first[name]["theirs"]["cpu"])
    predicts = max(variants, key=lambda name: first[name]["theirs"]["rows_per_s"])
    return peer.name in (trains, predicts)


class Journal:
    """Complete rounds, one JSON object per line; if resumed, existing rounds are not run again."""

    def __init__(self, path: Path, resumed: bool) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        if not resumed:
            path.unlink(missing_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self.entries = {(e["work"]["key"], e["number"]): e for e in map(json.loads, lines)}

    def known(self, work: Workload, number: int) -> dict[str, Any] | None:
        """The stored round if it was run with exactly these settings."""
        entry = self.entries.get((work.key, number))
        return entry["known"] if entry and entry["work"] == asdict(work) else None

    def add(self, work: Workload, number: int, known: dict[str, Any]) -> None:
        with self.path.open("a") as lines:
            lines.write(json.dumps({"work": asdict(work), "number": number, "known": known}) + "\n")
