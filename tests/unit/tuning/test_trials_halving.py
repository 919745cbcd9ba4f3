"""Which settings are validated on which rows, which one wins, what a time budget skips; with a fake task."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausal.outcome import make_outcome
from clausal.scorecard.rows import LabeledRows
from clausal.tuning.settings import Setting
from clausal.tuning.trials import MIN_ROWS, Halving, Validation, plan_rounds, stratified_order


@dataclass
class FakeTask:
    """Looks up the score of a setting by its number of clauses, which is its index, and records the calls."""

    scores: list[float]
    fit_seconds: float = 1e-6
    seed: int = 3
    least_rows: int = 0
    calls: list[tuple[int, int, int]] = field(default_factory=list)
    latest: list[float] = field(default_factory=list)

    def can_read_rules(self, setting: Setting, rows: LabeledRows) -> bool:
        return len(rows.codes) >= self.least_rows

    def validate(
        self, setting: Setting, rows: LabeledRows, fold_seed: int, latest: float
    ) -> Validation | None:
        self.calls.append((setting.n_clauses, len(rows.codes), fold_seed))
        self.latest.append(latest)
        if time.time() > latest:
            return None
        return Validation(self.scores[setting.n_clauses], 0.02, self.fit_seconds, self.fit_seconds)


def make_halving(fake: FakeTask, n_rows: int = 5000, end: float | None = None) -> Halving:
    settings = [Setting(index, 1, 1.0, 1, 1) for index in range(len(fake.scores))]
    rows = LabeledRows(
        np.arange(n_rows)[:, None], np.arange(n_rows) % 2, np.ones(n_rows), make_outcome(["no", "yes"])
    )
    task: Any = fake
    return Halving(task, settings, rows, None, end)


def test_a_third_of_the_settings_continues_on_three_times_the_rows():
    planned = [(one.n_settings, one.n_rows) for one in plan_rounds(27, 9000)]
    assert planned == [(27, 1000), (9, 3000), (3, 9000)]
    assert [(one.n_settings, one.n_rows) for one in plan_rounds(27, 100)] == [(27, 100), (9, 100), (3, 100)]
    assert [(one.n_settings, one.n_rows) for one in plan_rounds(4, 900)] == [(4, MIN_ROWS), (2, 900)]
    assert [(one.n_settings, one.n_rows) for one in plan_rounds(1, 900)] == [(1, 900)]


@given(st.integers(1, 200), st.integers(2, 10**6))
def test_the_last_round_has_few_settings_and_all_rows(n_settings, n_rows):
    rounds = plan_rounds(n_settings, n_rows)
    assert rounds[0].n_settings == n_settings
    assert rounds[-1].n_rows == n_rows
    assert 1 <= rounds[-1].n_settings <= 3
    assert [one.n_rows for one in rounds] == sorted(one.n_rows for one in rounds)


def test_the_best_and_the_default_go_on():
    task = FakeTask([0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5, 0.0])
    halving = make_halving(task)
    notes: list[str] = []
    halving.run(notes.append)
    assert len(notes) == len(halving.trials) == halving.n_trials == 10 + 4 + 2
    assert [trial.setting for trial in halving.of_round(1)] == [0, 1, 3, 5]
    assert [trial.setting for trial in halving.of_round(2)] == [0, 1]
    assert halving.best().setting == 1
    assert [n_rows for _, n_rows, _ in task.calls] == [555] * 10 + [1666] * 4 + [5000] * 2
    assert {seed for _, _, seed in task.calls} == {3, 4, 5}  # different folds in each round
    assert notes[-1] == "best so far 0.900"


def test_rounds_are_on_all_rows_where_the_first_rows_lack_a_category_of_a_rule():
    few, all_rows = make_halving(FakeTask([0.1] * 9)), make_halving(FakeTask([0.1] * 9, least_rows=2000))
    assert [planned.n_rows for planned in few.rounds] == [1666, 5000]
    assert [planned.n_rows for planned in all_rows.rounds] == [5000, 5000]
    assert [planned.n_settings for planned in all_rows.rounds] == [9, 3]


def test_the_default_wins_ties():
    halving = make_halving(FakeTask([0.5, 0.5, 0.5]))
    halving.run(lambda note: None)
    assert halving.best().setting == 0


def test_on_small_data_later_rounds_contribute_to_the_mean():
    task = FakeTask([0.1, 0.5, 0.4, 0.3])
    halving = make_halving(task, n_rows=100)

    def advance(note: str) -> None:
        if len(halving.trials) == 4:
            task.scores[1] = 0.9  # on the folds of the second round

    halving.run(advance)
    assert (halving.trials[-1].setting, halving.trials[-1].validation.score) == (1, 0.9)
    assert halving.trials[-1].score == pytest.approx((0.5 + 0.9) / 2)
    assert halving.trials[-1].error == pytest.approx(0.02 / np.sqrt(2))


# --- time ---


def test_without_a_budget_nothing_is_late():
    task = FakeTask([0.1, 0.2])
    make_halving(task).run(lambda note: None)
    assert set(task.latest) == {np.inf}


def test_when_time_is_over_only_the_default_is_validated():
    task = FakeTask([0.1, 0.9, 0.9, 0.9])
    halving = make_halving(task, end=time.time() - 1)
    halving.run(lambda note: None)
    assert [trial.setting for trial in halving.trials] == [0]
    assert halving.best().setting == 0


def test_time_is_kept_for_the_last_fit():
    task = FakeTask([0.1, 0.2, 0.3], fit_seconds=2.0)
    end = time.time() + 1000
    halving = make_halving(task, n_rows=400, end=end)
    halving.run(lambda note: None)
    assert task.latest[0] == np.inf  # the default is always validated
    assert task.latest[1:] == [end - 2.0, end - 2.0]


def test_time_is_kept_for_a_fit_that_was_slow_before():
    task = FakeTask([0.1, 0.2, 0.3, 0.4], fit_seconds=2.0)
    end = time.time() + 1000
    make_halving(task, n_rows=5000, end=end).run(lambda note: None)
    assert task.calls[-1][:2] == (3, 5000)
    own = 2.0 * 5000 / 1666  # it took 2 seconds on 1666 rows
    assert task.latest[-1] == pytest.approx(end - own - 2.0)


def test_an_incomplete_round_counts_if_it_has_two_trials():
    task = FakeTask([0.1, 0.2, 0.3, 0.4])
    halving = make_halving(task, end=time.time() + 1000)

    def stop_after(n_trials: int) -> None:
        halving.trials.clear()
        halving.end = time.time() + 1000

        def advance(note: str) -> None:
            if len(halving.trials) == n_trials:
                halving.end = time.time() - 1

        halving.run(advance)

    stop_after(5)  # of the second round only the default was validated
    assert halving.best().setting == 3
    assert halving.best().round.number == 0
    stop_after(2)
    assert halving.best().setting == 1


def test_a_setting_too_slow_for_the_time_left_does_not_win():
    task = FakeTask([0.1, 0.9])
    halving = make_halving(task, n_rows=300, end=time.time() + 1000)
    task.fit_seconds = 1.0
    halving.run(lambda note: setattr(task, "fit_seconds", 3.0))
    assert halving.best().setting == 1
    halving.end = time.time() + 2.5
    assert halving.best().setting == 0


# --- rows ---


@given(st.integers(0, 10**6))
def test_every_prefix_of_the_order_is_stratified(seed):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat([0, 1, 2], [300, 90, 3]))
    order = stratified_order(codes, seed)
    assert sorted(order) == list(range(len(codes)))
    for n_rows in (6, 50, 200):
        counts = np.bincount(codes[order[:n_rows]], minlength=3)
        assert (counts >= 2).all()
        assert abs(counts[0] - n_rows * 300 / 393) <= 6
