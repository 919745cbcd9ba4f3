"""A model as ONNX, whose votes are exact: numbers are compared in float64, everything else is whole.

One input per feature of shape [rows, 1]: float64 (NaN is missing; booleans are 0 and 1) or text ("<missing>"
is missing). A rule holds if as many of its conditions hold as it has. Also here: `check_onnx`, which runs the
rows that the file holds. onnx is optional, so this file is imported when it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from clausal.export.document import (
    Calibration,
    ColumnRecord,
    FeatureRecord,
    OverrideRecord,
    RuleDocument,
    RuleRecord,
)
from clausal.export.self_test import Expected
from clausal.frames import not_installed

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    raise not_installed("Writing ONNX", "onnx", "clausal[onnx]") from error

OUTPUTS = ("label", "probabilities", "votes", "rules", "accepted", "override")
NUMBER_OUTPUTS = ("number", "votes", "rules", "accepted")
_OPSETS = (helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 2))
_IR_VERSION = 8
_UNKNOWN, _MISSING = -1, -2  # codes of categories
_LARGEST = float(np.finfo(np.float64).max)


def to_onnx(document: RuleDocument, self_test: Sequence[Expected]) -> bytes:
    """The model; its metadata have the inputs, the classes and the rows of the self-test as JSON."""
    if not document.features or not document.rules:
        raise ValueError("A model written as ONNX must have a rule with a condition. Got none.")
    document.check_texts("ONNX", lambda text: "\0" not in text, "without NUL")
    graph = _Graph(document)
    graph.build()
    model = helper.make_model(
        helper.make_graph(graph.nodes, "rules", graph.inputs, graph.outputs, graph.constants),
        producer_name="clausal",
        opset_imports=_OPSETS,
        ir_version=_IR_VERSION,
    )
    rows = [[row.values, row.votes, row.decided, row.probabilities, row.fires] for row in self_test]
    metadata = {
        "inputs": [
            {"input": name, "feature": feature.name, "missing": missing_text(feature)}
            for name, feature in zip(graph.names, document.features, strict=True)
        ],
        "classes": document.labels,
        "rules": [rule.text for rule in document.rules],
        "overrides": [override.text for override in document.overrides],
        "self_test": rows,
    }
    helper.set_model_props(model, {name: json.dumps(value) for name, value in metadata.items()})
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def missing_text(feature: FeatureRecord) -> str | None:
    """The text that stands for a missing value; None where NaN does."""
    if not feature.holds_text:
        return None
    text = "<missing>"
    while text in feature.categories:
        text += "_"
    return text


class _Graph:
    """The nodes of a model, of which the last are its outputs."""

    def __init__(self, document: RuleDocument) -> None:
        self._document = document
        self._unit = document.whole_units("ONNX")
        names = [feature.name for feature in document.features]
        self._prefix = "c"  # of everything that is not an input
        while any(name.startswith(self._prefix) for name in names):
            self._prefix += "_"
        outputs = NUMBER_OUTPUTS if document.outcome.is_numeric else OUTPUTS
        self.names = document.input_names(outputs, "ONNX")
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    # --- nodes ---

    def _add(self, operator: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        name = name or f"{self._prefix}{len(self.nodes)}n"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def _constant(self, values: Any, dtype: Any) -> str:
        name = f"{self._prefix}{len(self.constants)}k"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def _cast(self, value: str, to: int) -> str:
        return self._add("Cast", value, to=to)

    def _any(self, tests: Sequence[str]) -> str | None:
        """The OR of tests [rows, 1]; None of none."""
        found: str | None = None
        for test in tests:
            found = test if found is None else self._add("Or", found, test)
        return found

    # --- the model ---

    def build(self) -> None:
        """All nodes and outputs."""
        document = self._document
        read = [self._feature(place) for place in range(len(document.features))]
        literals = self._add("Concat", *(bits for bits, _, _ in read), *(bits for _, bits, _ in read), axis=1)
        fires = self._fires(literals, document.rules)
        whole = self._add(
            "Add",
            self._add("MatMul", self._cast(fires, TensorProto.INT64), self._points()),
            self._constant([[int(c * self._unit) for c in document.constants]], np.int64),
        )
        refused = self._any([test for _, _, tests in read for test in tests]) or self._never(whole)
        accepted = self._add("Not", refused)
        if document.outcome.is_numeric:
            self._number(whole, accepted)
        else:
            self._label(whole, literals)
        if document.probability is not None:
            self._probabilities(whole, accepted)
        votes = whole
        if self._unit > 1:
            scale = self._constant(1 / self._unit, np.float64)
            votes = self._add("Mul", self._cast(whole, TensorProto.DOUBLE), scale)
        kind = TensorProto.INT64 if self._unit == 1 else TensorProto.DOUBLE
        self._output("votes", votes, kind, len(document.constants))
        self._output("rules", fires, TensorProto.BOOL, len(document.rules))
        self._output("accepted", accepted, TensorProto.BOOL, 1)

    def _never(self, whole: str) -> str:
        """False for every row, [rows, 1]."""
        first = self._add("Slice", whole, *(self._constant([k], np.int64) for k in (0, 1, 1)))
        return self._add("Less", first, first)

    def _output(self, name: str, value: str, kind: int, *shape: int) -> None:
        self._add("Identity", value, name=name)
        self.outputs.append(helper.make_tensor_value_info(name, kind, ["rows", *shape]))

    def _feature(self, place: int) -> tuple[str, str, list[str]]:
        """A feature's columns and their negations, bool [rows, columns], and tests that refuse a row."""
        feature, name = self._document.features[place], self.names[place]
        kind = TensorProto.STRING if feature.holds_text else TensorProto.DOUBLE
        self.inputs.append(helper.make_tensor_value_info(name, kind, ["rows", 1]))
        refused = [] if feature.holds_text else self._bad_numbers(feature, name)
        value = self._code(feature, name) if feature.categories else name
        states = {feature.if_missing: [self._is_missing(feature, value)]}
        if feature.categories:
            unknown = self._add("Equal", value, self._constant([[_UNKNOWN]], np.int64))
            states.setdefault(feature.if_unknown, []).append(unknown)
        bits = self._columns(place, value, self._any(states.get("missing", [])))
        negated = self._add("Not", bits)
        if "no_rule" in states:
            unseen = self._any(states["no_rule"])
            assert unseen is not None
            negated = self._add("And", negated, self._add("Not", unseen))
        return bits, negated, [*refused, *states.get("refused", [])]

    def _bad_numbers(self, feature: FeatureRecord, value: str) -> list[str]:
        """Tests for numbers that every model refuses: infinite ones, and booleans other than 0 and 1."""
        large = self._add("Greater", self._add("Abs", value), self._constant([[_LARGEST]], np.float64))
        if feature.kind != "boolean":
            return [large]
        known = [self._add("Equal", value, self._constant([[mark]], np.float64)) for mark in (0.0, 1.0)]
        right = self._any([*known, self._add("IsNaN", value)])
        assert right is not None
        return [self._add("Not", right)]

    def _is_missing(self, feature: FeatureRecord, value: str) -> str:
        if not feature.categories:
            return self._add("IsNaN", value)
        return self._add("Equal", value, self._constant([[_MISSING]], np.int64))

    def _code(self, feature: FeatureRecord, value: str) -> str:
        """The index of the category, or a code below 0; int64 [rows, 1]."""
        if feature.holds_text:
            return self._add(
                "LabelEncoder",
                value,
                domain="ai.onnx.ml",
                keys_strings=[*feature.categories, missing_text(feature)],
                values_int64s=[*range(len(feature.categories)), _MISSING],
                default_int64=_UNKNOWN,
            )
        equal = self._add("Equal", value, self._constant([feature.categories], np.float64))
        numbers = self._constant([[k + 1] for k in range(len(feature.categories))], np.int64)
        found = self._add("MatMul", self._cast(equal, TensorProto.INT64), numbers)  # 0 where none is equal
        missing = self._cast(self._add("IsNaN", value), TensorProto.INT64)
        return self._add("Sub", self._add("Sub", found, missing), self._constant([[1]], np.int64))

    def _columns(self, place: int, value: str, missing: str | None) -> str:
        """The columns of a feature, bool [rows, columns]."""
        columns = [self._document.columns[c] for c in self._document.columns_of(place)]
        parts = []
        for kind in dict.fromkeys(column.kind for column in columns):  # columns of a kind are side by side
            own = [column for column in columns if column.kind == kind]
            if kind == "missing":
                assert missing is not None
                parts.append(missing)
            else:
                parts.append(self._tests(self._document.features[place], kind, own, value))
        return parts[0] if len(parts) == 1 else self._add("Concat", *parts, axis=1)

    def _tests(self, feature: FeatureRecord, kind: str, columns: Sequence[ColumnRecord], value: str) -> str:
        """Columns of one kind, bool [rows, columns]."""
        marks = [column.value for column in columns]
        if kind == "true":
            return self._add("Equal", value, self._constant([[1.0]], np.float64))
        if kind == "equal":
            return self._add("Equal", value, self._constant([marks], np.float64))
        if kind == "le":
            below = self._add("LessOrEqual", value, self._constant([marks], np.float64))
            equal = [
                self._add("Equal", value, self._constant([[number]], np.float64))
                for number in feature.special
            ]
            special = self._any(equal)
            return below if special is None else self._add("And", below, self._add("Not", special))
        firsts = [column.first for column in columns]
        if firsts == marks:
            return self._add("Equal", value, self._constant([marks], np.int64))
        above = self._add("GreaterOrEqual", value, self._constant([firsts], np.int64))
        below = self._add("LessOrEqual", value, self._constant([marks], np.int64))
        return self._add("And", above, below)

    def _fires(self, literals: str, rules: Sequence[RuleRecord | OverrideRecord]) -> str:
        """Which rules hold: those of which as many conditions hold as they have; bool [rows, rules]."""
        document = self._document
        order = [c for place in range(len(document.features)) for c in document.columns_of(place)]
        at = {column: index for index, column in enumerate(order)}
        table = np.zeros((2 * len(order), len(rules)), np.uint8)
        for index, rule in enumerate(rules):
            for literal in rule.literals:
                table[at[literal] if literal >= 0 else len(order) + at[-1 - literal], index] = 1
        counts = self._add(
            "MatMulInteger", self._cast(literals, TensorProto.UINT8), self._constant(table, np.uint8)
        )
        return self._add("Equal", counts, self._constant([table.sum(axis=0)], np.int32))

    def _points(self) -> str:
        """The points of each rule for each bank, in whole units."""
        document = self._document
        points = np.zeros((len(document.rules), len(document.constants)), np.int64)
        for index, rule in enumerate(document.rules):
            points[index, rule.bank] = int(rule.points * self._unit)
        return self._constant(points, np.int64)

    def _label(self, whole: str, literals: str) -> None:
        labels, cut_off = self._document.labels, int(self._document.outcome.cut_off * self._unit)
        if self._document.outcome.positive is None:
            decided = self._add("ArgMax", self._cast(whole, TensorProto.DOUBLE), axis=1, keepdims=0)
        else:
            above = self._add("GreaterOrEqual", whole, self._constant([[cut_off]], np.int64))
            flat = self._add("Squeeze", above, self._constant([1], np.int64))
            decided = self._cast(flat, TensorProto.INT64)
        if self._document.overrides:
            decided = self._overridden(decided, literals)
        kinds = {
            str: (object, TensorProto.STRING),
            bool: (np.bool_, TensorProto.BOOL),
            int: (np.int64, TensorProto.INT64),
            float: (np.float64, TensorProto.DOUBLE),
        }
        dtype, kind = kinds[type(labels[0])]
        self._output("label", self._add("Gather", self._constant(labels, dtype), decided), kind)

    def _number(self, whole: str, accepted: str) -> None:
        """The predicted number, NaN for a row that is refused, rounded as NumericOutcome.predictions is."""
        method = {name: self._constant(n, np.float64) for name, n in self._document.outcome.numbers.items()}
        vote = self._cast(whole, TensorProto.DOUBLE)
        if self._unit > 1:
            vote = self._add("Mul", vote, self._constant(1 / self._unit, np.float64))
        number = self._add("Add", self._add("Mul", vote, method["unit"]), method["offset"])
        number = self._add("Clip", number, method["low"], method["high"])
        number = self._add("Where", accepted, number, self._constant(np.nan, np.float64))
        self._output(
            "number", self._add("Squeeze", number, self._constant([1], np.int64)), TensorProto.DOUBLE
        )

    def _overridden(self, decided: str, literals: str) -> str:
        """The class of the first override that holds, else the one that votes decide for; int64 [rows]."""
        overrides = self._document.overrides
        held = self._cast(self._fires(literals, overrides), TensorProto.INT32)
        first = self._add("ArgMax", held, axis=1, keepdims=0)
        holds = self._cast(self._add("ReduceMax", held, axes=[1], keepdims=0), TensorProto.BOOL)
        classes = self._constant([each.class_index for each in overrides], np.int64)
        index = self._add("Where", holds, first, self._constant(-1, np.int64))
        self._output("override", index, TensorProto.INT64)
        return self._add("Where", holds, self._add("Gather", classes, first), decided)

    def _probabilities(self, whole: str, accepted: str) -> None:
        """Of each class, NaN for a row that is refused."""
        method, n_classes = self._document.probability, len(self._document.labels)
        raw = self._cast(whole, TensorProto.DOUBLE)
        if isinstance(method, Calibration):
            log_odds = self._add("Mul", raw, self._constant(method.slope / self._unit, np.float64))
            if n_classes == 2:
                shifted = self._add("Add", log_odds, self._constant(method.offset, np.float64))
                shares = self._both(self._add("Sigmoid", shifted))
            else:
                shares = self._add("Softmax", log_odds, axis=1)
        else:
            assert method is not None
            votes = self._add("Mul", raw, self._constant(method.scale / self._unit, np.float64))
            shares = self._machine(votes, method.threshold, method.scale)
        nothing = self._constant(np.nan, np.float64)
        self._output(
            "probabilities",
            self._add("Where", accepted, shares, nothing),
            TensorProto.DOUBLE,
            n_classes,
        )

    def _machine(self, raw: str, threshold: int, scale: int) -> str:
        """A machine's own estimate, as Outcome.machine_probabilities computes it."""

        def number(value: float) -> str:
            return self._constant(value, np.float64)

        n_classes, one, half = len(self._document.labels), number(1.0), number(0.5)
        if n_classes == 2:
            share = self._add("Div", self._add("Add", raw, half), number(threshold + 0.5))
            positive = self._add("Mul", self._add("Add", share, one), half)
            return self._both(self._add("Clip", positive, number(0.0), one))
        votes = self._add("Div", raw, number(scale))
        reach = self._add("Max", self._add("Abs", votes), number(threshold / scale))
        share = self._add("Div", votes, self._add("Add", reach, one))
        q = self._add("Mul", self._add("Add", share, one), half)
        others = self._add("Mul", self._add("Sub", one, q), number(n_classes - 1.0))
        r = self._add("Div", q, self._add("Add", q, others))
        total = self._add("ReduceSum", r, self._constant([1], np.int64), keepdims=1)
        return self._add("Div", r, total)

    def _both(self, positive: str) -> str:
        """The probabilities of two classes, given that of the positive one."""
        other = self._add("Sub", self._constant(1.0, np.float64), positive)
        return self._add("Concat", other, positive, axis=1)


def onnx_inputs(model: Any, rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Rows, each with one value per feature that rules test, as the inputs of a model read by onnx.load."""
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    found = {}
    for place, entry in enumerate(json.loads(metadata["inputs"])):
        values, missing = [row[place] for row in rows], entry["missing"]
        if missing is None:
            column = np.array([np.nan if value is None else value for value in values], np.float64)
        else:
            column = np.array([missing if value is None else value for value in values], object)
        found[entry["input"]] = column.reshape(-1, 1)
    return found


def check_onnx(model: bytes) -> int:
    """Run the rows that a model holds with onnxruntime; their number, or a ValueError for a wrong result."""
    import onnxruntime

    read = onnx.load_from_string(model)
    rows = json.loads(next(entry.value for entry in read.metadata_props if entry.key == "self_test"))
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    got = dict(
        zip(
            [output.name for output in session.get_outputs()],
            session.run(None, onnx_inputs(read, [row[0] for row in rows])),
            strict=True,
        )
    )
    for index, (values, votes, decided, shares, fires) in enumerate(rows):
        right = bool(got["accepted"][index, 0]) == (votes is not None)
        if votes is not None:
            right &= got["votes"][index].tolist() == votes and got["rules"][index].tolist() == fires
            if "number" in got:
                right &= got["number"][index].tolist() == decided
            if shares is not None:
                right &= bool(np.allclose(got["probabilities"][index], shares, rtol=1e-9, atol=1e-12))
        if not right:
            raise ValueError(f"A row of the self-test must be scored as the model does. Got {values}.")
    return len(rows)
