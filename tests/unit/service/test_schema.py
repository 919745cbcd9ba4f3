"""The description of a row: every kind of feature under every policy, and an example that is accepted."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="LEFT OUT: no fastapi")
from clausal.service.schema import model_schemas
from clausal.service.scoring import RowScorer
from tests.support.every_condition import POLICIES, every_condition


@pytest.mark.parametrize(("unknown", "missing"), POLICIES)
def test_types_follow_the_policies(unknown: str, missing: str) -> None:
    rules = every_condition(2, unknown, missing).rules_
    row = model_schemas(rules)["Row"]
    kinds = row["properties"]
    assert kinds["nullable number"]["type"] == ["number", "null"]
    assert kinds["number"]["type"] == ("number" if missing == "error" else ["number", "null"])
    assert kinds["nullable yes"]["type"] == ["boolean", "null"]
    if unknown == "error":
        assert kinds["nullable text"]["enum"] == ["a", "c", None]
    else:
        assert kinds["nullable text"]["examples"] == ["a", "c"]
    if "error" in (unknown, missing if unknown == "missing" else ""):  # missing, and so refused
        assert set(kinds["code"]["enum"]) - {None} == {-1, 0, 2, 7}
    else:
        assert kinds["code"]["examples"] == [-1, 0, 2, 7]
    assert len(RowScorer(rules, None).predict([row["example"]])) == 1
