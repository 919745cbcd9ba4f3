"""The document around a model: arrays as text, the checksum, the version, and what JSON may not hold."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clausal import TsetlinClassifier
from clausal.files.model_file import (
    FORMAT,
    VERSION,
    decode_array,
    encode_array,
    read_document,
    write_document,
)
from tests.support import model_documents as documents
from tests.support.spoiled_documents import key_paths

CONTENT = {"b": [1, 2.5, None, True, "é\ud800"], "a": {"z": -0.0, "y": 10**300}}


def test_content_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "document"
    write_document(path, CONTENT)
    read: Any = read_document(path)
    assert read == CONTENT
    assert str(read["a"]["z"]) == "-0.0"


def test_the_file_is_what_the_documentation_says(tmp_path: Path) -> None:
    path = tmp_path / "document"
    write_document(path, CONTENT)
    data = path.read_bytes()
    assert data.isascii()
    document = json.loads(data)
    assert list(document) == ["format", "version", "sha256", "content"]
    assert (document["format"], document["version"]) == (FORMAT, VERSION) == ("clausal model", 1)
    text = json.dumps(document["content"], sort_keys=True, separators=(",", ":"))
    assert document["sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_spaces_and_the_order_of_keys_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "document"
    write_document(path, CONTENT)
    document = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(document.items())), indent=4))
    assert read_document(path) == CONTENT


def test_other_content_under_the_same_checksum_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "document"
    write_document(path, CONTENT)
    path.write_text(path.read_text().replace("2.5", "2.6"))
    with pytest.raises(ValueError, match="checksum does not match"):
        read_document(path)


def test_content_that_json_cannot_hold_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_document(tmp_path / "document", {"a": float("nan")})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("levels", "accepted"), [(15, True), (16, False), (900, False), (5000, False)])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_is_bounded(tmp_path: Path, brackets: str, levels: int, accepted: bool) -> None:
    opening, closing = ("[", "]") if brackets == "[]" else ('{"a":', "}")
    text = opening * levels + "1" + closing * levels
    head = {"format": FORMAT, "version": VERSION, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path = tmp_path / "document"
    path.write_text(json.dumps(head)[:-1] + ', "content": ' + text + "}")
    if accepted:
        read_document(path)
        return
    with pytest.raises(ValueError, match="nested too deeply"):
        read_document(path)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("NaN", "NaN is not a number"),
        ("Infinity", "Infinity is not a number"),
        ("1e999", "1e999 is not finite"),
        ("-1e999", "-1e999 is not finite"),
        ("1" * 311, "has 311 digits, more than 310"),
        ("1" * 5000, "has 5000 digits, more than 310"),
    ],
)
def test_numbers_that_no_model_has_are_refused(tmp_path: Path, number: str, words: str) -> None:
    path = tmp_path / "document"
    path.write_text(f'{{"format": {number}}}')
    with pytest.raises(ValueError, match=words):
        read_document(path)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint64])
def test_arrays_are_kept(dtype: Any) -> None:
    limits = np.iinfo(dtype)
    array = np.array([[limits.min, limits.max, 1], [2, 3, 4]], dtype)
    for version in (array, np.asfortranarray(array), array.astype(array.dtype.newbyteorder(">"))):
        read = decode_array(encode_array(version), "here", dtype, (2, 3))
        assert read.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(read, array)


def test_arrays_are_little_endian_row_by_row() -> None:
    array = np.array([[1, 2], [-1, 256]], np.int32)
    raw = base64.b64decode(encode_array(array))
    assert raw == b"\1\0\0\0" + b"\2\0\0\0" + b"\xff\xff\xff\xff" + b"\0\1\0\0"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "here must be a string. Got None."),
        ("", "here must be base64 of 4 bytes, for shape .4,.. Got '0 characters'."),
        ("AAAA", "Got '4 characters'"),
        ("A" * 4000, "Got '4000 characters'"),
        ("AAAAAA=!", "here must be base64. Got 'AAAAAA=!'"),
        ("AAAAAA\ud800=", "here must be base64"),
        ("AAAAAAA=", "here must be base64 of 4 bytes. Got '5 bytes'."),
        ("AAAAAAAA", "here must be base64 of 4 bytes. Got '6 bytes'."),
    ],
)
def test_a_text_of_another_length_is_no_array(data: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        decode_array(data, "here", np.uint8, (4,))


def test_a_huge_shape_is_refused_by_the_length_of_its_text_alone() -> None:
    with pytest.raises(ValueError, match=f"base64 of {2**200} bytes"):
        decode_array("AAAA", "here", np.uint8, (2**100, 2**100))


@pytest.mark.parametrize("make", [documents.model_of_numbers, documents.model_of_a_frame])
def test_the_documented_snippet_reads_a_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[], TsetlinClassifier]
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    clf = make()
    clf.save("model.json")
    found: dict[str, Any] = {}
    exec(snippet, found)
    model = clf.model_
    assert list(found["states"]) == model.states.ravel().tolist()
    assert list(found["levels"]) == model.levels.ravel().tolist()
    assert list(found["points"]) == model.points.ravel().tolist()
    assert found["clauses"] == [
        (bank, model.polarity[j] * model.weights[bank, j], np.flatnonzero(model.include[bank, j]).tolist())
        for bank in range(model.n_banks)
        for j in range(model.n_clauses)
    ]


def test_the_documentation_names_every_field(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    for make in (documents.model_of_numbers, documents.model_of_a_frame, documents.model_of_the_paper):
        content = documents.saved_content(make(), tmp_path)
        content["history"] = content["parameters"]["monotonic_cst"] = None  # their keys are free
        fields = {key for place in key_paths(content) for key in place if isinstance(key, str)}
        assert [field for field in sorted(fields) if f"`{field}`" not in text] == []


def test_a_file_that_cannot_be_written_is_named_as_the_user_has_named_it(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "m.json"
    with pytest.raises(FileNotFoundError) as caught:
        write_document(path, {})
    assert caught.value.filename == str(path)
