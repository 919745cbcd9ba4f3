"""`tune` with what an expert knows: every model that is tried keeps to it, and so does the best one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clausal
from clausal import Knowledge, RuleClassifier, TsetlinClassifier, load_knowledge, tune
from tests.support.command_line import clausal_run, done, fails

N = 700
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RNG.integers(20, 80, N).astype(float),
        "job": np.where(np.arange(N) == 650, "diver", np.tile(["clerk", "cook"], N // 2)),
        "noise": RNG.normal(size=N),
    }
)
Y = np.where((X["age"] > 50) ^ (np.arange(N) % 9 == 0), "ill", "well")
QUICK: dict[str, Any] = {"cv": 2, "random_state": 0, "verbose": 0}
OF_MACHINES = """
pos_label = "ill"
forbidden_features = ["noise"]
[cut_points]
age = [30, 50, 60]
[monotonic_cst]
age = "+"
"""
OF_CARDS = """
max_features = 2
fixed_rules = [["job is diver", 3], ["age > 60", 2, "ill"]]
"""


def known(folder: Path, text: str) -> Knowledge:
    (folder / "card.toml").write_text(text)
    return load_knowledge(folder / "card.toml")


def cuts_of(rules: clausal.RuleSet) -> set[Any]:
    return {
        literal.column.value for rule in rules for literal in rule.literals if literal.column.kind == "le"
    }


@pytest.mark.parametrize("n_candidates", [1, 6])
def test_a_tuned_scorecard_keeps_to_it(tmp_path: Path, n_candidates: int) -> None:
    knowledge = known(tmp_path, OF_CARDS + OF_MACHINES + "[scale]\nbase_score = 500\n")
    found = tune(X, Y, knowledge=knowledge, max_literals=5, n_candidates=n_candidates, **QUICK)
    clf = found.best_estimator_
    points = {str(rule): rule.points for rule in clf.rules_}
    assert clf.pos_label_ == "ill"
    assert (points["job is diver"], points["age > 60"]) == (3, 2)
    assert cuts_of(clf.rules_) <= {30, 50, 60}
    assert clf.rules_.used_features == {0, 1}
    assert RuleClassifier(**found.best_params_).fit(X, Y).rules_ == clf.rules_
    assert isinstance(knowledge.finished(clf), clausal.Scorecard)


def test_a_tuned_machine_keeps_to_it(tmp_path: Path) -> None:
    clf = tune(X, Y, knowledge=known(tmp_path, OF_MACHINES), n_candidates=5, **QUICK).best_estimator_
    assert isinstance(clf, TsetlinClassifier)
    assert clf.pos_label_ == "ill"
    assert cuts_of(clf.rules_) <= {30, 50, 60}
    assert 2 not in clf.rules_.used_features
    votes = clf.votes(pd.DataFrame({"age": [25.0, 45, 55, 70], "job": "cook", "noise": 0.0}))
    assert (np.diff(votes) >= 0).all()
    with pytest.raises(
        ValueError, match=r"'pos_label' parameter of tune must be .* knowledge, 'ill'.*Got 'well'"
    ):
        tune(X, Y, knowledge=known(tmp_path, OF_MACHINES), pos_label="well", n_candidates=1, **QUICK)


def test_rules_about_rare_categories_are_tried_on_all_rows(tmp_path: Path) -> None:
    """The first 500 rows of a search may have none of them; then no rule could name the category."""
    rows = [
        tune(X, Y, knowledge=known(tmp_path, text), max_literals=5, n_candidates=9, **QUICK).results_[
            "n_rows"
        ]
        for text in ('fixed_rules = ["job is diver"]', 'fixed_rules = ["job is cook"]')
    ]
    assert set(rows[0]) == {N}
    assert set(rows[1]) == {500, N}


def test_classes_of_fixed_rules_are_those_of_the_labels(tmp_path: Path) -> None:
    y = np.where(X["job"] == "cook", "c", np.where(X["age"] > 50, "b", "a"))
    knowledge = known(tmp_path, 'fixed_rules = [["age > 60", 4, "b"]]')
    clf = tune(X, y, knowledge=knowledge, max_literals=5, n_candidates=2, **QUICK).best_estimator_
    (fixed,) = [rule for rule in clf.rules_ if str(rule) == "age > 60" and rule.points == 4]
    assert clf.classes_[fixed.bank] == "b"
    with pytest.raises(ValueError, match="must be one of a, b, c. Got 'd'"):
        tune(X, y, knowledge=known(tmp_path, 'fixed_rules = [["age > 60", 4, "d"]]'), max_literals=5, **QUICK)


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="'knowledge' parameter of tune must be None or a Knowledge.* Got 'a"
    ):
        tune(X, Y, knowledge="a.toml", **QUICK)
    with pytest.raises(
        ValueError, match="for a machine must not have 'fixed_rules', which is for scorecards"
    ):
        tune(X, Y, knowledge=known(tmp_path, 'fixed_rules = ["job is cook"]'), **QUICK)
    with pytest.raises(ValueError, match="'cut_points'.* Got 'agee'"):
        tune(X, Y, knowledge=known(tmp_path, "[cut_points]\nagee = [3]\n"), max_literals=5, **QUICK)


def test_the_command_line_takes_the_file_and_options_on_top_of_it(tmp_path: Path) -> None:
    table, file, model = tmp_path / "people.csv", tmp_path / "card.toml", tmp_path / "model.json"
    X.assign(label=Y).to_csv(table, index=False)
    file.write_text(OF_CARDS + OF_MACHINES)
    start = ("tune", table, "--target", "label", "--time-budget", "1", "--jobs", "1", "--no-test", "--quiet")
    done(*start, "--max-literals", "5", "--knowledge", file, "--cut-points", "age=30,45", "--model", model)
    clf = clausal.load(model)
    assert isinstance(clf, RuleClassifier)
    assert clf.pos_label_ == "ill"
    assert {"job is diver", "age > 60"} <= set(map(str, clf.rules_))
    assert cuts_of(clf.rules_) <= {30, 45, 60}
    done(*start, "--max-literals", "5", "--knowledge", file, "--scale", "500,20,40", "--model", model)
    assert isinstance(clausal.load(model), clausal.Scorecard)
    message = fails(*start, "--machine", "--knowledge", file)
    assert "must not have 'fixed_rules', which is for scorecards" in message
    for option in (("--fixed-rule", "age > 60"), ("--max-features", "2"), ("--cut-off", "3")):
        refused = clausal_run(*start, "--machine", *option)
        assert refused.exit_code == 2
        assert f"{option[0]}: it can be used only without --machine" in refused.output
