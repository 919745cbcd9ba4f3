"""Model files of earlier versions still load and predict the same.

`models/` holds files that version 0.1.0 wrote, rows to predict (`rows.csv`), and what it said of them
(`answers.json`). They are never written again: a new file format gets files of its own beside them.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import clausal

FOLDER = Path(__file__).with_name("models")
ANSWERS = json.loads((FOLDER / "answers.json").read_text())


def rows() -> pd.DataFrame:
    frame = pd.read_csv(FOLDER / "rows.csv")
    frame["level"] = pd.Categorical(frame["level"], ["low", "mid", "high"], ordered=True)
    frame["member"] = frame["member"].astype(bool)
    return frame


@pytest.mark.parametrize("name", sorted(name for name in ANSWERS if not name.startswith("rules_")))
def test_an_estimator_of_version_0_1_0_predicts_the_same(name, tmp_path):
    estimator, answers = clausal.load(FOLDER / f"{name}.json"), ANSWERS[name]
    assert np.array_equal(estimator.votes(rows()), answers["votes"])
    assert estimator.predict(rows()).tolist() == answers["labels"]
    assert np.allclose(estimator.predict_proba(rows()), answers["probabilities"], rtol=1e-12, atol=0)
    assert np.array_equal(estimator.rules_.votes(rows()), answers["votes"])
    estimator.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (FOLDER / f"{name}.json").read_bytes()


@pytest.mark.parametrize("name", sorted(name for name in ANSWERS if name.startswith("rules_")))
def test_a_rule_set_of_version_0_1_0_predicts_the_same(name):
    text = (FOLDER / f"{name}.json").read_text()
    rules, answers = clausal.RuleSet.from_json(text), ANSWERS[name]
    assert np.array_equal(rules.votes(rows()), answers["votes"])
    assert rules.predict(rows()).tolist() == answers["labels"]
    assert rules.to_json() == text


def test_a_machine_of_version_0_1_0_goes_on_learning_the_same():
    """Resumed training reads the stored states, step and row number, and the keyed random stream."""
    machine, answers = clausal.load(FOLDER / "machine_two_classes.json"), ANSWERS["machine_two_classes"]
    machine.partial_fit(rows(), np.array(answers["labels"]))
    assert machine.votes(rows()).tolist() == answers["votes_after_partial_fit"]
