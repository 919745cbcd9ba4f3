"""The study of scorecards of limited size: its stored fits, one fit repeated, and the summary."""

import re
from pathlib import Path

import pytest

from studies.quality.goals import GOALS, LEARNERS, N_SPLITS, missing_fits, one_fit, stored_lines
from studies.quality.goals_summary import compared, paragraph

README = Path(__file__).parents[3] / "README.md"


def test_the_stored_fits_are_complete():
    lines = stored_lines()
    assert list(missing_fits(lines)) == []
    assert len(lines) == len(LEARNERS) * N_SPLITS * len(GOALS)
    assert next(missing_fits(lines[1:])) == tuple(lines[0][key] for key in ("learner", "data", "split"))


@pytest.mark.parametrize("learner", ["logistic regression", "decision tree"])
def test_a_fit_made_again_is_the_stored_one(learner):
    made = one_fit(learner, "Breast Cancer", 3)
    (stored,) = (line for line in stored_lines() if line.items() >= _place(made).items())
    assert made["f1"] == pytest.approx(stored["f1"], abs=0.05)  # another BLAS may decide a row otherwise


def _place(line):
    return {key: line[key] for key in ("learner", "data", "split")}


@pytest.mark.parametrize("name", GOALS)
def test_the_readme_has_the_numbers_of_the_stored_fits(name):
    first, scorecard, *others = paragraph(stored_lines(), name)
    (row,) = (line for line in README.read_text().splitlines() if line.startswith(f"| {name}, "))
    _, metric, ours, literals, *theirs = re.split(
        r" \| |, | \|", row.replace("| ", "", 1).replace(" .", " 0.")
    )
    assert first.startswith(f"{name}: {metric.lower()}, ")
    assert scorecard.split()[1:] == [*ours.split(), literals, "literals"]
    for figure, line in zip(theirs, others, strict=False):
        assert f" {figure} " in line


def test_a_difference_beyond_two_errors_is_no_tie():
    mine = {0: 0.9, 1: 0.8, 2: 0.9}
    worse = {split: value - 0.1 - 0.01 * split for split, value in mine.items()}
    assert "+0.110 ± 0.006: we win (first 3 splits)" in compared("tree", mine, worse)
    assert "-0.110 ± 0.006: we lose" in compared("tree", worse, mine)
