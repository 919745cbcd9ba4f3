"""The settings to try: the default first, all distinct, all valid."""

import pytest

from clausal import Booleanizer, RuleClassifier, TsetlinClassifier
from clausal.machine.settings import CHOSEN_COLUMNS, are_open, check_machine_parameters
from clausal.scorecard.search_space import MAX_COLUMNS
from clausal.tuning.settings import machine_settings, scorecard_settings


@pytest.mark.parametrize("n", [1, 2, 27, 200])
@pytest.mark.parametrize("draw", [machine_settings, scorecard_settings])
def test_n_distinct_settings(draw, n):
    settings = draw(n, seed=4)
    assert len(settings) == len(set(settings)) == n
    assert draw(n, seed=4) == settings
    assert n == 1 or draw(n, seed=5) != settings
    assert draw(n, seed=5)[0] == settings[0]


def test_the_first_machine_is_the_default_one():
    first, *others = machine_settings(9, 0)
    made = TsetlinClassifier(**first.params({}))
    assert are_open(made)
    assert made.booleanizer.get_params() == Booleanizer(max_columns=CHOSEN_COLUMNS).get_params()
    assert 2 <= sum(setting.n_clauses is None for setting in others) < len(others)


def test_the_first_scorecard_is_the_default_one():
    first, *others = scorecard_settings(9, 0)
    assert (first.n_clauses, first.max_columns) == (None, MAX_COLUMNS)
    assert set(first.params({})) == {"booleanizer"}
    assert 2 <= sum(setting.n_clauses is None for setting in others) < len(others)


def test_every_setting_makes_a_valid_model():
    for setting in machine_settings(200, 1):
        machine = TsetlinClassifier(**setting.params({}))
        check_machine_parameters(machine)
        assert setting.n_clauses is None or machine.threshold % machine.n_clauses == 0
    for setting in scorecard_settings(200, 1):
        if setting.n_clauses is None:
            RuleClassifier(**setting.params({}))._check_parameters()
        else:
            check_machine_parameters(TsetlinClassifier(**setting.params({})))


def test_every_setting_has_what_an_expert_knows():
    known = {
        "booleanizer": Booleanizer(
            max_columns="auto", cut_points={0: [1, 2]}, special_values={1: [9]}, groups={2: {"g": ["a"]}}
        ),
        "monotonic_cst": {0: 1},
        "forbidden_features": [1],
        "max_features": 2,
    }
    for setting in (*machine_settings(20, 1), *scorecard_settings(9, 1)):
        params = setting.params(known)
        expected = known["booleanizer"].get_params() | {"max_columns": setting.max_columns}
        assert params.pop("booleanizer").get_params() == expected
        assert (params["monotonic_cst"], params["forbidden_features"]) == ({0: 1}, [1])
        assert not {"max_features", "pos_label"} & set(params)
