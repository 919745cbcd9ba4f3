"""A document damaged by accident, or of something else: refused, or read as if nothing had happened."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from clausal import RuleSet
from tests.support.model_kinds import (
    KINDS,
    MODEL_FILE,
    RULES_JSON,
    Family,
    ModelKind,
    document_and_content,
    read_or_reason,
    shown_on_failure,
)
from tests.support.spoiled_documents import AGAIN

BYTES = b'\x00\xff\n 059aeu-+."\\{}[],:'
THOROUGH = ("machine, two classes", "rules, two classes")  # every byte is tried with all of BYTES


def test_every_change_of_one_byte(kind: ModelKind, name: str, document: bytes, path: Path) -> None:
    """A checksum finds every change but that of white space; without one, a change may give another model."""
    random, n_read = Random(name), 0
    thorough = name in THOROUGH
    for position in range(0, len(document), 1 if thorough or len(document) < 1240 else 3):
        byte = document[position]
        others = {*BYTES, byte ^ 1, byte ^ 0x20, byte ^ 0x80} if thorough else random.sample(BYTES, 1)
        for other in {*others, byte ^ 1 << random.randrange(8)} - {byte}:
            damaged = document[:position] + bytes([other]) + document[position + 1 :]
            with shown_on_failure((position, other), damaged):
                result = read_or_reason(kind, damaged, path)
                if not isinstance(result, str):
                    n_read += 1
                    same = kind.family.has_checksum and kind.family.write(result, path) == document
                    assert same or not kind.family.has_checksum
    assert n_read < 40 or not kind.family.has_checksum  # white space between the first few fields
    assert n_read > 0 or not thorough


def test_every_truncation_is_refused(kind: ModelKind, document: bytes, path: Path) -> None:
    whole = document.rstrip()  # the last byte may be a line break
    for length in range(0, len(whole), 1 if len(whole) < 1240 else 3):
        assert f"is not a {kind.family.title}" in read_or_reason(kind, whole[:length], path)


def test_what_stands_after_the_document_is_refused(kind: ModelKind, document: bytes, path: Path) -> None:
    for more in (b"{}", b"\0", b"x", document):
        assert f"is not a {kind.family.title}, or is damaged" in read_or_reason(kind, document + more, path)


# --- the fields around the content ---

HEADS: list[tuple[str, Any, str]] = [
    ("format", "another", "is not a clausal"),
    ("format", None, "is not a clausal"),
    ("format", ["clausal model"], "is not a clausal"),
    ("version", None, "version must be an integer from 1 to .* Got None."),
    ("version", True, "version must be an integer"),
    ("version", 1.0, "version must be an integer"),
    ("version", "1", "version must be an integer"),
    ("version", 0, "version must be an integer from 1"),
    ("version", 2**31 + 1, "version must be an integer from 1 to 2147483648. Got 2147483649."),
    ("version", 7, "version 7.* reads up to version 1. Install a newer clausal."),
    ("sha256", None, "sha256 must be a string. Got None."),
    ("sha256", "", "damaged or was altered: its checksum does not match"),
    ("sha256", "0" * 64, "damaged or was altered: its checksum does not match"),
    ("unexpected", 1, "must be a dictionary with the keys .* Got extra 'unexpected'."),
    ("format" + AGAIN, "another", "a key is repeated"),
    ("version" + AGAIN, 1, "a key is repeated"),
]


def head_cases() -> list[Any]:
    """Each family with the fields that it has."""
    return [
        pytest.param(family, *case, id=f"{family.format}, {case[0]}, {case[1]}")
        for family in (MODEL_FILE, RULES_JSON)
        for case in HEADS
        if case[0] != "sha256" or family.has_checksum
    ]


@pytest.mark.parametrize(("family", "field", "value", "words"), head_cases())
def test_a_wrong_field_around_the_content(
    family: Family, path: Path, folder: Path, field: str, value: Any, words: str
) -> None:
    name = next(name for name, kind in KINDS.items() if kind.family is family)
    content = document_and_content(name, folder)[1]
    with pytest.raises(ValueError, match=words):
        family.read(family.wrap(content, **{field: value}), path)


def test_each_field_around_the_content_is_needed(kind: ModelKind, document: bytes, path: Path) -> None:
    for field in json.loads(document):
        others = {key: value for key, value in json.loads(document).items() if key != field}
        reason = read_or_reason(kind, json.dumps(others).encode(), path)
        words = {"format": kind.family.other_format, "version": "version must be an integer"}
        assert words.get(field, f"Got no '{field}'") in reason


def test_a_checksum_in_capital_letters_is_another(kind: ModelKind, document: bytes, path: Path) -> None:
    if kind.family.has_checksum:
        digest = json.loads(document)["sha256"]
        reason = read_or_reason(kind, document.replace(digest.encode(), digest.upper().encode()), path)
        assert "checksum does not match" in reason


def test_a_newer_version_is_refused_whatever_else_it_holds(family: Family, path: Path) -> None:
    newer = json.dumps({"format": family.format, "version": 7, "something": "new"}).encode()
    with pytest.raises(ValueError, match=r"version 7.* up to version 1"):
        family.read(newer, path)


def test_the_document_of_another_family_is_refused(family: Family, folder: Path, path: Path) -> None:
    for name, kind in KINDS.items():
        if kind.family is not family:
            with pytest.raises(ValueError, match=f"is not a {family.title}"):
                family.read(document_and_content(name, folder)[0], path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not a TITLE, or is damaged"),
        (b"[]", "is not a TITLE: OTHER"),
        (b"null", "is not a TITLE: OTHER"),
        (b"3", "is not a TITLE: OTHER"),
        (b'{"format": "another"}', "is not a TITLE: OTHER"),
        (b'{"format": "FORMAT"}', "version must be an integer"),
        (b'{"format": "FORMAT", "version": true}', "version must be an integer"),
        (b'{"format": "FORMAT", "version": 1}', "with the keys"),
        (b'{"format": "FORMAT", "format": "FORMAT"}', "repeated"),
        (b'{"format": NaN}', "NaN is not a number"),
        (b'{"format": -Infinity}', "-Infinity is not a number"),
        (b'{"format": 1e999}', "1e999 is not finite"),
        (b'{"format": ' + b"9" * 5000 + b"}", "5000 digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'{"format":' * 100_000, "nested too deeply"),
    ],
    ids=lambda case: case[:40],
)
def test_what_is_no_document_of_a_model(family: Family, path: Path, data: bytes, words: str) -> None:
    with pytest.raises(
        ValueError, match=words.replace("TITLE", family.title).replace("OTHER", family.other_format)
    ):
        family.read(data.replace(b"FORMAT", family.format.encode()), path)


@pytest.mark.parametrize("data", [b"\xff\xfe{}", b'{"format": "\xc3\x28"}'])
def test_a_model_file_must_be_utf8(path: Path, data: bytes) -> None:
    with pytest.raises(ValueError, match="utf-8"):
        MODEL_FILE.read(data, path)


def test_a_rule_set_must_be_text() -> None:
    with pytest.raises(ValueError, match="must be a string. Got None."):
        RuleSet.from_json(None)  # type: ignore[arg-type]
