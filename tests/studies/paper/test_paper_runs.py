"""The runner: nothing is computed twice, a killed run goes on, a second run gives the same lines."""

import json

import pytest
from distributed import LocalCluster

from studies.paper import cells, run
from studies.paper.budget import Budget
from studies.paper.cells import Cell
from studies.paper.machines import sweep_settings
from studies.paper.result_files import Record
from studies.paper.systems import SYSTEMS

TINY = Budget("tiny", 2, (2,), 1, 1, 2, 2, 1, 1)


@pytest.fixture
def few_cells(monkeypatch):
    """Only quick systems on one data set, and machines of 4 epochs."""
    for name in ("PAPER_DATA", "COMPARISON_DATA", "SWEEP_DATA"):
        monkeypatch.setattr(cells, name, ("Breast Cancer",))
    few = {name: SYSTEMS[name] for name in ("DT", "Logistic", "Best literal")}
    monkeypatch.setattr(cells, "SYSTEMS", few)
    settings = [setting.with_epochs(4) for setting in sweep_settings(2)]
    for module in ("cells", "chosen_settings"):
        monkeypatch.setattr(f"studies.paper.{module}.sweep_settings", lambda _: settings)


def _without_times(lines):
    return {key: {k: v for k, v in line.items() if k != "seconds"} for key, line in lines.items()}


def test_a_second_run_computes_nothing_and_a_run_from_scratch_gives_the_same_lines(few_cells, tmp_path):
    for part in ("search", "sweep", "comparison"):
        n_cells = run.run_part(part, TINY, tmp_path / "first")
        assert n_cells == len(Record(tmp_path / "first", part).lines) > 0
        assert run.run_part(part, TINY, tmp_path / "first") == 0
        assert run.run_part(part, TINY, tmp_path / "second") == n_cells
        first, second = (Record(tmp_path / name, part).lines for name in ("first", "second"))
        assert _without_times(first) == _without_times(second)
        assert list(first) == list(second)


def test_a_killed_run_goes_on_and_drops_the_line_it_was_writing(few_cells, tmp_path):
    run.run_part("comparison", TINY, tmp_path)
    file = tmp_path / "comparison.jsonl"
    content = file.read_text()
    n_lines = content.count("\n")
    file.write_text(content[: content.rfind("\n", 0, -1) + 20])  # the last line is cut
    assert run.run_part("comparison", TINY, tmp_path) == 1
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == len({line["key"] for line in lines}) == n_lines


def test_more_trials_reuse_what_was_computed(few_cells, tmp_path):
    n_cells = run.run_part("comparison", TINY, tmp_path)
    more = Budget("tiny", 3, (2,), 1, 1, 2, 2, 1, 1)
    assert run.run_part("comparison", more, tmp_path) == n_cells // 2


def test_packed_results_count_as_computed(few_cells, tmp_path):
    run.run_part("comparison", TINY, tmp_path)
    lines = Record(tmp_path, "comparison").lines
    Record(tmp_path, "comparison").pack()
    assert [file.name for file in tmp_path.iterdir()] == ["comparison.jsonl.gz"]
    assert run.run_part("comparison", TINY, tmp_path) == 0
    assert Record(tmp_path, "comparison").lines == lines


def test_a_line_says_what_it_was_made_with_and_is_strict_json():
    line = run.compute(Cell("comparison", "DT", "Heart Disease", 1, SYSTEMS["DT"].settings, {"n_folds": 2}))
    assert json.loads(json.dumps(line, allow_nan=False)) == line
    assert line["trial"] == 1
    assert line["settings"] == list(SYSTEMS["DT"].settings)
    assert {"clausal", "numpy", "scikit-learn", "python"} <= line["versions"].keys()
    assert all(sum(found["counts"]) == 54 for found in line["tried"])
    assert all(sum(found["inner"]) == 216 for found in line["tried"])


def test_a_cell_is_recorded_once(tmp_path):
    record = Record(tmp_path, "sweep")
    record.add({"key": "a"})
    with pytest.raises(ValueError, match="recorded once. Got 'a' again"):
        record.add({"key": "a"})


def test_small_models_are_read_as_rules_with_their_weights(bankruptcy):
    setting = sweep_settings(10)[1].with_epochs(5).of("IWTM")
    line = run.compute(Cell("rules", "IWTM", "Bankruptcy", 0, (setting,)))
    assert sum(line["train"]) == 200
    assert sum(line["counts"]) == 50
    assert sorted(line["weights"]) == [1, 2, 5]
    assert all(len(weights) == 10 for weights in line["weights"].values())
    assert "Predicts class 1 if the total is 0 or more" in line["rules"]


def test_the_workers_of_a_dask_cluster_compute_the_same_lines(few_cells, tmp_path):
    # a worker in a thread, but reached as one on another machine would be
    place = {"processes": False, "protocol": "tcp", "dashboard_address": ":0"}
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, **place) as cluster,
        run.workers(cluster.scheduler_address),
    ):
        run.run_part("comparison", TINY, tmp_path / "dask", n_jobs=-1)
    run.run_part("comparison", TINY, tmp_path / "here")
    there, here = (Record(tmp_path / name, "comparison").lines for name in ("dask", "here"))
    assert _without_times(there) == _without_times(here)
