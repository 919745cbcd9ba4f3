"""Tests here run for every `kind` of model (its `document` as saved, its `content`) or every `family`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.model_kinds import KINDS, MODEL_FILE, RULES_JSON, Family, ModelKind, document_and_content


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files are written, without waiting for the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    return tmp_path / "model.json"


@pytest.fixture(params=[MODEL_FILE, RULES_JSON], ids=["model file", "rule set"])
def family(request: pytest.FixtureRequest) -> Family:
    found: Family = request.param
    return found


@pytest.fixture(params=list(KINDS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def kind(name: str) -> ModelKind:
    return KINDS[name]


@pytest.fixture
def document(name: str, folder: Path) -> bytes:
    return document_and_content(name, folder)[0]


@pytest.fixture
def content(name: str, folder: Path) -> Any:
    return document_and_content(name, folder)[1]
