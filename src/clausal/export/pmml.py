"""A model of two classes as a PMML Scorecard with reason codes.

Each rule is a Characteristic: its points if it holds, else 0. Reason codes name the rules that lose the most
points against the best that each can give. Conditions say themselves what becomes of missing and unknown
values, so that no setting of the engine matters. Here too: `check_pmml`, which runs the rows of the file's
ModelVerification in a PMML engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from clausal.encoding.columns import Category
from clausal.export.document import Calibration, ColumnRecord, FeatureRecord, RuleDocument, is_xml_text
from clausal.export.self_test import Expected
from clausal.untrusted import short_repr

OUTPUTS = ("vote", "prediction", "probability", "reason_1", "reason_2", "reason_3")
_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_N_REASONS = 3
_LABEL_TYPES = {str: "string", bool: "boolean", int: "integer", float: "double"}


def to_pmml(document: RuleDocument, self_test: Sequence[Expected]) -> str:
    """The PMML of a model of two classes."""
    _check(document)
    return _Writer(document).text(self_test)


def _check(document: RuleDocument) -> None:
    """Refuse what a Scorecard cannot say."""
    if document.outcome.positive is None:
        raise ValueError(
            "A PMML Scorecard has one score, so that a model written as PMML must have two classes. "
            f"Got {len(document.labels)} classes."
        )
    refusing = [f.name for f in document.features if "refused" in (f.if_missing, f.if_unknown)]
    if refusing:
        raise ValueError(
            "A PMML Scorecard scores every row, so that a model written as PMML must not have the policy "
            f"'error', which `set_policy` changes. Got one that refuses values of {short_repr(refusing[0])}."
        )
    if not document.features:
        raise ValueError("A model must have at least one condition to be written as PMML. Got none.")
    if document.overrides:
        raise ValueError(
            "A PMML Scorecard decides by its score, so that a model written as PMML must have no overrides. "
            f"Got {len(document.overrides)}."
        )
    document.whole_units("PMML")
    document.check_texts("PMML", is_xml_text, "without control characters")


class _Writer:
    """The elements of a document."""

    def __init__(self, document: RuleDocument) -> None:
        self._document = document
        self.names = document.input_names(OUTPUTS, "PMML")

    def text(self, self_test: Sequence[Expected]) -> str:
        """The whole file."""
        root = ET.Element("PMML", {"xmlns": _NAMESPACE, "version": "4.4"})
        header = ET.SubElement(root, "Header", {"description": "a model of rules, written by clausal"})
        ET.SubElement(header, "Application", {"name": "clausal"})
        self._dictionary(ET.SubElement(root, "DataDictionary"))
        card = ET.SubElement(
            root,
            "Scorecard",
            {
                "modelName": "rules",
                "functionName": "regression",
                "initialScore": repr(self._document.constants[0]),
                "useReasonCodes": "true",
                "reasonCodeAlgorithm": "pointsBelow",
                "baselineMethod": "max",
            },
        )
        schema = ET.SubElement(card, "MiningSchema")
        for name in self.names:
            ET.SubElement(schema, "MiningField", {"name": name, "invalidValueTreatment": "asIs"})
        self._outputs(ET.SubElement(card, "Output"))
        self._characteristics(ET.SubElement(card, "Characteristics"))
        self._verification(card, self_test)
        ET.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"

    def _dictionary(self, parent: ET.Element) -> None:
        parent.set("numberOfFields", str(len(self.names)))
        for name, feature in zip(self.names, self._document.features, strict=True):
            kind = {"optype": "categorical" if feature.holds_text else "continuous"}
            kind["dataType"] = "string" if feature.holds_text else "double"
            ET.SubElement(parent, "DataField", {"name": name, "displayName": feature.name, **kind})

    # --- outputs ---

    def _outputs(self, parent: ET.Element) -> None:
        number = {"optype": "continuous", "dataType": "double"}
        ET.SubElement(parent, "OutputField", {"name": "vote", **number, "feature": "predictedValue"})
        for rank in range(1, _N_REASONS + 1):
            reason = {"optype": "categorical", "dataType": "string", "feature": "reasonCode"}
            ET.SubElement(parent, "OutputField", {"name": f"reason_{rank}", **reason, "rank": str(rank)})
        other, positive = self._document.labels
        kind = _LABEL_TYPES[type(positive)]
        label = {"optype": "categorical", "dataType": kind, "feature": "transformedValue"}
        field = ET.SubElement(parent, "OutputField", {"name": "prediction", **label})
        if kind == "string":  # in attributes: an engine may lose a part of a text with escapes elsewhere
            decision = ET.SubElement(field, "Discretize", {"field": "vote", "dataType": kind})
            mark = repr(self._document.outcome.cut_off)
            below = {"closure": "openOpen", "rightMargin": mark}
            for value, ends in ((other, below), (positive, {"closure": "closedOpen", "leftMargin": mark})):
                bins = ET.SubElement(decision, "DiscretizeBin", {"binValue": str(value)})
                ET.SubElement(bins, "Interval", ends)
        else:
            decision = _apply(field, "if")
            test = _apply(decision, "greaterOrEqual")
            ET.SubElement(test, "FieldRef", {"field": "vote"})
            cut_off = float(self._document.outcome.cut_off)
            for where, value in ((test, cut_off), (decision, positive), (decision, other)):
                _constant(where, value)
        if self._document.probability is not None:
            transformed = {**number, "feature": "transformedValue"}
            self._probability(ET.SubElement(parent, "OutputField", {"name": "probability", **transformed}))

    def _probability(self, field: ET.Element) -> None:
        """The probability of the positive class, from the vote."""
        method = self._document.probability
        if isinstance(method, Calibration):  # 1 / (1 + exp(-slope * vote - offset))
            ratio = _apply(field, "/")
            _constant(ratio, 1.0)
            total = _apply(ratio, "+")
            _constant(total, 1.0)
            log_odds = _apply(_apply(total, "exp"), "-")
            _constant(log_odds, -method.offset)
            _vote_times(log_odds, method.slope)
            return
        assert method is not None  # (1 + (scale * vote + .5) / (T + .5)) / 2, from 0 to 1
        highest = _apply(field, "max")
        _constant(highest, 0.0)
        share = _apply(highest, "min")
        _constant(share, 1.0)
        half = _apply(share, "*")
        _constant(half, 0.5)
        total = _apply(half, "+")
        _constant(total, 1.0)
        part = _apply(total, "/")
        raw = _apply(part, "+")
        _constant(part, method.threshold + 0.5)
        _vote_times(raw, float(method.scale))
        _constant(raw, 0.5)

    # --- rules ---

    def _characteristics(self, parent: ET.Element) -> None:
        for index, rule in enumerate(self._document.rules, 1):
            characteristic = ET.SubElement(
                parent,
                "Characteristic",
                {
                    "name": f"rule {index}",
                    "reasonCode": f"{'' if rule.points < 0 else 'not: '}{rule.text}",
                    "baselineScore": repr(max(rule.points, 0)),
                },
            )
            attribute = ET.SubElement(characteristic, "Attribute", {"partialScore": repr(rule.points)})
            signed = [self._document.signed_column(literal) for literal in rule.literals]
            tests = [self._predicate(column, negated) for column, negated in signed]
            attribute.append(_compound("and", tests) if tests else ET.Element("True"))
            rest = ET.SubElement(characteristic, "Attribute", {"partialScore": "0"})
            ET.SubElement(rest, "True")

    def _predicate(self, column: ColumnRecord, negated: bool) -> ET.Element:
        """A condition, true or not, whatever the value."""
        feature, name = self._document.features[column.feature], self.names[column.feature]
        holds = _simple(name, "isMissing") if feature.if_missing_holds(column, negated) else None
        if column.kind == "missing" and not feature.categories:
            known = _simple(name, "isNotMissing") if negated else None
        elif feature.categories:
            known = self._categories(feature, name, column, negated)
        elif column.kind == "true":
            known = _simple(name, "notEqual" if negated else "equal", 1.0)
        else:
            known = _simple(name, "greaterThan" if negated else "lessOrEqual", column.value)
        found = [test for test in (holds, known) if test is not None]
        return _compound("or", found) if found else ET.Element("False")

    def _categories(
        self, feature: FeatureRecord, name: str, column: ColumnRecord, negated: bool
    ) -> ET.Element | None:
        """Which categories satisfy a condition; None for none of them."""
        own = feature.matching(column, negated)
        if not feature.if_unknown_holds(column, negated):
            tests = [_simple(name, "equal", category) for category in own]
            return _compound("or", tests) if tests else None
        others = [category for category in feature.categories if category not in own]
        tests = [_simple(name, "notEqual", category) for category in others]
        return _compound("and", tests) if tests else _simple(name, "isNotMissing")

    # --- the self-test ---

    def _verification(self, card: ET.Element, self_test: Sequence[Expected]) -> None:
        """Rows with their votes, in the element that PMML has for them."""
        verification = ET.SubElement(card, "ModelVerification", {"recordCount": str(len(self_test))})
        fields = ET.SubElement(verification, "VerificationFields")
        for index, name in enumerate([*self.names, "vote"]):
            ET.SubElement(fields, "VerificationField", {"field": name, "column": f"c{index}"})
        table = ET.SubElement(verification, "InlineTable")
        for row in self_test:
            assert row.votes is not None
            cells = ET.SubElement(table, "row")
            for index, value in enumerate((*row.values, row.votes[0])):
                if value is not None:
                    ET.SubElement(cells, f"c{index}").text = _text(value)


def _text(value: Any) -> str:
    """A value as PMML reads it back."""
    if isinstance(value, str):
        return value
    return repr(int(value) if isinstance(value, bool) else value)


def _simple(field: str, operator: str, value: Category | None = None) -> ET.Element:
    attributes = {"field": field, "operator": operator}
    return ET.Element(
        "SimplePredicate", attributes if value is None else attributes | {"value": _text(value)}
    )


def _compound(operator: str, tests: Iterable[ET.Element]) -> ET.Element:
    listed = list(tests)
    if len(listed) == 1:
        return listed[0]
    element = ET.Element("CompoundPredicate", {"booleanOperator": operator})
    element.extend(listed)
    return element


def _apply(parent: ET.Element, function: str) -> ET.Element:
    return ET.SubElement(parent, "Apply", {"function": function})


def _constant(parent: ET.Element, value: Any) -> None:
    element = ET.SubElement(parent, "Constant", {"dataType": _LABEL_TYPES[type(value)]})
    element.text = str(value).lower() if isinstance(value, bool) else repr(value)


def _vote_times(parent: ET.Element, factor: float) -> None:
    product = _apply(parent, "*")
    ET.SubElement(product, "FieldRef", {"field": "vote"})
    _constant(product, factor)


def verification_rows(text: str) -> list[tuple[dict[str, str | float | None], float]]:
    """The rows of a file's ModelVerification: values by field, None where missing, and the vote."""
    root, inside = ET.fromstring(text), f".//{{{_NAMESPACE}}}"
    described = root.iterfind(f"{inside}DataField")
    numbers = {field.attrib["name"] for field in described if field.attrib["dataType"] == "double"}
    fields = {f.attrib["column"]: f.attrib["field"] for f in root.iterfind(f"{inside}VerificationField")}
    rows = []
    for row in root.iterfind(f"{inside}row"):
        texts = {fields[cell.tag.rpartition("}")[2]]: cell.text or "" for cell in row}
        vote = float(texts.pop("vote"))
        values: dict[str, str | float | None] = {field: None for field in fields.values() if field != "vote"}
        values |= {field: float(text) if field in numbers else text for field, text in texts.items()}
        rows.append((values, vote))
    return rows


def check_pmml(text: str) -> int:
    """Run the rows that a file holds with pypmml; their number, or a ValueError for a wrong result."""
    from pypmml import Model

    model, rows = Model.fromString(text), verification_rows(text)
    for values, vote in rows:
        got = model.predict(values)["vote"]
        if got != vote:
            raise ValueError(f"A row of the self-test must have the vote {vote}. Got {got} for {values}.")
    return len(rows)
