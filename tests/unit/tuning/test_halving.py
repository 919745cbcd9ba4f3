"""Which settings go on to which rows, what wins, and what a time budget leaves out; a stand-in judges."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.outcome import make_outcome
from clausal.scorecard.compaction import Table
from clausal.tuning.halving import FEWEST_ROWS, Halving, plan_rounds, spread_rows
from clausal.tuning.trials import Judgement, Setting


@dataclass
class StandIn:
    """Judges a setting by its number of clauses, which is its place, and notes what it was asked."""

    scores: list[float]
    fit_seconds: float = 1e-6
    seed: int = 3
    asked: list[tuple[int, int, int]] = field(default_factory=list)
    latest: list[float] = field(default_factory=list)

    def judge(self, setting: Setting, table: Table, fold_seed: int, latest: float) -> Judgement | None:
        self.asked.append((setting.n_clauses, len(table.codes), fold_seed))
        self.latest.append(latest)
        if time.time() > latest:
            return None
        return Judgement(self.scores[setting.n_clauses], 0.02, self.fit_seconds, self.fit_seconds)


def search(judge: StandIn, n_rows: int = 5000, end: float | None = None) -> Halving:
    settings = [Setting(place, 1, 1.0, 1, 1) for place in range(len(judge.scores))]
    table = Table(
        np.arange(n_rows)[:, None], np.arange(n_rows) % 2, np.ones(n_rows), make_outcome(["no", "yes"])
    )
    task: Any = judge
    return Halving(task, settings, table, None, end)


def test_a_third_goes_on_to_three_times_the_rows():
    planned = [(one.n_settings, one.n_rows) for one in plan_rounds(27, 9000)]
    assert planned == [(27, 1000), (9, 3000), (3, 9000)]
    assert [(one.n_settings, one.n_rows) for one in plan_rounds(27, 100)] == [(27, 100), (9, 100), (3, 100)]
    assert [(one.n_settings, one.n_rows) for one in plan_rounds(4, 900)] == [(4, FEWEST_ROWS), (2, 900)]
    assert [(one.n_settings, one.n_rows) for one in plan_rounds(1, 900)] == [(1, 900)]


@given(st.integers(1, 200), st.integers(2, 10**6))
def test_the_last_round_has_few_settings_and_all_rows(n_settings, n_rows):
    rounds = plan_rounds(n_settings, n_rows)
    assert rounds[0].n_settings == n_settings
    assert rounds[-1].n_rows == n_rows
    assert 1 <= rounds[-1].n_settings <= 3
    assert [one.n_rows for one in rounds] == sorted(one.n_rows for one in rounds)


def test_the_best_and_the_default_go_on():
    judge = StandIn([0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5, 0.0])
    halving = search(judge)
    notes: list[str] = []
    halving.run(notes.append)
    assert len(notes) == len(halving.trials) == halving.n_trials == 10 + 4 + 2
    assert [trial.setting for trial in halving.of_round(1)] == [0, 1, 3, 5]
    assert [trial.setting for trial in halving.of_round(2)] == [0, 1]
    assert halving.best().setting == 1
    assert [n_rows for _, n_rows, _ in judge.asked] == [555] * 10 + [1666] * 4 + [5000] * 2
    assert {seed for _, _, seed in judge.asked} == {3, 4, 5}  # folds of its own in each round
    assert notes[-1] == "best so far 0.900"


def test_the_default_wins_ties():
    halving = search(StandIn([0.5, 0.5, 0.5]))
    halving.run(lambda note: None)
    assert halving.best().setting == 0


def test_on_a_small_table_later_rounds_add_to_the_mean():
    judge = StandIn([0.1, 0.5, 0.4, 0.3])
    halving = search(judge, n_rows=100)

    def advance(note: str) -> None:
        if len(halving.trials) == 4:
            judge.scores[1] = 0.9  # on the folds of the second round

    halving.run(advance)
    assert (halving.trials[-1].setting, halving.trials[-1].judgement.score) == (1, 0.9)
    assert halving.trials[-1].score == pytest.approx((0.5 + 0.9) / 2)
    assert halving.trials[-1].error == pytest.approx(0.02 / np.sqrt(2))


# --- time ---


def test_without_a_budget_nothing_is_late():
    judge = StandIn([0.1, 0.2])
    search(judge).run(lambda note: None)
    assert set(judge.latest) == {np.inf}


def test_when_time_is_over_the_default_has_been_judged_and_nothing_else_is():
    judge = StandIn([0.1, 0.9, 0.9, 0.9])
    halving = search(judge, end=time.time() - 1)
    halving.run(lambda note: None)
    assert [trial.setting for trial in halving.trials] == [0]
    assert halving.best().setting == 0


def test_time_is_kept_for_the_last_fit():
    judge = StandIn([0.1, 0.2, 0.3], fit_seconds=2.0)
    end = time.time() + 1000
    halving = search(judge, n_rows=400, end=end)
    halving.run(lambda note: None)
    assert judge.latest[0] == np.inf  # the default is judged whatever the time
    assert judge.latest[1:] == [end - 2.0, end - 2.0]


def test_time_is_kept_for_a_fit_that_was_slow_before():
    judge = StandIn([0.1, 0.2, 0.3, 0.4], fit_seconds=2.0)
    end = time.time() + 1000
    search(judge, n_rows=5000, end=end).run(lambda note: None)
    assert judge.asked[-1][:2] == (3, 5000)
    own = 2.0 * 5000 / 1666  # it took 2 seconds on 1666 rows
    assert judge.latest[-1] == pytest.approx(end - own - 2.0)


def test_a_round_cut_short_counts_if_two_settings_were_judged_in_it():
    judge = StandIn([0.1, 0.2, 0.3, 0.4])
    halving = search(judge, end=time.time() + 1000)

    def stop_after(n_trials: int) -> None:
        halving.trials.clear()
        halving.end = time.time() + 1000

        def advance(note: str) -> None:
            if len(halving.trials) == n_trials:
                halving.end = time.time() - 1

        halving.run(advance)

    stop_after(5)  # of the second round only the default was judged
    assert halving.best().setting == 3
    assert halving.best().round.number == 0
    stop_after(2)
    assert halving.best().setting == 1


def test_a_setting_too_slow_for_the_time_left_does_not_win():
    judge = StandIn([0.1, 0.9])
    halving = search(judge, n_rows=300, end=time.time() + 1000)
    judge.fit_seconds = 1.0
    halving.run(lambda note: setattr(judge, "fit_seconds", 3.0))
    assert halving.best().setting == 1
    halving.end = time.time() + 2.5
    assert halving.best().setting == 0


# --- rows ---


@given(st.integers(0, 10**6))
def test_every_first_part_of_the_rows_has_each_class_in_its_share(seed):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat([0, 1, 2], [300, 90, 3]))
    order = spread_rows(codes, seed)
    assert sorted(order) == list(range(len(codes)))
    for n_rows in (6, 50, 200):
        counts = np.bincount(codes[order[:n_rows]], minlength=3)
        assert (counts >= 2).all()
        assert abs(counts[0] - n_rows * 300 / 393) <= 6
