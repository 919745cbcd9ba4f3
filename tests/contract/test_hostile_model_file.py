"""A model file from a stranger: a working model or a ValueError that says why, and no large allocation."""

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
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import Feature
from clausal.files.model_file import encode_array
from tests.support import model_documents as documents

N_MUTATIONS = 10_000
MOST_BYTES = 20_000_000
MAKERS = (
    documents.small_model,
    documents.model_of_numbers,
    documents.model_of_a_frame,
    documents.model_of_the_paper,
)
BYTES = b'\x00\xff\n 059aeu-+."\\{}[],:'


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
        return assert_says_why(error)


def assert_says_why(error: ValueError) -> str:
    """What a person reads: what is wrong, in a sentence."""
    reason = str(error)
    assert reason.endswith(".")
    words = ("must", "not a clausal model file", "checksum", "reads up to version", "partial_fit needs")
    assert any(word in reason for word in words)
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


def table_for(encoding: Encoding) -> Any:
    """Two rows that the encoding must accept."""
    rows = np.empty((2, encoding.n_features), dtype=object)
    for index, feature in enumerate(encoding.features):
        rows[:, index] = examples(feature)
    if encoding.names is None:
        return rows
    return pd.DataFrame(rows, columns=pd.Index(encoding.names, dtype=object), dtype=object)


def use(clf: clausal.TsetlinClassifier, again: Path | None = None) -> None:
    """Everything a loaded model is for; only going on learning may be refused, with a reason."""
    X = table_for(clf.encoding_)
    n_classes, model = len(clf.classes_), clf.model_
    votes, shares = clf.votes(X), clf.predict_proba(X)
    assert votes.shape == ((2,) if n_classes == 2 else (2, n_classes))
    assert np.isfinite(votes).all()
    assert shares.shape == (2, n_classes)
    assert ((shares >= 0) & (np.abs(shares.sum(axis=1) - 1) < 1e-9)[:, None]).all()
    assert np.isin(clf.predict(X), clf.classes_).all()
    assert clf.transform(X).shape == (2, model.n_banks * model.n_clauses)
    assert len(str(clf.rules_)) > 0
    assert len(clf.get_feature_names_out()) == model.n_banks * model.n_clauses
    if again is not None:
        clf.save(again)
        assert fingerprint(clausal.load(again)) == fingerprint(clf)
    row = model.row
    try:
        clf.partial_fit(X, clf.classes_[:2])
    except ValueError as error:
        assert_says_why(error)
    else:
        assert clf.model_.row == row + 2


def fingerprint(clf: clausal.TsetlinClassifier) -> tuple[object, ...]:
    """Everything a file holds, comparable."""
    model = clf.model_
    numbers = (model.n_states, model.threshold, model.scale, model.seed, model.step, model.epoch, model.row)
    arrays = tuple(array.tobytes() for array in (model.states, model.levels, model.points))
    parameters = {name: str(value) for name, value in clf.get_params(deep=False).items()}
    labels = (clf.classes_.dtype.str, clf.classes_.tolist())
    return (numbers, arrays, parameters, labels, clf.encoding_.to_dict(), clf.history_, clf.n_iter_)


# --- a file changed by accident ---


def test_every_change_of_one_byte_is_refused_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    original = documents.small_model()
    original.save(path)
    good, expected = path.read_bytes(), fingerprint(original)
    n_harmless = 0
    for position, byte in enumerate(good):
        for other in {*BYTES, byte ^ 1, byte ^ 0x20, byte ^ 0x80} - {byte}:
            documents.write_bytes(path, good[:position] + bytes([other]) + good[position + 1 :])
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
        documents.write_bytes(path, good[:length])
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
        row = clf.model_.row
        use(clf, tmp_path / "again.json")
        assert clf.model_.row == row + 2  # it went on learning


def test_random_changes_with_the_checksum_recomputed(tmp_path: Path, contents: list[Any]) -> None:
    path, again = tmp_path / "model.json", tmp_path / "again.json"
    random = Random(20)
    n_loaded, reasons = 0, set()
    for number in range(N_MUTATIONS):
        (content,) = random.choices(contents, weights=(2, 3, 1, 3))  # frames are slow
        documents.write_content(path, documents.mutated(content, random))
        try:
            result = load_or_reason(path)
            if isinstance(result, str):
                assert len(result) < 1500 or "list names of columns" in result  # quotes a name in full
                reasons.add(result)
            else:
                n_loaded += 1
                use(result, again if n_loaded % 8 == 0 else None)
        except Exception as error:
            raise AssertionError(f"change {number} gives {path.read_text()[:3000]}") from error
    assert n_loaded > N_MUTATIONS // 10  # both outcomes were really tried
    assert len(reasons) > N_MUTATIONS // 10


# --- memory ---


def test_no_random_change_makes_reading_allocate_much(tmp_path: Path, contents: list[Any]) -> None:
    path = tmp_path / "model.json"
    random = Random(21)
    for _ in range(300):
        documents.write_content(path, documents.mutated(random.choice(contents), random))
        assert peak_bytes(lambda: load_or_reason(path)) < MOST_BYTES


def test_the_peak_of_memory_is_seen() -> None:
    assert peak_bytes(lambda: np.zeros(2 * MOST_BYTES, np.uint8)) > MOST_BYTES


def claims_clauses(content: Any) -> None:
    content["model"]["n_clauses"] = 2**24


def claims_banks(content: Any) -> None:
    content["classes"] = {"type": "int64", "values": list(range(100_000))}


def claims_wide_labels(content: Any) -> None:
    labels = sorted([*(str(number) for number in range(2000)), "z" * 50_000])
    content["classes"] = {"type": "str50000", "values": labels}
    content["model"].update(zeros(len(labels), 2, 2))


def claims_columns(content: Any) -> None:
    codes = list(range(5000))
    ranked = {"kind": "ranked", "categories": codes, "cuts": codes, "ordered": True, "nullable": False}
    content["booleanizer"]["features"] = [ranked]


def claims_a_long_array(content: Any) -> None:
    content["model"]["states"] = "A" * 4_000_000


def zeros(n_banks: int, n_clauses: int, n_literals: int) -> dict[str, str]:
    """Arrays of this shape, as a file holds them."""
    weights = encode_array(np.zeros((n_banks, n_clauses), np.int32))
    states = encode_array(np.zeros((n_banks, n_clauses, n_literals), np.uint8))
    return {"states": states, "levels": weights, "points": weights}


@pytest.mark.parametrize(
    "claim", [claims_clauses, claims_banks, claims_wide_labels, claims_columns, claims_a_long_array]
)
def test_a_claim_of_size_is_refused_before_anything_is_allocated(
    tmp_path: Path, contents: list[Any], claim: Callable[[Any], None]
) -> None:
    path = tmp_path / "model.json"
    content = copy.deepcopy(contents[0])
    claim(content)
    documents.write_content(path, content)
    reason: list[Any] = []
    peak = peak_bytes(lambda: reason.append(load_or_reason(path)))
    assert isinstance(reason[0], str), "a model"
    assert peak < MOST_BYTES + 5 * path.stat().st_size


def peak_bytes(call: Callable[[], object]) -> int:
    """The most memory that was in use during a call beyond what was before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
