"""The parts of the speed suite that only compute: equal work, ratios, goals and tables. No package is run."""

import math
from dataclasses import replace

import pytest
from speed import tables
from speed.equal_work import (
    AS_SET,
    BANK_PER_CLASS,
    NO_CLAUSES,
    OURS,
    SHARED_POOL,
    clause_visits,
    prediction_settings,
    settings,
    touched,
)
from speed.goals import goals
from speed.install import without_folders
from speed.learners import FORESTS, PEERS, SET, takes_part
from speed.ratios import Spread, geometric_mean, ratios, spread
from speed.record import shortened
from speed.summary import lines
from speed.turns import Journal, keeps_on
from speed.workloads import W2, W3, W4, small_tables, workloads


@pytest.mark.parametrize("work", [*small_tables(100), W2, W3, W4], ids=lambda work: work.key)
@pytest.mark.parametrize("kind", [OURS, SHARED_POOL, BANK_PER_CLASS])
def test_every_kind_of_machine_touches_two_banks_of_clauses(work, kind):
    assert touched(kind, work) == 2 * work.n_clauses
    assert clause_visits(kind, work, 3) == 3 * work.n_samples * 2 * work.n_clauses


def test_our_one_bank_of_two_classes_has_the_same_threshold_per_clause():
    asked = settings(OURS, W2)
    assert (asked.n_clauses, asked.threshold) == (200, 30)
    assert asked.threshold / asked.n_clauses == W2.threshold / W2.n_clauses
    assert settings(OURS, W3) == settings(BANK_PER_CLASS, W3)


def test_as_set_means_the_stated_sizes_and_half_the_work():
    assert (settings(AS_SET, W4).n_clauses, settings(AS_SET, W4).threshold) == (1000, 50)
    assert touched(AS_SET, W4) == 1000
    assert touched(NO_CLAUSES, W4) == 0


def test_a_shared_pool_predicts_with_as_many_clauses_as_all_banks_together():
    assert settings(SHARED_POOL, W3).n_clauses == 4000
    assert prediction_settings(SHARED_POOL, W3).n_clauses == 20000
    assert prediction_settings(SHARED_POOL, W4) == settings(SHARED_POOL, W4)
    assert prediction_settings(OURS, W3) == settings(OURS, W3)


def test_ratios_pair_the_rounds():
    assert ratios([2.0, 9.0, 8.0], [1.0, 3.0, 4.0]) == Spread(2.0, 2.0, 3.0, 3)
    with pytest.raises(ValueError, match="strict|shorter|longer"):
        ratios([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="at least one value"):
        spread([])


def test_the_geometric_mean_of_a_ratio_and_its_inverse_is_one():
    assert geometric_mean([4.0, 0.25]) == pytest.approx(1.0)
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert math.isnan(geometric_mean([]))


def run(cpu, rows_per_s, visits):
    cost = cpu * 1e9 / visits if visits else None
    work = {"settings": {"n_epochs": 3}, "touched": 10}
    return {"cpu": cpu, "ns_per_visit": cost, "rows_per_s": rows_per_s, "accuracy": 0.9} | work


def pair(times, visits=1000):
    """Ours takes 1 s and predicts 800 rows/s; theirs is slower by a factor in both."""
    return {"ours": run(1.0, 800.0, 1000), "theirs": run(times * visits / 1000, 800.0 / times, visits)}


def test_a_summary_counts_per_visit_and_lists_ours_first():
    found = lines([{"tmu": pair(4.0), "torchtsetlin": pair(3.0, visits=200)}, {"tmu": pair(6.0)}])
    assert list(found) == ["clausal", "tmu", "torchtsetlin"]
    assert found["tmu"].train_ratio == Spread(5.0, 4.0, 6.0, 2)
    assert found["torchtsetlin"].train_ratio.median == pytest.approx(3.0)  # of a fifth of the epochs
    assert found["torchtsetlin"].cpu_s.median == pytest.approx(0.6)
    assert found["clausal"].cpu_s.rounds == 3
    assert found["clausal"].train_ratio is None


def test_learners_without_clauses_are_compared_by_seconds():
    found = lines([{"XGBoost": {"ours": run(2.0, 10.0, 1000), "theirs": run(1.0, 40.0, 0)}}])
    assert found["XGBoost"].ns_per_visit is None
    assert found["XGBoost"].train_ratio.median == 0.5
    assert found["XGBoost"].predict_ratio.median == 0.25


def measured(**times):
    return {
        key.replace("_", " m="): lines([{name: pair(t) for name, t in by.items()}])
        for key, by in times.items()
    }


def test_goals_take_the_fastest_machine_of_each_workload():
    both = {"pyTsetlinMachine": 16.0, "tmu": 4.0, "XGBoost": 0.1}
    found = measured(W1_100=both, W1_500=both | {"tmu": 9.0}, W2=both, W3=both, W4=both)
    reached = goals(found, {"W3": Spread(1.9, 1.9, 1.9, 1)}, [0.97, 0.982])
    by_text = {goal.text: (round(goal.measured, 3), goal.verdict) for goal in reached}
    mean = round(geometric_mean([6.0, 4.0, 4.0, 4.0]), 3)
    assert by_text["train, fastest peer on each: geometric mean of the four"] == (mean, "missed")
    assert by_text["train, fastest peer on each: the least of the four"] == (4.0, "reached")
    assert by_text["train, pyTsetlinMachine: geometric mean of the four"] == (16.0, "reached")
    assert by_text["predict W4, packing included, fastest peer"] == (4.0, "missed")
    assert by_text["2 threads over 1, train W3, wall time"] == (1.9, "reached")
    assert by_text["MNIST, all 60,000, best accuracy within 60 epochs, %"] == (98.2, "reached")
    assert reached[7].verdict == "not measured"


def test_a_mean_of_the_four_is_not_given_for_three():
    assert {goal.verdict for goal in goals(measured(W2={"tmu": 9.0}), {}, [])} == {"not measured"}


def test_after_a_round_only_the_fastest_variants_of_a_package_go_on():
    plain, indexed, *others = (peer for peer in PEERS if peer.package in ("pyTsetlinMachine", "tmu"))
    first = {plain.name: pair(4.0), indexed.name: pair(5.0)} | {peer.name: pair(9.0) for peer in others}
    peers = [plain, indexed, *others]
    assert keeps_on(plain, peers, first)
    assert not keeps_on(indexed, peers, first)
    first[indexed.name]["theirs"]["rows_per_s"] = 1e6
    assert keeps_on(indexed, peers, first)


def test_who_takes_part():
    assert all(takes_part(peer, "W3", quick=False) for peer in PEERS if peer.name != "tmu sparse")
    assert not takes_part(SET, "W3", quick=False)
    assert takes_part(FORESTS[0], "W1 m=2000", quick=True)
    assert not takes_part(FORESTS[0], "W1 m=100", quick=True)
    assert takes_part(FORESTS[2], "W2", quick=False)
    assert not takes_part(FORESTS[2], "W2", quick=True)


def test_a_whole_run_has_all_sizes_and_a_quick_one_few_rounds():
    assert [w.key for w in workloads(quick=False, full=True)] == (
        ["W1 m=100", "W1 m=500", "W1 m=2000", "W1 m=8000", "W2", "W3", "W4", "W3 full"]
    )
    assert all(w.rounds <= 2 for w in workloads(quick=True, full=False))


def test_tables_line_up():
    found = lines([{"tmu": pair(4.0)}, {"tmu": pair(6.0)}])
    header, ours, theirs = tables.training_table(found).splitlines()
    assert theirs[header.index("theirs / ours") :].startswith("5 (4-6)")
    assert ours[header.index("theirs / ours") :].startswith("-")
    assert [tables.number(x) for x in (0.01234, 1.234, 12345.6, 0.0000123)] == (
        ["0.0123", "1.23", "12,346", "0.000012"]
    )


def test_a_journal_gives_back_whole_rounds_of_the_same_settings(tmp_path):
    path = tmp_path / "journal.jsonl"
    Journal(path, resumed=False).add(W2, 0, {"round": {}})
    assert Journal(path, resumed=True).known(W2, 0) == {"round": {}}
    assert Journal(path, resumed=True).known(replace(W2, n_epochs=1), 0) is None
    assert Journal(path, resumed=True).known(W2, 1) is None
    assert Journal(path, resumed=False).known(W2, 0) is None


def test_a_record_holds_no_folders_and_no_noise():
    assert without_folders("OSError: '/home/me/x/lib.so' is missing") == "OSError: 'lib.so' is missing"
    assert shortened({"a": [1.23456789, 2], "b": (True, None)}) == {"a": [1.2346, 2], "b": [True, None]}
