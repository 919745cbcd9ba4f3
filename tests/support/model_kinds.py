"""Every kind of model that is stored: how it is made, written, read back and used, for tests of all of them.

A new kind of model is one entry of `KINDS`; a new kind of document also needs a `Family`.
Not here: the makers (model_documents.py) and the ways to spoil a document (spoiled_documents.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import clausal
from clausal import RuleClassifier, RuleRegressor, RuleSet, TsetlinClassifier, TsetlinRegressor
from tests.support import model_documents as documents
from tests.support.spoiled_documents import written


@dataclass(frozen=True)
class Family:
    """How models that share a layout of document are written, read and used.

    `wrap` puts format, version and a checksum that fits around any content; `head` names these fields.
    """

    title: str  # what error messages call a document
    format: str
    other_format: str  # what they say if the format is another
    head: tuple[str, ...]
    write: Callable[[Any, Path], bytes]
    wrap: Callable[..., bytes]
    read: Callable[[bytes, Path], Any]

    @property
    def has_checksum(self) -> bool:
        return "sha256" in self.head


@dataclass(frozen=True)
class ModelKind:
    """A kind of model: its family, a small example, and `use(model, rows)`, which tries its functions."""

    family: Family
    make: Callable[[], Any]
    use: Callable[[Any, Any], None]


def assert_says_why(error: ValueError) -> str:
    """Check an error message: what is wrong, the constraint and the value."""
    reason = str(error)
    assert reason.endswith((".", "?")), reason  # some end with "Did you mean ...?"
    phrases = ("is not a clausal", "checksum does not match", "reads up to version", "partial_fit needs")
    named = re.search(r" must\b.* Got .*", reason, re.DOTALL)
    assert named or any(words in reason for words in phrases), reason
    return reason


def read_or_reason(kind: ModelKind, data: bytes, path: Path) -> Any:
    """The model, or the message of the ValueError; any other error is a failure."""
    try:
        return kind.family.read(data, path)
    except ValueError as error:
        reason = assert_says_why(error)
        assert len(reason) < 1500 or "list names of columns" in reason  # quotes a name in full
        return reason


@contextmanager
def shown_on_failure(what: object, data: bytes) -> Iterator[None]:
    """Show which of many documents made a test fail."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what}: {data[:5000].decode('latin-1')}") from error


@cache
def document_and_content(name: str, folder: Path) -> tuple[bytes, Any]:
    """The saved document of the example of a kind, and its content; do not change them."""
    kind = KINDS[name]
    data = kind.family.write(kind.make(), folder / "made.json")
    document = json.loads(data)
    if "content" in document:
        return data, document["content"]
    return data, {key: value for key, value in document.items() if key not in kind.family.head}


# --- rows ---


def rows_for(content: Any) -> Any:
    """Two rows that a model of this content must accept, by what the document says of its features."""
    encoding = content.get("booleanizer") or content["rules"]["booleanizer"]
    if "patch_shape" in encoding:
        return np.zeros((2, *encoding["shape"]), bool)
    rows = np.empty((2, len(encoding["features"])), dtype=object)
    for index, feature in enumerate(encoding["features"]):
        rows[:, index] = _known_values(feature)
    if encoding["feature_names"] is None:
        return rows
    return pd.DataFrame(rows, columns=pd.Index(encoding["feature_names"], dtype=object), dtype=object)


def _known_values(feature: dict[str, Any]) -> list[Any]:
    match feature["kind"]:
        case "numeric":
            return [float([*feature["cuts"], 0.0][0]), None if feature["nullable"] else 0.0]
        case "boolean":
            return [True, False]
        case "empty":
            return [None, None]
    known = [item if isinstance(item, str) else float(item) for item in feature["categories"]]
    return [known[0], None if feature["nullable"] else known[-1]]


# --- use of models ---


def use_machine(clf: TsetlinClassifier, X: Any) -> None:
    """Predict, describe, continue training; only the last may raise an error, with a reason."""
    model, n_classes = clf.model_, len(clf.classes_)
    votes = clf.votes(X)
    assert votes.shape == ((2,) if n_classes == 2 else (2, n_classes))
    assert np.isfinite(votes).all()
    _assert_predicts(clf, X)
    n_clauses = len(model.states) * model.n_clauses
    assert clf.transform(X).shape == (2, n_clauses)
    assert len(clf.get_feature_names_out()) == n_clauses
    row = model.row
    try:
        clf.partial_fit(X, clf.classes_[:2])
    except ValueError as error:
        assert_says_why(error)
    else:
        assert clf.model_.row == row + 2


def use_machine_of_a_number(reg: TsetlinRegressor, X: Any) -> None:
    """Predict within the range, describe, continue training; only the last may raise, with a reason."""
    numbers = reg._outcome.numbers
    found = reg.predict(X)
    assert ((found >= numbers["low"]) & (found <= numbers["high"])).all()
    assert np.array_equal(reg.votes(X), reg.rules_.votes(X))
    assert len(str(reg.rules_)) > 0
    row = reg.model_.row
    try:
        reg.partial_fit(X, [numbers["low"], numbers["high"]])
    except ValueError as error:
        assert_says_why(error)
    else:
        assert reg.model_.row == row + 2


def use_scorecard(clf: RuleClassifier, X: Any) -> None:
    """Predict, describe, show the compaction path, the risk table, the stability and the alternatives."""
    _assert_predicts(clf, X)
    assert np.isfinite(clf.decision_function(X)).all()
    assert len(repr(clf.path_)) > 0
    assert len(clf.path_.to_frame("pyarrow")) == len(clf.path_.searches) * len(clf.path_.n_literals)
    if len(clf.classes_) == 2:
        table = clf.risk_table_
        assert len(str(table).splitlines()) == len(table.to_frame("pyarrow")) + 1
        if table.errors is not None:
            intervals = clf.predict_risk_interval(X)
            assert ((intervals >= 0) & (intervals <= 1)).all()
    if clf.stability_ is not None:
        assert len(str(clf.stability_).splitlines()) == len(clf.stability_.to_frame("pyarrow")) + 3
    for other in clf.alternatives_:
        assert np.isin(other.rules.predict(X), clf.classes_).all()
        assert len(repr(other)) > 0
    assert abs(clf.feature_importances_.sum() - (len(clf.rules_) > 0)) < 1e-9


def use_owned_card(card: Any, X: Any) -> None:
    """Predict, tell the constraints, and lift them all; only an edit against one may raise an error."""
    if card.rules_.outcome.is_numeric:
        assert np.isfinite(card.predict(X)).all()
    else:
        _assert_predicts(card, X)
    edit = card.edit()
    for name in card.constraints_.keys() - {"factor"}:
        edit = edit.lift(name)
    assert edit.after.constraints_ == {}
    try:
        card.edit().add_rule("always" if not len(card.rules_) else str(card.rules_[0]), 1)
    except ValueError as error:
        assert_says_why(error)


def use_number_card(reg: RuleRegressor, X: Any) -> None:
    """Predict, explain, show the compaction path and the stability."""
    assert np.isfinite(reg.predict(X)).all()
    assert (np.diff(reg.predict_interval(X), axis=1) >= 0).all()
    assert len(reg.explain(X, target=1.5)) == 2
    assert len(reg.path_.to_frame("pyarrow")) == len(reg.path_.searches) * len(reg.path_.n_literals)
    assert len(str(reg.stability_).splitlines()) == len(reg.stability_.to_frame("pyarrow")) + 3
    assert abs(reg.feature_importances_.sum() - (len(reg.rules_) > 0)) < 1e-9


def _assert_predicts(clf: Any, X: Any) -> None:
    shares = clf.predict_proba(X)
    assert shares.shape == (2, len(clf.classes_))
    assert ((shares >= 0) & (np.abs(shares.sum(axis=1) - 1) < 1e-9)[:, None]).all()
    assert np.isin(clf.predict(X), clf.classes_).all()
    assert len(str(clf.rules_)) > 0


def use_rules(rules: RuleSet, X: Any) -> None:
    """Vote, describe, compare."""
    assert len(str(rules)) > 0
    assert "<table>" in rules._repr_html_() or "(no rules)" in rules._repr_html_()
    assert rules.to_markdown().endswith("\n")
    assert not rules.diff(rules)
    is_table = isinstance(X, pd.DataFrame) or X.dtype == object
    bits = np.zeros((2, len(rules.columns)), np.uint8) if is_table else rules.bits(X)
    votes = rules.votes_of(rules.fires_on(bits))
    assert np.isfinite(votes).all()
    assert rules.decide(votes).max() < len(rules.classes)
    assert np.isin(rules.predict(X), rules.classes).all()


# --- families ---


def _saved(model: Any, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


def _loaded(data: bytes, path: Path) -> Any:
    documents.write_bytes(path, data)
    return clausal.load(path)


def _json_of_rules(content: Any, **head: object) -> bytes:
    start = {"format": "clausal rules", "version": 1, **head}
    return written({**start, **content} if isinstance(content, dict) else content).encode("ascii")


MODEL_FILE = Family(
    title="clausal model file",
    format="clausal model",
    other_format="its 'format' must be 'clausal model'",
    head=("format", "version", "sha256", "content"),
    write=_saved,
    wrap=documents.document_of,
    read=_loaded,
)
RULES_JSON = Family(
    title="clausal rule set",
    format="clausal rules",
    other_format="its 'format' must be 'clausal rules'",
    head=("format", "version"),
    write=lambda rules, path: rules.to_json().encode("ascii"),
    wrap=_json_of_rules,
    read=lambda data, path: RuleSet.from_json(data.decode("latin-1")),
)


def _machine(make: Callable[[], TsetlinClassifier]) -> ModelKind:
    return ModelKind(MODEL_FILE, make, use_machine)


def _scorecard(make: Callable[[], RuleClassifier]) -> ModelKind:
    return ModelKind(MODEL_FILE, make, use_scorecard)


def _rules(make: Callable[[], RuleSet]) -> ModelKind:
    return ModelKind(RULES_JSON, make, use_rules)


KINDS = {
    "machine, two classes": _machine(documents.small_model),
    "machine, three classes": _machine(documents.model_of_three_classes),
    "machine, shared clauses": _machine(documents.model_of_shared_clauses),
    "machine, real weights": _machine(documents.model_of_numbers),
    "machine, all features": _machine(documents.model_of_a_frame),
    "machine, no weights": _machine(documents.model_of_the_paper),
    "machine, images": _machine(documents.model_of_images),
    "machine, a number": ModelKind(MODEL_FILE, documents.model_of_a_number, use_machine_of_a_number),
    "scorecard, two classes": _scorecard(documents.small_scorecard),
    "scorecard, three classes": _scorecard(documents.scorecard_of_three_classes),
    "scorecard, all features": _scorecard(documents.scorecard_of_a_frame),
    "scorecard, alternatives": _scorecard(documents.scorecard_with_alternatives),
    "scorecard, numbers": ModelKind(MODEL_FILE, documents.scorecard_of_numbers, use_number_card),
    "scorecard, owned": ModelKind(MODEL_FILE, documents.owned_scorecard, use_owned_card),
    "rules, two classes": _rules(documents.rules_with_a_constant),
    "rules, real points": _rules(lambda: documents.model_of_numbers().rules_),
    "rules, no weights": _rules(lambda: documents.model_of_the_paper().rules_),
    "rules, sequences": _rules(lambda: documents.model_of_sequences().rules_),
}
