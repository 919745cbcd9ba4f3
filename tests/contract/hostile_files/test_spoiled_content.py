"""A document changed on purpose, its checksum made to fit: a working model or a ValueError that says why.

Every way of tests/support/spoiled_documents.py, at every value of the document of every kind of model.
"""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from clausal.files.model_file import encode_array
from tests.support.model_kinds import (
    KINDS,
    ModelKind,
    document_and_content,
    read_or_reason,
    rows_for,
    shown_on_failure,
)
from tests.support.spoiled_documents import WAYS, copied, mutated, spoiled

N_RANDOM = 150  # documents of each kind
MOST_BYTES = 20_000_000
EXAMINED = 8  # of so many models read, one is also used, which takes longer than reading it


def test_the_document_of_an_example_is_accepted(
    kind: ModelKind, document: bytes, content: Any, path: Path
) -> None:
    """These tests write what clausal writes, and an unspoiled model passes its examination."""
    assert kind.family.wrap(content) == document
    model = kind.family.read(document, path)
    assert kind.family.write(model, path) == document
    row = model.model_.row if hasattr(model, "model_") else None
    kind.use(model, rows_for(content))
    if row is not None:
        assert model.model_.row == row + 2  # it went on learning


@pytest.mark.parametrize("way", list(WAYS))
def test_every_value_spoiled_in_one_way(kind: ModelKind, content: Any, way: str, path: Path) -> None:
    n_models, reasons = 0, set()
    for keys, spoiled_content in spoiled(content, WAYS[way]):
        data = kind.family.wrap(spoiled_content)
        with shown_on_failure(keys, data):
            result = read_or_reason(kind, data, path)
            if isinstance(result, str):
                assert re.search(WAYS[way].says, result), result
                reasons.add(result)
                continue
            assert not WAYS[way].refused, "a model"
            n_models += 1
            if n_models % EXAMINED == 1:
                kind.use(result, rows_for(spoiled_content))
    assert reasons or way == "another array"  # not every model has one


def test_parts_of_another_model(kind: ModelKind, name: str, content: Any, folder: Path, path: Path) -> None:
    """Each part is in order by itself; together they may contradict each other."""
    n_models, reasons = 0, set()
    for other in [other for other in KINDS if other != name and KINDS[other].family is kind.family]:
        foreign = document_and_content(other, folder)[1]
        for key in content.keys() & foreign.keys() - {"estimator"}:
            mixtures = [{**content, key: foreign[key]}]
            if isinstance(content[key], dict) and isinstance(foreign[key], dict):
                shared = content[key].keys() & foreign[key].keys()
                mixtures += [{**content, key: {**content[key], part: foreign[key][part]}} for part in shared]
            for mixture in mixtures:
                with shown_on_failure((other, key), kind.family.wrap(mixture)):
                    result = read_or_reason(kind, kind.family.wrap(mixture), path)
                    n_models += not isinstance(result, str)
                    if isinstance(result, str):
                        reasons.add(result)
                    elif n_models % EXAMINED == 1:
                        kind.use(result, rows_for(mixture))
    assert reasons


def test_random_changes(kind: ModelKind, name: str, content: Any, path: Path) -> None:
    """One to three at once; what is read is also written and read again, with the same result."""
    random = Random(name)
    n_models, reasons = 0, set()
    for number in range(N_RANDOM):
        changed = mutated(content, random)
        with shown_on_failure(number, kind.family.wrap(changed)):
            result = read_or_reason(kind, kind.family.wrap(changed), path)
            if isinstance(result, str):
                reasons.add(result)
                continue
            n_models += 1
            saved = kind.family.write(result, path)
            assert kind.family.write(kind.family.read(saved, path), path) == saved
            kind.use(result, rows_for(changed))
    assert n_models > N_RANDOM // 20  # both outcomes were really tried
    assert len(reasons) > N_RANDOM // 10


# --- memory ---


def test_no_random_change_makes_reading_allocate_much(
    kind: ModelKind, name: str, content: Any, path: Path
) -> None:
    random = Random(name)
    for _ in range(40):
        data = kind.family.wrap(mutated(content, random))
        with shown_on_failure("too much memory", data):
            assert peak_bytes(lambda data=data: read_or_reason(kind, data, path)) < MOST_BYTES


def test_the_peak_of_memory_is_seen() -> None:
    assert peak_bytes(lambda: np.zeros(2 * MOST_BYTES, np.uint8)) > MOST_BYTES


def parts_called(content: Any, name: str) -> list[Any]:
    """The dictionaries of this name anywhere in a document."""
    own = [content[name]] if isinstance(content.get(name), dict) else []
    return own + [
        part for value in content.values() if isinstance(value, dict) for part in parts_called(value, name)
    ]


def claims_clauses(content: Any) -> None:
    for model in parts_called(content, "model"):
        model["n_clauses"] = 2**24


def claims_banks(content: Any) -> None:
    for classes in parts_called(content, "classes"):
        classes.update(type="int64", values=[*range(20_000), 0])


def claims_wide_labels(content: Any) -> None:
    labels = sorted([*(str(number) for number in range(2000)), "z" * 50_000])
    for classes in parts_called(content, "classes"):
        classes.update(type="str50000", values=labels)
    for model in parts_called(content, "model"):
        model.update(zeros(len(labels), 2, 2))


def claims_columns(content: Any) -> None:
    codes = list(range(5000))
    ranked = {"kind": "ranked", "categories": codes, "cuts": codes, "ordered": True, "nullable": False}
    for encoding in parts_called(content, "booleanizer"):
        encoding["features"] = [ranked]


def claims_a_long_array(content: Any) -> None:
    for model in parts_called(content, "model"):
        model["states"] = "A" * 4_000_000


def zeros(n_banks: int, n_clauses: int, n_literals: int) -> dict[str, str]:
    """Arrays of this shape, as a file holds them."""
    weights = encode_array(np.zeros((n_banks, n_clauses), np.int32))
    states = encode_array(np.zeros((n_banks, n_clauses, n_literals), np.uint8))
    return {"states": states, "levels": weights, "points": weights}


@pytest.mark.parametrize(
    "claim", [claims_clauses, claims_banks, claims_wide_labels, claims_columns, claims_a_long_array]
)
def test_a_claim_of_size_is_refused_before_anything_is_allocated(
    kind: ModelKind, content: Any, claim: Callable[[Any], None], path: Path
) -> None:
    claimed = copied(content)
    claim(claimed)
    if claimed == content:  # it has no such part
        return
    data, results = kind.family.wrap(claimed), []
    peak = peak_bytes(lambda: results.append(read_or_reason(kind, data, path)))
    assert isinstance(results[0], str), "a model"
    assert peak < MOST_BYTES + 5 * len(data)


def peak_bytes(call: Callable[[], object]) -> int:
    """The most memory that was in use during a call beyond what was before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
