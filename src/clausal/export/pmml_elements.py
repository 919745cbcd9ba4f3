"""Elements of PMML: empty models, conditions on features, and expressions that outputs are computed by.

Not here: which of them a model needs (pmml.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from clausal.encoding.columns import Category
from clausal.export.document import ColumnRecord, FeatureRecord

LABEL_TYPES = {str: "string", bool: "boolean", int: "integer", float: "double"}


def value_text(value: Any) -> str:
    """A value as PMML reads it back."""
    if isinstance(value, str):
        return value
    return repr(int(value) if isinstance(value, bool) else value)


# --- models ---


def new_scorecard(parent: ET.Element, attributes: dict[str, str]) -> ET.Element:
    """A Scorecard."""
    named = {"modelName": "rules", "functionName": "regression", **attributes}
    return ET.SubElement(parent, "Scorecard", named)


def new_segment(parent: ET.Element) -> ET.Element:
    """The next part of a chain."""
    segment = ET.SubElement(parent, "Segment", {"id": str(len(parent) + 1)})
    ET.SubElement(segment, "True")
    return segment


# --- conditions ---


def predicate(feature: FeatureRecord, name: str, column: ColumnRecord, negated: bool) -> ET.Element:
    """Whether a column of a feature, or its negation, holds; true or not, whatever the value."""
    holds = _simple(name, "isMissing") if feature.if_missing_holds(column, negated) else None
    if column.kind == "missing" and not feature.categories:
        known = _simple(name, "isNotMissing") if negated else None
    elif feature.categories:
        known = _categories(feature, name, column, negated)
    elif column.kind == "true":
        known = _simple(name, "notEqual" if negated else "equal", 1.0)
    elif column.kind == "equal":
        known = _simple(name, "notEqual" if negated else "equal", column.value)
    else:
        known = _simple(name, "greaterThan" if negated else "lessOrEqual", column.value)
        apart = [_simple(name, "equal" if negated else "notEqual", value) for value in feature.special]
        known = compound("or" if negated else "and", [known, *apart])
    found = [test for test in (holds, known) if test is not None]
    return compound("or", found) if found else ET.Element("False")


def _categories(feature: FeatureRecord, name: str, column: ColumnRecord, negated: bool) -> ET.Element | None:
    """Which categories satisfy a condition; None for none of them."""
    own = feature.matching(column, negated)
    if not feature.if_unknown_holds(column, negated):
        tests = [_simple(name, "equal", category) for category in own]
        return compound("or", tests) if tests else None
    others = [category for category in feature.categories if category not in own]
    tests = [_simple(name, "notEqual", category) for category in others]
    return compound("and", tests) if tests else _simple(name, "isNotMissing")


def _simple(name: str, operator: str, value: Category | None = None) -> ET.Element:
    attributes = {"field": name, "operator": operator}
    return ET.Element(
        "SimplePredicate", attributes if value is None else attributes | {"value": value_text(value)}
    )


def compound(operator: str, tests: Iterable[ET.Element]) -> ET.Element:
    """All of some conditions, or one of them."""
    listed = list(tests)
    if len(listed) == 1:
        return listed[0]
    element = ET.Element("CompoundPredicate", {"booleanOperator": operator})
    element.extend(listed)
    return element


# --- expressions ---


def call(function: str, *arguments: ET.Element | float) -> ET.Element:
    """A function of expressions and numbers."""
    element = ET.Element("Apply", {"function": function})
    element.extend(each if isinstance(each, ET.Element) else constant(each) for each in arguments)
    return element


def total(terms: Sequence[ET.Element]) -> ET.Element:
    """The sum of expressions."""
    first, *rest = terms
    for term in rest:
        first = call("+", first, term)
    return first


def field(name: str) -> ET.Element:
    """The value of a field."""
    return ET.Element("FieldRef", {"field": name})


def constant(value: Any) -> ET.Element:
    """A number, text or boolean."""
    element = ET.Element("Constant", {"dataType": LABEL_TYPES[type(value)]})
    element.text = str(value).lower() if isinstance(value, bool) else repr(value)
    return element
