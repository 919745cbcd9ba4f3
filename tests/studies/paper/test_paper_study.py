"""What the study computes with: data, splits, metrics, settings, and the choice among settings."""

import hashlib

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.utils import check_random_state

from clausal import Booleanizer
from studies.data import COMPARISON_DATA, load
from studies.paper.budget import FULL, QUICK, SIZES
from studies.paper.cells import Cell, cells_of, estimated_seconds
from studies.paper.chosen_settings import chosen_settings
from studies.paper.evaluation import evaluate
from studies.paper.machines import MACHINES, epoch_stops, machine, sweep_settings
from studies.paper.metrics import best_cutoff, counts, scores, summary
from studies.paper.splits import inner_folds, search_split, trial_split
from studies.paper.systems import CONSTANT, LITERAL, OURS, SHORT, SYSTEMS
from studies.paper.trivial_classifiers import BestLiteral

EMBEDDED = (
    "Balance Scale",
    "Breast Cancer",
    "Liver Disorders",
    "Heart Disease",
    "Liver Disorders (selector)",
)


@pytest.mark.parametrize("name", EMBEDDED)
def test_the_paper_s_binarization_has_the_columns_the_page_says(name):
    data = load(name)
    n_columns, n_train, _ = SIZES[name.split(" (")[0]]
    assert len(Booleanizer(mode="paper").fit(data.cells).columns_) == n_columns
    train, test = trial_split(data, 0)
    assert len(train) == n_train
    assert set(train) | set(test) == set(range(len(data.y)))
    assert not set(train) & set(test)


def test_liver_s_labels_have_the_prevalences_of_the_file():
    assert load("Liver Disorders").y.sum() == 176
    assert load("Liver Disorders (selector)").y.sum() == 200


def test_splits_depend_on_the_trial_only_and_are_the_same_on_every_machine():
    data = load("Heart Disease")
    splits = [trial_split(data, trial)[1] for trial in range(50)]
    assert len({tuple(test) for test in splits}) == 50
    assert np.array_equal(splits[7], trial_split(data, 7)[1])
    digest = hashlib.sha256(np.array(splits, dtype="<i4").tobytes()).hexdigest()
    assert digest[:16] == "ee01965e66bb4bf4"


def test_no_split_of_the_search_is_one_of_the_trials():
    data = load("Heart Disease")
    trials = {tuple(trial_split(data, trial)[1]) for trial in range(FULL.n_trials)}
    assert not trials & {tuple(search_split(data, number)[1]) for number in range(FULL.n_small_search_splits)}
    with pytest.raises(ValueError, match="must be from 0 to 999. Got 1000"):
        trial_split(data, 1000)


def test_grouped_splits_keep_equal_rows_together(bankruptcy):
    data = load("Bankruptcy (grouped)")
    train, test = trial_split(data, 3)
    assert not set(data.groups[train]) & set(data.groups[test])
    for inside, outside in inner_folds(data, train, 3, 3):
        assert not set(data.groups[inside]) & set(data.groups[outside])
        assert not set(outside) & set(test)


def test_the_real_bankruptcy_data_has_the_sizes_the_page_says(real_bankruptcy):
    n_columns, n_train, _ = SIZES["Bankruptcy"]
    assert len(Booleanizer(mode="paper").fit(real_bankruptcy.cells).columns_) == n_columns
    assert len(trial_split(real_bankruptcy, 0)[0]) == n_train
    assert len(np.unique(load("Bankruptcy (grouped)").groups)) == 103


def test_inner_folds_stay_inside_the_training_part():
    data = load("Breast Cancer")
    train, _ = trial_split(data, 1)
    outside = np.concatenate([outside for _, outside in inner_folds(data, train, 3, 1)])
    assert sorted(outside) == list(train)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_scikit_learn_s(seed):
    random = check_random_state(seed)
    y, predicted = random.randint(0, 2, (2, 40))
    found = scores(counts(y, predicted))
    assert found["precision"] == pytest.approx(sk.precision_score(y, predicted, zero_division=0))
    assert found["recall"] == pytest.approx(sk.recall_score(y, predicted))
    assert found["f1"] == pytest.approx(sk.f1_score(y, predicted))
    assert found["accuracy"] == pytest.approx(sk.accuracy_score(y, predicted))
    assert found["specificity"] == pytest.approx(sk.recall_score(y, predicted, pos_label=0))
    assert found["youden"] == pytest.approx(sk.balanced_accuracy_score(y, predicted, adjusted=True))


def test_a_classifier_that_never_says_yes_scores_zero_without_a_warning():
    assert scores([0, 0, 5, 5]) == {
        **dict.fromkeys(("precision", "recall", "f1", "youden"), 0.0),
        "accuracy": 0.5,
        "specificity": 1.0,
    }


@pytest.mark.parametrize("seed", range(10))
def test_no_cutoff_has_a_higher_f1_than_the_best_one(seed):
    random = check_random_state(seed)
    y, values = random.randint(0, 2, 30), random.randint(0, 6, 30).astype(float)
    cutoff, f1 = best_cutoff(y, values)
    assert f1 == pytest.approx(sk.f1_score(y, values >= cutoff))
    assert f1 == pytest.approx(max(sk.f1_score(y, values >= t) for t in range(7)))


def test_a_summary_is_the_mean_with_student_s_interval():
    found = summary([1.0, 2.0, 3.0])
    assert (found.mean, found.sd, found.n) == (2.0, 1.0, 3)
    assert found.half == pytest.approx(4.3026527 / np.sqrt(3))
    assert np.isnan(summary([1.0]).half)


def test_the_best_literal_is_no_worse_than_any_column():
    data = load("Heart Disease")
    literal = BestLiteral().fit(data.cells, data.y)
    bits = Booleanizer(mode="paper").fit_transform(data.cells)
    best = max(sk.f1_score(data.y, column) for column in np.asarray(bits).T)
    assert sk.f1_score(data.y, literal.predict(data.cells)) >= best


def test_every_system_tries_equally_many_settings():
    free = {CONSTANT, LITERAL, OURS, SHORT}
    assert {len(system.settings) for name, system in SYSTEMS.items() if name not in free} == {FULL.n_settings}
    assert {len(set(map(str, sweep_settings(m)))) for m in FULL.clause_counts} == {15}
    for system in MACHINES:
        assert len({setting.of(system) for setting in sweep_settings(100)}) == 15


def test_the_full_run_is_estimated_to_fit_two_cores_in_two_and_a_half_hours():
    assert sum(estimated_seconds(FULL).values()) <= 2 * 2.5 * 3600
    assert sum(estimated_seconds(QUICK).values()) <= 2 * 600


def test_a_training_evaluated_at_a_stop_is_the_training_that_ends_there():
    setting = sweep_settings(2)[4].with_epochs(8)
    cell = Cell("search", "IWTM", "Breast Cancer", 0, (setting,))
    first, last = evaluate(cell)["stops"]
    assert (first["n_epochs"], last["n_epochs"]) == epoch_stops(setting) == (2, 8)
    data = load("Breast Cancer")
    train, test = search_split(data, 0)
    for stop in (first, last):
        model = machine("IWTM", setting.with_epochs(stop["n_epochs"]), 1000)
        model.fit(data.cells[train], data.y[train])
        assert stop["counts"] == counts(data.y[test], model.predict(data.cells[test]))
        assert stop["literals"] == model.n_literals_


def _line(system, setting, f1_counts, literals):
    stops = [{"n_epochs": stop, "counts": f1_counts, "literals": literals} for stop in epoch_stops(setting)]
    return {"system": system, "data": "D", "settings": [setting.of(system).as_dict()], "stops": stops}


def test_own_settings_are_each_system_s_best_and_the_identical_one_is_best_on_average():
    settings = sweep_settings(2)
    found = []
    for system, best in zip(MACHINES, (1, 2, 3), strict=True):
        for position, setting in enumerate(settings):
            hits = 9 if position == best else 8 if position == 5 else 1
            found.append(_line(system, setting, [hits, 1, 10 - hits, 0], 7 + position))
    chosen = chosen_settings(found)
    for system, best in zip(MACHINES, (1, 2, 3), strict=True):
        place = chosen[system, "D", 2]
        assert place["own"].with_epochs(200) == settings[best].of(system)
        assert place["identical"].with_epochs(200) == settings[5].of(system)


def test_equal_scores_are_settled_by_fewer_literals():
    found = [
        _line(s, setting, [5, 1, 1, 5], 20 - n)
        for s in MACHINES
        for n, setting in enumerate(sweep_settings(2))
    ]
    chosen = chosen_settings(found)
    assert chosen["TM", "D", 2]["own"].with_epochs(200) == sweep_settings(2)[-1].of("TM")


def test_a_tie_goes_to_the_first_setting_whatever_the_order_of_the_lines():
    found = [_line(s, setting, [5, 1, 1, 5], 7) for s in MACHINES for setting in sweep_settings(2)]
    first, *_ = sweep_settings(2)
    for lines in (found, found[::-1]):
        for system, place in ((system, chosen_settings(lines)[system, "D", 2]) for system in MACHINES):
            assert place["own"] == place["identical"] == first.with_epochs(50).of(system)


def test_half_a_search_chooses_nothing():
    found = [_line(s, setting, [5, 1, 1, 5], 7) for s in MACHINES for setting in sweep_settings(2)]
    elsewhere = [line | {"data": "E"} for line in found]
    for half in (found[:-1], found[: -len(sweep_settings(2))]):
        assert {data for _, data, _ in chosen_settings(half + elsewhere)} == {"E"}


def test_machines_of_few_clauses_are_searched_on_more_splits():
    splits = {m: set() for m in FULL.clause_counts}
    for cell in cells_of("search", FULL):
        splits[cell.settings[0].n_clauses].add(cell.trial)
    assert {m: len(found) for m, found in splits.items()} == {2: 10, 10: 10, 100: 3, 500: 3, 2000: 3, 8000: 3}


def test_a_key_names_all_that_a_result_depends_on():
    cells = cells_of("search", FULL) + cells_of("comparison", FULL)
    assert len({cell.key for cell in cells}) == len(cells)
    first = cells_of("comparison", QUICK)[0]
    assert first.key != cells_of("comparison", FULL)[0].key
    assert {cell.data for cell in cells} == set(COMPARISON_DATA)


def test_the_sweep_waits_for_the_whole_search():
    with pytest.raises(ValueError, match="'search' must be complete first. Got 0 of"):
        cells_of("sweep", QUICK)
