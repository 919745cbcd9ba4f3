"""The file of a RuleClassifier keeps the model whole; files of strangers are in hostile_files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold

import clausal
from clausal import RuleClassifier, RuleRegressor
from tests.support import model_documents as documents
from tests.support.scorecards import same_scorecard
from tests.support.small_data import table

X3, Y3 = table(n_classes=3)
MAKERS = (documents.small_scorecard, documents.scorecard_of_a_frame, documents.scorecard_of_three_classes)


@pytest.fixture(scope="module")
def originals() -> list[RuleClassifier]:
    return [make() for make in MAKERS]


def shown_parameters(clf: RuleClassifier) -> dict[str, str]:
    return {name: str(value) for name, value in clf.get_params().items()}


def assert_same(a: RuleClassifier, b: RuleClassifier) -> None:
    """Everything a file holds, and the types."""
    assert same_scorecard(a, b)
    assert shown_parameters(a) == shown_parameters(b)
    assert a.classes_.dtype == b.classes_.dtype
    assert (a.path_.chosen, a.path_.scoring, a.path_.search) == (
        b.path_.chosen,
        b.path_.scoring,
        b.path_.search,
    )
    names = [getattr(clf, "feature_names_in_", np.array([])).tolist() for clf in (a, b)]
    assert names[0] == names[1]
    assert a.n_features_in_ == b.n_features_in_


def test_a_loaded_scorecard_is_the_saved_one(tmp_path: Path, originals: list[RuleClassifier]) -> None:
    for clf, rows in zip(originals, ([[0], [1]], documents.MIXED, X3), strict=True):
        clf.save(tmp_path / "model.json")
        read = clausal.load(tmp_path / "model.json")
        assert_same(clf, read)
        for method in ("votes", "predict", "predict_proba", "decision_function"):
            first, second = getattr(clf, method)(rows), getattr(read, method)(rows)
            assert first.dtype == second.dtype
            np.testing.assert_array_equal(first, second)
        assert str(read.rules_) == str(clf.rules_)
        assert repr(read.path_) == repr(clf.path_)
        if len(clf.classes_) == 2:
            assert str(read.risk_table_) == str(clf.risk_table_)


def test_a_loaded_scorecard_can_be_fitted_anew(tmp_path: Path, originals: list[RuleClassifier]) -> None:
    clf = originals[2]
    clf.save(tmp_path / "model.json")
    again = clausal.load(tmp_path / "model.json").fit(X3, np.array(["low", "mid", "top"])[Y3])
    assert same_scorecard(again, clf)


def test_the_rules_say_what_a_machine_says(originals: list[RuleClassifier]) -> None:
    assert len(originals[1].rules_) > 0  # else the file of a frame would be too easy


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"scoring": lambda *_: 1.0}, "The 'scoring' parameter .* must be the name of a scorer to be saved"),
    ],
    ids=["scoring"],
)
def test_what_a_file_cannot_hold_is_refused_and_can_be_changed(
    tmp_path: Path, params: dict[str, Any], words: str
) -> None:
    clf = documents.small_scorecard().set_params(**params)
    with pytest.raises(ValueError, match=words):
        clf.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()
    clf.set_params(scoring="f1", cv=None).save(tmp_path / "model.json")
    assert same_scorecard(clausal.load(tmp_path / "model.json"), clf)


@pytest.mark.parametrize(
    "cv", [list(GroupKFold(3).split(X3, Y3, np.arange(len(Y3)) % 9)), KFold(3)], ids=type
)
@pytest.mark.parametrize("estimator", [RuleClassifier, RuleRegressor])
def test_folds_are_left_out_with_a_warning(tmp_path: Path, estimator: Any, cv: Any) -> None:
    """The guide recommends those of GroupKFold, and a model is more than the folds that chose it."""
    clf = estimator(max_literals=2, cv=cv, random_state=0).fit(X3, Y3)
    with pytest.warns(UserWarning, match="cv is no number of folds and is saved as None") as caught:
        clf.save(tmp_path / "model.json")
    assert caught[0].filename == __file__
    loaded = clausal.load(tmp_path / "model.json")
    assert (loaded.cv, clf.cv) == (None, cv)
    np.testing.assert_array_equal(loaded.predict(X3), clf.predict(X3))


def test_a_generator_as_seed_is_left_out_with_a_warning(tmp_path: Path) -> None:
    clf = documents.small_scorecard().set_params(random_state=np.random.RandomState(0))
    with pytest.warns(UserWarning, match="random_state is a generator object") as caught:
        clf.save(tmp_path / "model.json")
    assert caught[0].filename == __file__
    assert clausal.load(tmp_path / "model.json").random_state is None


def test_a_subclass_is_not_saved_as_what_it_is_not(tmp_path: Path) -> None:
    class Other(RuleClassifier):
        pass

    clf = Other(max_literals=1, cv=2, booleanizer=None, random_state=0).fit([[0], [1]] * 3, [0, 1] * 3)
    with pytest.raises(ValueError, match="estimator must be 'RuleClassifier'. Got 'Other'"):
        clf.save(tmp_path / "model.json")
