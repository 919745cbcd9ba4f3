"""The comparison: what is fitted, what a line has, and the tables of its summary."""

import subprocess
import sys

import numpy as np
import pytest

from studies.quality import comparison
from studies.quality.comparison import FREE, Work, lines_of, missing_work, scores
from studies.quality.learners import BY_DEFAULT, LEARNERS, OURS
from studies.quality.report import (
    Fits,
    Table,
    difference,
    gap,
    mean_ranks,
    means,
    paired,
    signed,
    tables_of,
    verdict,
)


def line(learner, size, data, split, accuracy, choice="accuracy", auc=0.5):
    sizes = {"literals": 3, "features": 2, "rules": 2} if learner not in ("EBM", "XGBoost") else {}
    place = {"learner": learner, "size": size, "data": data, "split": split, "choice": choice}
    return place | {"seconds": 0.1, "accuracy": accuracy, "f1": 0.5, "auc": auc, "log_loss": 0.4} | sizes


def test_only_missing_fits_are_made_again():
    done = [line(OURS, 5, "XOR", 0, 0.8), line("EBM", FREE, "XOR", 0, 0.8)]
    work = list(missing_work(done, [OURS, "EBM"], ["XOR", "Boxes"], (5, 10), 1))
    assert work == [
        Work(OURS, "XOR", 0, (10,)),
        Work(OURS, "Boxes", 0, (5, 10)),
        Work("EBM", "Boxes", 0, (FREE,)),
    ]


def test_slow_learners_have_fewer_splits_and_some_rivals_no_table_of_several_classes():
    work = list(missing_work([], ["EBM", "FastRiskScore"], ["XOR", "Iris"], (5,), 10))
    most = LEARNERS["EBM"].max_splits
    assert sum(one.learner == "EBM" for one in work) == 2 * most
    assert {one.data for one in work if one.learner == "FastRiskScore"} == {"XOR"}
    assert {one.learner for one in work[-2 * most :]} == {"EBM"}  # it comes last
    full = missing_work([], ["EBM"], ["XOR"], (5,), 10, full=True)
    assert len(list(full)) == 10


@pytest.mark.parametrize("learner", [OURS, "L1 on bits", "decision tree", "logistic regression"])
def test_a_fit_has_its_lines_within_the_limit(learner):
    lines = lines_of(Work(learner, "Iris", 0, comparison.wanted_sizes(learner, (2, FREE))))
    compact = learner != "logistic regression"
    assert {one["size"] for one in lines} == ({2, FREE} if compact else {FREE})
    for one in lines:
        assert {"learner", "size", "data", "split", "choice", "seconds", "versions"} <= one.keys()
        assert {"accuracy", "f1", "auc", "log_loss"} <= one.keys()
        assert one["size"] == FREE or one["literals"] <= 2
    assert max(one["accuracy"] for one in lines) > 0.6


def test_scores_of_probabilities():
    y = np.array([0, 0, 1, 1])
    p = np.array([0.1, 0.6, 0.4, 0.9])
    found = scores(np.column_stack([1 - p, p]), (p > 0.5).astype(int), y)
    assert (found["accuracy"], found["f1"], found["auc"]) == (0.5, 0.5, 0.75)
    assert found["log_loss"] == pytest.approx(-np.mean(np.log([0.9, 0.4, 0.4, 0.9])))


def test_a_difference_beyond_two_errors_is_a_win_or_a_loss():
    assert difference([0.10, 0.11, 0.12]) == "+.110 ± .006 win"
    assert difference([-0.10, -0.11, -0.12]) == "-.110 ± .006 loss"
    assert difference([-0.1, 0.1]) == "+.000 ± .100"
    assert difference([]) == "-"
    assert verdict([0.2]) == "tie"
    assert signed(-1.5) == "-1.500"


def a_few_lines():
    lines = []
    for split in (0, 1, 2):
        for data, ours in (("XOR", 0.9), ("Boxes", 0.8)):
            lines.append(line(OURS, 30, data, split, ours + 0.01 * split))
            lines.append(line("decision tree", 30, data, split, ours - 0.1, auc=0.6))
            lines.append(line("decision tree", 30, data, split, 0.0, choice="log_loss"))
            lines.append(line("EBM", FREE, data, split, ours))
        lines.append(line(OURS, 30, "Iris", split, 0.95))
    return lines


def test_means_ranks_and_differences_are_those_of_the_lines():
    fits = Fits(a_few_lines())
    assert mean_ranks(fits, 30, ["XOR", "Boxes"], "accuracy") == {OURS: 1.0, "decision tree": 2.0}
    assert mean_ranks(fits, 30, ["XOR"], "auc") == {OURS: 2.0, "decision tree": 1.0}
    table = means(fits, 30)
    assert table.title == "At most 30 literals: means over 2 two-class tables"
    rows = {row[0]: row for row in table.rows}
    assert rows[OURS][1] == ".860"
    assert rows["decision tree"][1] == ".750"
    assert rows["EBM"][4] == "-"  # no literals
    assert rows["decision tree"][-2].startswith("+.110 ± .000")
    assert "-.100" in rows["decision tree"][-1]


def test_the_choice_by_log_loss_has_its_own_lines():
    by_accuracy = paired(Fits(a_few_lines()), 30, "accuracy")
    by_log_loss = paired(Fits(a_few_lines(), "log_loss"), 30, "accuracy")
    assert by_accuracy.rows[0][2] == "+.110 ± .006 win"
    assert by_log_loss.rows[0][2] == "+.910 ± .006 win"
    assert by_accuracy.rows[-1] == ["Iris", ".950", "-", "-"]


def test_the_gap_to_ebm_has_an_interval_over_tables():
    table = gap(Fits(a_few_lines()), 30)
    assert table.rows[0] == ["accuracy", "+.010", "+.010 to +.010", "2"]


def test_a_table_as_text_and_as_markdown():
    table = Table("Title", ["a", "long"], [["1", "2"]])
    assert table.as_text() == "Title\n  a  long\n  1  2"
    assert table.as_markdown() == "**Title**\n\n| a | long |\n| --- | --- |\n| 1 | 2 |"


def test_without_lines_there_is_no_table():
    assert tables_of([]) == []


def test_the_learners_in_an_environment_of_their_own_are_compared_if_named():
    assert "FasterRisk" not in BY_DEFAULT
    assert {OURS, "FastRiskScore", "EBM", "XGBoost", "L1 on bits"} <= set(BY_DEFAULT)


def test_the_command_goes_on_where_it_was(tmp_path):
    file = tmp_path / "lines.jsonl"
    options = ["--part", "comparison", "--results", str(file), "--jobs", "1", "--splits", "2", "--sizes", "3"]
    command = [
        sys.executable,
        "-m",
        "studies.quality",
        *options,
        "--tables",
        "Iris",
        "--learners",
        "decision tree",
    ]
    first = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    n_lines = len(comparison.stored_lines(file))
    assert n_lines == 4  # two splits, two choices
    again = subprocess.run([*command, "--markdown"], capture_output=True, text=True, check=True).stdout
    assert len(comparison.stored_lines(file)) == n_lines
    assert "At most 3 literals" in first
    assert "| decision tree |" in again
