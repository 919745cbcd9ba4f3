"""A model file from a stranger: a working model or a ValueError that says why, and no large allocation."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import model_documents as documents
import numpy as np
import pandas as pd
import pytest

import clausal
from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.features import Feature

N_MUTATIONS = 10_000
MOST_BYTES = 20_000_000
MAKERS = (
    documents.small_model,
    documents.model_of_numbers,
    documents.model_of_a_frame,
    documents.model_of_the_paper,
)
BYTES = b'\x00\xff\n 09ae-+."\\{}[],:'


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The content of a file of each kind of model."""
    path = tmp_path_factory.mktemp("models") / "model.json"
    found = []
    for make in MAKERS:
        make().save(path)
        found.append(documents.read_content(path))
    return found


def load_or_reason(path: Path) -> clausal.TsetlinClassifier | str:
    """The model, or what the ValueError says; anything else raised is a failure."""
    try:
        return clausal.load(path)
    except ValueError as error:
        reason = str(error)
        assert reason.strip()
        return reason


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


def table_for(booleanizer: Booleanizer) -> Any:
    """Two rows that the booleanizer must accept."""
    rows = np.empty((2, booleanizer.n_features_in_), dtype=object)
    for index, feature in enumerate(booleanizer.features_):
        rows[:, index] = examples(feature)
    if not hasattr(booleanizer, "feature_names_in_"):
        return rows
    return pd.DataFrame(rows, columns=pd.Index(booleanizer.feature_names_in_, dtype=object), dtype=object)


def use(clf: clausal.TsetlinClassifier, again: Path | None = None) -> None:
    """Everything a loaded model is for; only going on learning may be refused, with a reason."""
    X = table_for(clf.booleanizer_)
    n_classes, model = len(clf.classes_), clf.model_
    votes, shares = clf.votes(X), clf.predict_proba(X)
    assert votes.shape == ((2,) if n_classes == 2 else (2, n_classes))
    assert np.isfinite(votes).all()
    assert shares.shape == (2, n_classes)
    assert ((shares >= 0) & (shares <= 1)).all()
    assert np.allclose(shares.sum(axis=1), 1)
    assert np.isin(clf.predict(X), clf.classes_).all()
    assert clf.transform(X).shape == (2, model.n_banks * model.n_clauses)
    assert len(str(clf.rules_)) > 0
    assert len(clf.get_feature_names_out()) == model.n_banks * model.n_clauses
    if again is not None:
        clf.save(again)
        assert fingerprint(clausal.load(again)) == fingerprint(clf)
    try:
        clf.partial_fit(X, clf.classes_[:2])
    except ValueError as error:
        assert str(error).strip()
    else:
        assert clf.votes(X).shape == votes.shape


def fingerprint(clf: clausal.TsetlinClassifier) -> tuple[object, ...]:
    """Everything a file holds, comparable."""
    model = clf.model_
    numbers = (model.n_states, model.threshold, model.scale, model.seed, model.step, model.epoch, model.row)
    arrays = tuple(array.tobytes() for array in (model.states, model.levels, model.points))
    parameters = {name: str(value) for name, value in clf.get_params(deep=False).items()}
    labels = (clf.classes_.dtype.str, clf.classes_.tolist())
    return (numbers, arrays, parameters, labels, clf.booleanizer_.to_dict(), clf.history_, clf.n_iter_)


# --- a file changed by accident ---


def test_every_change_of_one_byte_is_refused_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    original = documents.small_model()
    original.save(path)
    good, expected = path.read_bytes(), fingerprint(original)
    n_harmless = 0
    for position, byte in enumerate(good):
        for other in {*BYTES, byte ^ 1, byte ^ 0x20, byte ^ 0x80} - {byte}:
            path.write_bytes(good[:position] + bytes([other]) + good[position + 1 :])
            result = load_or_reason(path)
            if not isinstance(result, str):
                n_harmless += 1
                assert fingerprint(result) == expected, (position, other)
    assert 0 < n_harmless < 40  # white space between the first few fields


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    documents.small_model().save(path)
    good = path.read_bytes()
    for length in range(len(good) - 1):  # the last byte is a line break
        path.write_bytes(good[:length])
        assert "not a clausal model file" in str(load_or_reason(path))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a clausal model file"),
        (b"\xff\xfe{}", "utf-8"),
        (b'{"format": "\xc3\x28"}', "utf-8"),
        (b"[]", "does not start with that format's name"),
        (b"null", "does not start with that format's name"),
        (b'{"format": "another"}', "does not start with that format's name"),
        (b'{"format": "clausal model"}', "version must be an integer"),
        (b'{"format": "clausal model", "version": true}', "version must be an integer"),
        (b'{"format": "clausal model", "version": 1}', "with the keys"),
        (b'{"format": "clausal model", "format": "clausal model"}', "twice"),
        (b'{"format": NaN}', "NaN is not a number"),
        (b'{"format": -Infinity}', "-Infinity is not a number"),
        (b'{"format": 1e999}', "1e999 is not finite"),
        (b'{"format": ' + b"9" * 5000 + b"}", "5000 digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_model_file_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=words):
        clausal.load(path)


def test_a_newer_version_is_refused_whatever_else_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text('{"format": "clausal model", "version": 7, "something": "new"}')
    with pytest.raises(ValueError, match=r"version 7 .* up to version 1"):
        clausal.load(path)


# --- a file changed on purpose, its checksum made to fit ---


def test_the_writer_of_these_tests_writes_what_save_writes(tmp_path: Path, contents: list[Any]) -> None:
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    for make, content in zip(MAKERS, contents, strict=True):
        make().save(theirs)
        documents.write_content(ours, content)
        assert ours.read_bytes() == theirs.read_bytes()


def test_unchanged_models_pass_their_own_examination(tmp_path: Path, contents: list[Any]) -> None:
    path = tmp_path / "model.json"
    for content in contents:
        documents.write_content(path, content)
        clf = clausal.load(path)
        use(clf, tmp_path / "again.json")
        assert clf.model_.row == 2  # it went on learning


def test_random_changes_with_the_checksum_recomputed(tmp_path: Path, contents: list[Any]) -> None:
    path, again = tmp_path / "model.json", tmp_path / "again.json"
    random = Random(20)
    n_loaded, reasons = 0, set()
    for number in range(N_MUTATIONS):
        documents.write_content(path, documents.mutated(random.choice(contents), random))
        try:
            result = load_or_reason(path)
            if isinstance(result, str):
                assert len(result) < 2000
                reasons.add(result)
            else:
                n_loaded += 1
                use(result, again if n_loaded % 4 == 0 else None)
        except Exception as error:
            raise AssertionError(f"mutation {number}: {path.read_text()[:3000]}") from error
    assert n_loaded > N_MUTATIONS // 20  # both outcomes were really tried
    assert len(reasons) > 500


def test_no_small_file_makes_reading_allocate_much(tmp_path: Path, contents: list[Any]) -> None:
    path = tmp_path / "model.json"
    random = Random(21)
    tracemalloc.start()
    try:
        for _ in range(500):
            documents.write_content(path, documents.mutated(random.choice(contents), random))
            assert peak_bytes(lambda: load_or_reason(path)) < MOST_BYTES
    finally:
        tracemalloc.stop()


def peak_bytes(call: Callable[[], object]) -> int:
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    call()
    return tracemalloc.get_traced_memory()[1] - before
