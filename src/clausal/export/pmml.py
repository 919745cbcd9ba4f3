"""A model as PMML: a Scorecard with reason codes; with overrides or more classes, a chain of Scorecards.

Each Characteristic is a part of the model: a feature with its bins, or a rule of several features. Reason
codes are the bins that lose the most points, those of `reasons`. In a chain, a Scorecard says which override
holds, by its number, and each class has one for its vote; the last one has the outputs. Conditions say
themselves what becomes of missing and unknown values, so that no setting of the engine matters. Here too:
`check_pmml`, which runs the rows of the file's ModelVerification in a PMML engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from clausal.encoding.columns import name_text
from clausal.export.document import (
    Calibration,
    ColumnRecord,
    MachineEstimate,
    RuleDocument,
    column_record,
    is_xml_text,
)
from clausal.export.pmml_elements import (
    LABEL_TYPES,
    call,
    compound,
    constant,
    field,
    new_scorecard,
    new_segment,
    predicate,
    total,
    value_text,
)
from clausal.export.self_test import Expected
from clausal.outcome.outcome import Comparison
from clausal.rules.cells import NOT_SEEN, Part, mean_points, parts_of_rules
from clausal.rules.rule_set import RuleSet
from clausal.untrusted import short_repr

N_REASONS = 4
_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_OVERRIDE, _DECIDED, _HELD = "override", "decided", "held"
_NUMBER = {"optype": "continuous", "dataType": "double"}


def output_names(n_banks: int) -> tuple[str, ...]:
    """The names of outputs, which no input may have; of several classes, votes are counted from 0."""
    if n_banks == 1:
        reasons = (f"reason_{rank}" for rank in range(1, N_REASONS + 1))
        return ("vote", "prediction", "probability", *reasons, _OVERRIDE, _DECIDED, _HELD)
    numbered = (f"{name}_{bank}" for bank in range(n_banks) for name in ("vote", "probability", "score"))
    return (*numbered, "prediction", _OVERRIDE, _DECIDED, _HELD)


def to_pmml(
    rules: RuleSet,
    document: RuleDocument,
    self_test: Sequence[Expected],
    *,
    target: Any = None,
    reference: Any = None,
) -> str:
    """The PMML of a model; `target` and `reference` are those of `Explainable.reasons`."""
    _check(document)
    if document.outcome.is_numeric and not (target is None and reference is None):
        document.outcome.require_classes("export(to='pmml') with 'target' or 'reference'")
    return _Writer(rules, document, _Reasons.of(rules, target, reference)).text(self_test)


def _check(document: RuleDocument) -> None:
    """Refuse what a Scorecard cannot say."""
    refusing = [f.name for f in document.features if "refused" in (f.if_missing, f.if_unknown)]
    if refusing:
        raise ValueError(
            "A PMML Scorecard scores every row, so that a model written as PMML must not have the policy "
            f"'error', which `set_policy` changes. Got one that refuses values of {short_repr(refusing[0])}."
        )
    if not document.features:
        raise ValueError("A model must have at least one condition to be written as PMML. Got none.")
    document.whole_units("PMML")
    document.check_texts("PMML", is_xml_text, "without control characters")


def _computed(parent: ET.Element, name: str, kind: dict[str, str], value: ET.Element) -> None:
    """An output that is computed from others."""
    output = ET.SubElement(parent, "OutputField", {"name": name, **kind, "feature": "transformedValue"})
    output.append(value)


def _attribute(parent: ET.Element, points: Any, condition: ET.Element) -> ET.Element:
    """The points of the rows for which a condition holds, and none before it."""
    attribute = ET.SubElement(parent, "Attribute", {"partialScore": repr(points)})
    attribute.append(condition)
    return attribute


class _Reasons(NamedTuple):
    """How points are lost: by the parts of a model, below or above a baseline of each."""

    parts: list[Part]
    above: bool
    means: list[Any] | None

    @classmethod
    def of(cls, rules: RuleSet, target: Any, reference: Any) -> _Reasons:
        """For what `export` was given."""
        parts = parts_of_rules(rules)
        if rules.outcome.is_numeric:
            return cls(parts, above=False, means=None)
        labels = rules.classes.tolist()
        if rules.outcome.positive is None and not (target is None and reference is None):
            raise ValueError(
                "Reason codes of PMML must be those of two classes, so that 'target' and 'reference' must "
                f"not be given for more. Got {len(labels)} classes."
            )
        if target is not None and target not in labels:
            raise ValueError(
                f"The 'target' parameter of export must be one of the classes {labels}. Got {target!r}."
            )
        above = target is not None and labels.index(target) != rules.outcome.positive
        return cls(parts, above, None if reference is None else mean_points(rules, parts, reference))

    def baseline(self, rules: RuleSet, index: int) -> float | int:
        """The points of a part from which losses are counted."""
        part = self.parts[index]
        if self.means is not None:
            return float(self.means[index][0])
        possible = [own[0] for own, there in zip(part.points(rules), part.possible, strict=True) if there]
        return min(possible) if self.above else max(possible)

    @property
    def attributes(self) -> dict[str, str]:
        """Those of a Scorecard."""
        method = "mean" if self.means is not None else "min" if self.above else "max"
        algorithm = "pointsAbove" if self.above else "pointsBelow"
        return {"useReasonCodes": "true", "reasonCodeAlgorithm": algorithm, "baselineMethod": method}


def reason_code(condition: str, name: str) -> str:
    """The reason code of a bin: its condition, with its feature as printed, since engines sum equal codes."""
    return f"{name} {NOT_SEEN}" if condition == NOT_SEEN else condition


class _Writer:
    """The elements of a document."""

    def __init__(self, rules: RuleSet, document: RuleDocument, reasons: _Reasons) -> None:
        self._rules, self._document, self._reasons = rules, document, reasons
        n_banks = len(document.constants)
        self.names = document.input_names(output_names(n_banks), "PMML")
        self._votes = ["vote"] if n_banks == 1 else [f"vote_{bank}" for bank in range(n_banks)]
        self._coded = n_banks == 1 and not document.outcome.is_numeric
        self._places = {feature.index: place for place, feature in enumerate(document.features)}

    def text(self, self_test: Sequence[Expected]) -> str:
        """The whole file."""
        root = ET.Element("PMML", {"xmlns": _NAMESPACE, "version": "4.4"})
        header = ET.SubElement(root, "Header", {"description": "a model of rules, written by clausal"})
        ET.SubElement(header, "Application", {"name": "clausal"})
        self._dictionary(ET.SubElement(root, "DataDictionary"))
        model = self._model(root)
        self._verification(model, self_test)
        ET.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"

    def _dictionary(self, parent: ET.Element) -> None:
        parent.set("numberOfFields", str(len(self.names)))
        for name, feature in zip(self.names, self._document.features, strict=True):
            kind = {"optype": "categorical" if feature.holds_text else "continuous"}
            kind["dataType"] = "string" if feature.holds_text else "double"
            ET.SubElement(parent, "DataField", {"name": name, "displayName": feature.name, **kind})

    def _model(self, root: ET.Element) -> ET.Element:
        """One Scorecard, or a chain whose last one has the outputs."""
        last = len(self._votes) - 1
        if not last and not self._document.overrides:
            return self._scorecard(root, last, ())
        model = ET.SubElement(root, "MiningModel", {"functionName": "regression"})
        self._schema(model, ())
        segments = ET.SubElement(model, "Segmentation", {"multipleModelMethod": "modelChain"})
        found = []
        if self._document.overrides:
            found.append(_HELD)
            self._overrides(new_segment(segments))
        for bank in range(last):
            found.append(f"score_{bank}")
            self._scorecard(new_segment(segments), bank, (), found[-1])
        self._scorecard(new_segment(segments), last, found)
        return model

    def _schema(self, model: ET.Element, more: Iterable[str]) -> None:
        schema = ET.SubElement(model, "MiningSchema")
        for name in (*self.names, *more):
            ET.SubElement(schema, "MiningField", {"name": name, "invalidValueTreatment": "asIs"})

    def _scorecard(
        self, parent: ET.Element, bank: int, found: Sequence[str], name: str | None = None
    ) -> ET.Element:
        """The Scorecard of a bank; with the outputs of the model, unless its score has a name of its own."""
        coded = self._reasons.attributes if self._coded else {"useReasonCodes": "false"}
        start = {"initialScore": repr(self._document.constants[bank])}
        card = new_scorecard(parent, {**start, **coded})
        self._schema(card, found)
        output = ET.SubElement(card, "Output")
        if name is not None:
            ET.SubElement(output, "OutputField", {"name": name, **_NUMBER, "feature": "predictedValue"})
        else:
            self._outputs(output, found)
        self._characteristics(ET.SubElement(card, "Characteristics"), bank)
        return card

    def _overrides(self, parent: ET.Element) -> None:
        """A Scorecard whose score is the number of the override that holds, from 1, or 0."""
        card = new_scorecard(parent, {"initialScore": "0", "useReasonCodes": "false"})
        self._schema(card, ())
        output = ET.SubElement(card, "Output")
        ET.SubElement(output, "OutputField", {"name": _HELD, **_NUMBER, "feature": "predictedValue"})
        all_of_them = ET.SubElement(card, "Characteristics")
        characteristic = ET.SubElement(all_of_them, "Characteristic", {"name": "overrides"})
        for number, override in enumerate(self._document.overrides, 1):
            signed = [self._document.signed_column(literal) for literal in override.literals]
            _attribute(characteristic, number, self._all_of(signed))
        _attribute(characteristic, 0, ET.Element("True"))

    # --- outputs ---

    def _outputs(self, parent: ET.Element, found: Sequence[str]) -> None:
        for bank, name in enumerate(self._votes):
            if bank == len(self._votes) - 1:
                ET.SubElement(parent, "OutputField", {"name": name, **_NUMBER, "feature": "predictedValue"})
            else:
                _computed(parent, name, _NUMBER, field(f"score_{bank}"))
        if self._document.outcome.is_numeric:
            _computed(parent, "prediction", _NUMBER, self._number())
            return
        if self._coded:
            for rank in range(1, N_REASONS + 1):
                reason = {"optype": "categorical", "dataType": "string", "feature": "reasonCode"}
                ET.SubElement(parent, "OutputField", {"name": f"reason_{rank}", **reason, "rank": str(rank)})
        if _HELD in found:
            _computed(parent, _OVERRIDE, _NUMBER, field(_HELD))
        _computed(parent, _DECIDED, _NUMBER, self._decided())
        labels = self._document.labels
        kind = {"optype": "categorical", "dataType": LABEL_TYPES[type(labels[-1])]}
        if kind["dataType"] == "string":  # in attributes: an engine may lose a part of a text with escapes
            named = ET.Element("Discretize", {"field": _DECIDED, "dataType": "string"})
            for index, label in enumerate(labels):
                bins = ET.SubElement(named, "DiscretizeBin", {"binValue": str(label)})
                ends = {"leftMargin": repr(index - 0.5), "rightMargin": repr(index + 0.5)}
                ET.SubElement(bins, "Interval", {"closure": "closedOpen", **ends})
        else:
            named = constant(labels[-1])
            for index, label in enumerate(labels[:-1]):
                named = call("if", call("equal", field(_DECIDED), float(index)), constant(label), named)
        _computed(parent, "prediction", kind, named)
        if self._document.probability is not None:
            names = ["probability", *(f"probability_{bank}" for bank in range(len(self._votes)))]
            for bank, name in enumerate(names[:1] if len(self._votes) == 1 else names[1:]):
                _computed(parent, name, _NUMBER, self._probability(bank))

    def _number(self) -> ET.Element:
        """The predicted number."""
        method = self._document.outcome.numbers
        number = call("+", method["offset"], call("*", method["unit"], field(self._votes[0])))
        for function, bound in (("max", method["low"]), ("min", method["high"])):
            number = call(function, number, bound) if math.isfinite(bound) else number
        return number

    def _decided(self) -> ET.Element:
        """The index of the class: that of an override, or that of the votes."""
        *cases, last = self._document.outcome.decision_list()
        found = constant(float(last.class_index))
        for case in reversed(cases):
            tests = [self._comparison(test) for test in case.tests]
            holds = tests[0] if len(tests) == 1 else call("and", *tests)
            found = call("if", holds, float(case.class_index), found)
        for number, override in reversed(list(enumerate(self._document.overrides, 1))):
            held = call("equal", field(_HELD), float(number))
            found = call("if", held, float(override.class_index), found)
        return found

    def _comparison(self, test: Comparison) -> ET.Element:
        other = float(test.cut_off) if test.other is None else field(self._votes[test.other])
        return call("lessThan" if test.below else "greaterOrEqual", field(self._votes[test.bank]), other)

    def _probability(self, bank: int) -> ET.Element:
        """The probability of the positive class, or of the class of a bank, from the votes."""
        method, vote = self._document.probability, field(self._votes[bank])
        several = len(self._votes) > 1
        if isinstance(method, Calibration) and several:  # 1 / sum of exp(slope * (vote of another - vote))
            gaps = (call("-", field(name), field(self._votes[bank])) for name in self._votes)
            return call("/", 1.0, total([call("exp", call("*", gap, method.slope)) for gap in gaps]))
        if isinstance(method, Calibration):  # 1 / (1 + exp(-slope * vote - offset))
            log_odds = call("-", -method.offset, call("*", vote, method.slope))
            return call("/", 1.0, call("+", 1.0, call("exp", log_odds)))
        assert method is not None
        if several:
            shares = [self._machine_share(name) for name in self._votes]
            return call("/", self._machine_share(self._votes[bank]), total(shares))
        raw = call("+", call("*", vote, float(method.scale)), 0.5)  # from 0 to 1:
        share = call("*", 0.5, call("+", 1.0, call("/", raw, method.threshold + 0.5)))
        return call("max", 0.0, call("min", 1.0, share))

    def _machine_share(self, name: str) -> ET.Element:
        """Q / (q + (K - 1) (1 - q)) with q = (1 + vote / (max(|vote|, T) + 1)) / 2."""
        method = self._document.probability
        assert isinstance(method, MachineEstimate)

        def q() -> ET.Element:
            size = call("max", call("abs", field(name)), method.threshold / method.scale)
            return call("*", 0.5, call("+", 1.0, call("/", field(name), call("+", size, 1.0))))

        others = call("*", float(len(self._votes) - 1), call("-", 1.0, q()))
        return call("/", q(), call("+", q(), others))

    # --- rules ---

    def _characteristics(self, parent: ET.Element, bank: int) -> None:
        """One per part; with reason codes, which are the bins in words, for two classes."""
        rules, coded = self._rules, self._coded
        for index, part in enumerate(self._reasons.parts):
            points = [own[bank] for own in part.points(rules)]
            names = " and ".join(name_text(rules.encoding.feature_names[k]) for k in part.features)
            characteristic = ET.SubElement(parent, "Characteristic", {"name": f"{index + 1}: {names}"})
            if coded:
                characteristic.set("reasonCode", reason_code(part.condition(0), names))
                characteristic.set("baselineScore", repr(self._reasons.baseline(rules, index)))
            for place in part.order:
                signed = [self._signed(*literal) for literal in part.literals[place]]
                attribute = _attribute(characteristic, points[place], self._all_of(signed))
                if coded:
                    attribute.set("reasonCode", reason_code(part.condition(place), names))
            if part.literals[part.order[-1]]:  # no bin is for all other rows
                _attribute(characteristic, 0, ET.Element("True"))

    def _all_of(self, signed: Sequence[tuple[ColumnRecord, bool]]) -> ET.Element:
        """A condition: all of these columns hold, or do not."""
        tests = [
            predicate(self._document.features[c.feature], self.names[c.feature], c, n) for c, n in signed
        ]
        return compound("and", tests) if tests else ET.Element("True")

    def _signed(self, position: int, negated: bool) -> tuple[ColumnRecord, bool]:
        """The record of a column of the encoding, which the document may lack."""
        column = self._rules.columns[position]
        return column_record(self._rules.encoding, column, self._places[column.feature_index]), negated

    # --- the self-test ---

    def _verification(self, model: ET.Element, self_test: Sequence[Expected]) -> None:
        """Rows with their votes and decisions, in the element that PMML has for them."""
        verification = ET.SubElement(model, "ModelVerification", {"recordCount": str(len(self_test))})
        fields = ET.SubElement(verification, "VerificationFields")
        result = "prediction" if self._document.outcome.is_numeric else _DECIDED
        for index, name in enumerate([*self.names, *self._votes, result]):
            ET.SubElement(fields, "VerificationField", {"field": name, "column": f"c{index}"})
        table = ET.SubElement(verification, "InlineTable")
        for row in self_test:
            assert row.votes is not None
            cells = ET.SubElement(table, "row")
            for index, value in enumerate((*row.values, *row.votes, row.decided)):
                if value is not None:
                    ET.SubElement(cells, f"c{index}").text = value_text(value)


def verification_rows(text: str) -> list[tuple[dict[str, str | float | None], dict[str, float]]]:
    """The rows of a file's ModelVerification: values by field, None where missing, and results by name."""
    root, inside = ET.fromstring(text), f".//{{{_NAMESPACE}}}"
    described = {f.attrib["name"]: f.attrib["dataType"] for f in root.iterfind(f"{inside}DataField")}
    fields = {f.attrib["column"]: f.attrib["field"] for f in root.iterfind(f"{inside}VerificationField")}
    rows = []
    for row in root.iterfind(f"{inside}row"):
        texts = {fields[cell.tag.rpartition("}")[2]]: cell.text or "" for cell in row}
        values: dict[str, str | float | None] = {
            name: None if name not in texts else float(texts[name]) if kind == "double" else texts[name]
            for name, kind in described.items()
        }
        rows.append((values, {name: float(texts[name]) for name in fields.values() if name not in described}))
    return rows


def check_pmml(text: str) -> int:
    """Run the rows that a file holds with pypmml; their number, or a ValueError for a wrong result."""
    from pypmml import Model

    model, rows = Model.fromString(text), verification_rows(text)
    for values, expected in rows:
        got = model.predict(values)
        got = {name: got[name] for name in expected}
        if got != expected:
            raise ValueError(f"A row of the self-test must give {expected}. Got {got} for {values}.")
    return len(rows)
