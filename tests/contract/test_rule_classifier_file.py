"""The file of a RuleClassifier: it keeps the model whole, and a stranger's gives a model or a ValueError."""

from __future__ import annotations

import copy
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clausal
from clausal import Booleanizer, RuleClassifier
from clausal.encoding.features import Feature
from tests.support import model_documents as documents
from tests.support.scorecards import machine, same_scorecard, scorecard
from tests.support.small_data import table

N_MUTATIONS = 3000
MOST_BYTES = 20_000_000
BYTES = b'\x00\xff\n 059aeu-+."\\{}[],:'
X, Y = table()
X3, Y3 = table(n_classes=3)


def small_scorecard() -> RuleClassifier:
    """One rule over one column, without a machine's parameters: a small file."""
    clf = RuleClassifier(max_literals=1, cv=2, booleanizer=None, random_state=0)
    return clf.fit(np.array([[0], [1]] * 5), np.array([0, 1] * 5))


def scorecard_of_a_frame() -> RuleClassifier:
    """Every kind of feature, missing values, a machine with parameters and constraints of its own."""
    estimator = machine(
        booleanizer=Booleanizer(max_columns=3, handle_unknown="missing", handle_missing="as_false"),
        monotonic_cst={"age": 1},
        forbidden_features=["smoker"],
        class_weight={"ill": 2.0},
        specificity=(1.5, 3.0),
    )
    labels = np.array(["well", "ill"] * 9)
    return scorecard(estimator, max_rules=3).fit(pd.concat([documents.MIXED] * 3, ignore_index=True), labels)


def scorecard_of_three_classes() -> RuleClassifier:
    return scorecard(max_literals=3).fit(X3, np.array(["low", "mid", "top"])[Y3])


MAKERS = (small_scorecard, scorecard_of_a_frame, scorecard_of_three_classes)


@pytest.fixture(scope="module")
def originals() -> list[RuleClassifier]:
    return [make() for make in MAKERS]


@pytest.fixture(scope="module")
def contents(originals: list[RuleClassifier], tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    path = tmp_path_factory.mktemp("models") / "model.json"
    found = []
    for original in originals:
        original.save(path)
        found.append(documents.read_content(path))
    return found


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


# --- the model is kept whole ---


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
        ({"cv": [([0], [1])] * 2}, "The 'cv' parameter .* must be None or an int to be saved.* Got list"),
    ],
    ids=["scoring", "cv"],
)
def test_what_a_file_cannot_hold_is_refused_and_can_be_changed(
    tmp_path: Path, params: dict[str, Any], words: str
) -> None:
    clf = small_scorecard().set_params(**params)
    with pytest.raises(ValueError, match=words):
        clf.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()
    clf.set_params(scoring="f1", cv=None).save(tmp_path / "model.json")
    assert same_scorecard(clausal.load(tmp_path / "model.json"), clf)


def test_a_generator_as_seed_is_left_out_with_a_warning(tmp_path: Path) -> None:
    clf = small_scorecard().set_params(random_state=np.random.RandomState(0))
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


# --- a file changed by accident ---


def load_or_reason(path: Path) -> RuleClassifier | str:
    """The model, or what the ValueError says; anything else raised is a failure."""
    try:
        return clausal.load(path)
    except ValueError as error:
        reason = str(error)
        assert reason.endswith(".")
        assert any(word in reason for word in ("must", "not a clausal model file", "checksum", "version"))
        return reason


def test_every_change_of_one_byte_is_refused_or_harmless(
    tmp_path: Path, originals: list[RuleClassifier]
) -> None:
    path = tmp_path / "model.json"
    originals[0].save(path)
    good, n_harmless = path.read_bytes(), 0
    random = Random(19)
    for position, byte in enumerate(good):
        others = {*random.sample(BYTES, 5), byte ^ 1, byte ^ 0x20} - {byte}
        for other in others:
            documents.write_bytes(path, good[:position] + bytes([other]) + good[position + 1 :])
            result = load_or_reason(path)
            if not isinstance(result, str):
                n_harmless += 1
                assert_same(result, originals[0])
    assert n_harmless < 20  # white space between the first few fields


def test_every_truncation_is_refused(tmp_path: Path, originals: list[RuleClassifier]) -> None:
    path = tmp_path / "model.json"
    originals[0].save(path)
    good = path.read_bytes()
    for length in range(len(good) - 1):  # the last byte is a line break
        documents.write_bytes(path, good[:length])
        assert "not a clausal model file" in str(load_or_reason(path))


# --- a file changed on purpose, its checksum made to fit ---


def examples(feature: Feature) -> list[Any]:
    """Two values that a fitted feature knows."""
    match feature.kind:
        case "numeric":
            return [feature.cuts[0] if feature.cuts else 0.0, None if feature.nullable else 0.0]
        case "boolean":
            return [True, False]
        case "empty":
            return [None, None]
    return [feature.categories[0], None if feature.nullable else feature.categories[-1]]


def use(clf: RuleClassifier, again: Path | None) -> None:
    """Everything a loaded model is for."""
    rows = np.empty((2, clf.n_features_in_), dtype=object)
    for index, feature in enumerate(clf.encoding_.features):
        rows[:, index] = examples(feature)
    data: Any = rows
    if hasattr(clf, "feature_names_in_"):
        data = pd.DataFrame(rows, columns=pd.Index(clf.feature_names_in_, dtype=object), dtype=object)
    shares, n_classes = clf.predict_proba(data), len(clf.classes_)
    assert shares.shape == (2, n_classes)
    assert ((shares >= 0) & (np.abs(shares.sum(axis=1) - 1) < 1e-9)[:, None]).all()
    assert np.isin(clf.predict(data), clf.classes_).all()
    assert np.isfinite(clf.decision_function(data)).all()
    assert len(str(clf.rules_)) > 0
    assert len(repr(clf.path_)) > 0
    assert len(clf.path_.to_frame("pyarrow")) == len(clf.path_.searches) * len(clf.path_.n_literals)
    if n_classes == 2:
        table = clf.risk_table_
        assert len(str(table).splitlines()) == len(table.to_frame("pyarrow")) + 1
    assert abs(clf.feature_importances_.sum() - (len(clf.rules_) > 0)) < 1e-9
    if again is not None:
        clf.save(again)
        assert_same(clausal.load(again), clf)


def test_unchanged_models_pass_their_own_examination(tmp_path: Path, contents: list[Any]) -> None:
    path = tmp_path / "model.json"
    for content in contents:
        documents.write_content(path, content)
        use(clausal.load(path), tmp_path / "again.json")


def test_random_changes_with_the_checksum_recomputed(tmp_path: Path, contents: list[Any]) -> None:
    path, again = tmp_path / "model.json", tmp_path / "again.json"
    random = Random(20)
    n_loaded, reasons = 0, set()
    for number in range(N_MUTATIONS):
        documents.write_content(path, documents.mutated(random.choice(contents), random))
        try:
            result = load_or_reason(path)
            if isinstance(result, str):
                reasons.add(result)
            else:
                n_loaded += 1
                use(result, again if n_loaded % 8 == 0 else None)
        except Exception as error:
            raise AssertionError(f"change {number} gives {path.read_text()[:5000]}") from error
    assert n_loaded > N_MUTATIONS // 20  # both outcomes were really tried
    assert len(reasons) > N_MUTATIONS // 10


def peak_bytes(call: Callable[[], object]) -> int:
    """The most memory that was in use during a call beyond what was before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_no_random_change_makes_reading_allocate_much(tmp_path: Path, contents: list[Any]) -> None:
    path, random = tmp_path / "model.json", Random(21)
    for _ in range(200):
        documents.write_content(path, documents.mutated(random.choice(contents), random))
        assert peak_bytes(lambda: load_or_reason(path)) < MOST_BYTES


WRONG_VALUES: list[tuple[str, Any, str]] = [
    ("slope", 0, "slope must be above 0. Got 0.0."),
    ("slope", -1.0, "slope must be from 0 to 1e.06. Got -1.0."),
    ("slope", 1e7, "slope must be from 0 to 1e.06"),
    ("slope", None, "slope must be a number. Got None."),
    ("rules.constants", [0.5], "rules.constants must be an integer"),
    ("rules.constants", [0, 0], "one number per bank"),
    ("rules.rules.0.points", 1.5, "rules.rules.0..points must be an integer"),
    ("rules.rules.0.points", 0, "rules.rules.0..points must be other than 0"),
    ("rules.rules.0.points", 10_001, "rules.rules.0..points must be an integer from -10000 to 10000"),
    ("rules.rules.0.literals", [], "rules.rules.0..literals must be at least one literal"),
    ("rules.rules.0.literals", [0, 1], "rules must be of at most path.chosen = 1 literals. Got 2."),
    ("rules.classes.values", [1, 0], "rules.classes must be sorted"),
    ("risk_table", None, "risk_table must be a dictionary"),
    ("risk_table.offset", 1e19, "risk_table.offset must be from -1e.18 to 1e.18"),
    ("risk_table.scores", [], "risk_table.scores must be at least one score, ascending"),
    ("risk_table.scores", [1, 0], "risk_table.scores must be at least one score, ascending"),
    ("risk_table.scores", [0, 10**9], "risk_table.scores must be an integer from -?[0-9]+ to -?[0-9]+"),
    ("risk_table.counts", [1.0], "risk_table.counts must be a list of 2 numbers. Got '1'."),
    ("risk_table.counts", [5.0, 0.0], "risk_table.counts must be above 0. Got 0.0."),
    ("risk_table.positives", [0.0, 6.0], "risk_table.positives must be at most risk_table.counts. Got 6.0."),
    ("risk_table.positives", [0.0, -1.0], "risk_table.positives must be from 0 to inf. Got -1.0."),
    ("path.n_literals", [2], "path.n_literals must be ascending from 1"),
    ("path.n_literals", [], "path.n_literals must be ascending from 1"),
    ("path.chosen", 2, "path.chosen must be an integer from 1 to 1"),
    ("path.search", "none", "path.search must be one of path.searches"),
    ("path.searches", [], "path.search must be one of path.searches"),
    ("path.searches", {}, "path.searches must be a list"),
    ("path.searches.0.name", None, "path.searches.0..name must be a string"),
    ("path.searches.0.scores", [1.0, 1.0], "path.searches.0..scores must be a list of 1 numbers"),
    ("path.searches.0.errors", [-1.0], "path.searches.0..errors must be from 0"),
    ("path.searches.0.n_rules", [2.0], "path.searches.0..n_rules must be at most path.n_literals"),
    ("path.scoring", 3, "path.scoring must be a string"),
    ("parameters.max_points", 0, "The 'max_points' parameter of RuleClassifier"),
    ("parameters.scoring", "nothing", "The 'scoring' parameter of RuleClassifier"),
    ("parameters.cv", [[[0], [1]]], "parameters.cv must be a number, a string"),
    ("parameters.estimator", {}, "parameters.estimator must be a dictionary with the keys"),
    ("parameters.estimator", 3, "parameters.estimator must be a dictionary"),
    (
        "estimator",
        "Another",
        "estimator must be one of .'RuleClassifier', 'TsetlinClassifier'",
    ),
]


@pytest.mark.parametrize(("place", "value", "words"), WRONG_VALUES, ids=str)
def test_a_wrong_value_is_named(
    tmp_path: Path, contents: list[Any], place: str, value: Any, words: str
) -> None:
    content = copy.deepcopy(contents[0])
    *holders, last = place.split(".")
    node = content
    for name in holders:
        node = node[int(name)] if isinstance(node, list) else node[name]
    assert last in node
    node[last] = value
    documents.write_content(tmp_path / "model.json", content)
    with pytest.raises(ValueError, match=words):
        clausal.load(tmp_path / "model.json")


def test_a_table_of_risks_is_for_two_classes(tmp_path: Path, contents: list[Any]) -> None:
    content = {**contents[2], "risk_table": contents[0]["risk_table"]}
    documents.write_content(tmp_path / "model.json", content)
    with pytest.raises(ValueError, match="risk_table must be null for more than two classes"):
        clausal.load(tmp_path / "model.json")
