"""PMML: its bins and reason codes, read back from the XML, are those of the model and of `reasons`.

Not here: an engine of PMML that scores it (tests/support/many_exports.py).
"""

from __future__ import annotations

import warnings
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from clausal import Scorecard
from tests.support.lending import card, loans

X, y = loans(60)
UNSEEN = X.assign(state=X["state"].replace("east", "abroad"))
SPACE = "{http://www.dmg.org/PMML-4_4}"


def holds(condition: ET.Element, row: dict[str, Any]) -> bool:
    """Whether a condition holds for a row, None where a value is missing."""
    name = condition.tag.removeprefix(SPACE)
    if name == "True":
        return True
    if name == "False":
        return False
    if name == "CompoundPredicate":
        every = {"and": all, "or": any}[condition.attrib["booleanOperator"]]
        return every(holds(part, row) for part in condition)
    value, given = row[condition.attrib["field"]], condition.attrib.get("value")
    operator = condition.attrib["operator"]
    if operator in ("isMissing", "isNotMissing"):
        return (value is None) == (operator == "isMissing")
    if value is None:
        return False
    other = given if isinstance(value, str) else float(given or "nan")
    return bool(
        {"equal": value == other, "notEqual": value != other}[operator]
        if operator in ("equal", "notEqual")
        else {"lessOrEqual": value <= other, "greaterThan": value > other}[operator]
    )


def scored(scorecard: ET.Element, row: dict[str, Any]) -> tuple[float, list[tuple[float, str]]]:
    """The score of a row, and what each Characteristic lost, with its reason code."""
    total, lost = float(scorecard.attrib["initialScore"]), []
    sign = -1 if scorecard.attrib.get("reasonCodeAlgorithm") == "pointsAbove" else 1
    for characteristic in scorecard.iterfind(f".//{SPACE}Characteristic"):
        own = next(a for a in characteristic if holds(a[0], row))
        points = float(own.attrib["partialScore"])
        total += points
        if "baselineScore" in characteristic.attrib:
            less = sign * (float(characteristic.attrib["baselineScore"]) - points)
            lost.append((less, own.attrib["reasonCode"]))
    return total, [pair for pair in lost if pair[0] > 0]


def plain(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{k: int(v) if isinstance(v, bool) else v for k, v in row.items()} for row in rows]


CASES = [
    (card(), "bad", None),
    (card(), "good", None),
    (card(True).scaled(positive=False), "good", None),
    (card().scaled(), "good", X[:20]),
    (card(), "bad", X),
]


@pytest.mark.parametrize(("model", "target", "reference"), CASES)
def test_reason_codes_are_those_of_reasons(model: Scorecard, target: str, reference: Any) -> None:
    root = ET.fromstring(model.export("pmml", target=target, reference=reference))
    scorecard = list(root.iterfind(f".//{SPACE}Scorecard"))[-1]
    means = {"baseline": "mean", "reference": reference} if reference is not None else {}
    for table in (X, UNSEEN):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = model.reasons(table, target=target, n=50, **means)
            votes = model.votes(table)
        for row, found, vote in zip(plain(table), expected, votes, strict=True):
            total, lost = scored(scorecard, row)
            assert total == vote
            assert sorted(lost) == sorted((each.lost, each.condition) for each in found.lost)


def test_an_override_is_a_scorecard_of_its_own() -> None:
    root = ET.fromstring(card(True).export("pmml"))
    first, last = root.iterfind(f".//{SPACE}Scorecard")
    table = X.assign(age=np.where(X.index % 2, 19, 25), income=np.where(X.index % 3, 10.0, 30.0))
    numbers = [scored(first, row)[0] for row in plain(table)]
    assert numbers == ((table["age"] == 19) & (table["income"] == 10)).astype(float).tolist()
    assert 0 < sum(numbers) < len(numbers)
    assert [f.attrib["name"] for f in last.iterfind(f".//{SPACE}OutputField")][-3:] == [
        "decided",
        "prediction",
        "probability",
    ]


def test_missing_values_are_an_attribute_of_their_own() -> None:
    root = ET.fromstring(card().export("pmml"))
    codes = [a.attrib.get("reasonCode") for a in root.iterfind(f".//{SPACE}Attribute")]

    assert "income is missing" in codes
    assert "state not seen in training" in codes


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match="The 'target' parameter of export must be one of the classes"):
        card().export("pmml", target="ugly")
    with pytest.raises(ValueError, match="must be at least 1. Got 0"):
        card().export("pmml", reference=X[:0])
    with pytest.raises(TypeError, match="takes target, reference. Got 'name'"):
        card().export("pmml", name="x")
