"""A rule model as one neutral document: all that another language needs to score a row, in plain values.

Every writer of an export reads this document instead of the package's own classes. A category is its index
among the feature's categories. Not here: the syntax of any target (sql.py and others), tests (self_test.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.category_features import NominalFeature, RankedFeature
from clausal.encoding.columns import Category, Column, name_text
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import Feature, NumericFeature
from clausal.encoding.patches import require_table
from clausal.encoding.values import Policy
from clausal.outcome import Outcome
from clausal.rules.rule import Literal as RuleLiteral
from clausal.rules.rule_set import RuleSet
from clausal.untrusted import short_repr
from clausal.wording import Number

EXACT_WHOLE = 2**53  # float64 holds all whole numbers up to this

Fate = Literal["refused", "no_rule", "missing", "other"]
"""What becomes of a value that is missing or unknown.

The row is refused, the value satisfies no condition, it is missing, or it is a category like no other. For
the last two, negated conditions hold.
"""


@dataclass(frozen=True)
class FeatureRecord:
    """A feature that some rule tests.

    Attributes
    ----------
    index : position of the feature in the user's table
    name : its name
    kind : "numeric", "boolean", "nominal" or "ranked"
    if_missing : what becomes of a missing value
    if_unknown : what becomes of a category that is not listed
    categories : the known categories in order, those of a group together; empty for numbers and booleans
    special : numbers that are on no side of a cut point
    """

    index: int
    name: str
    kind: str
    if_missing: Fate
    if_unknown: Fate
    categories: tuple[Category, ...] = ()
    special: tuple[float, ...] = ()

    @property
    def holds_text(self) -> bool:
        """Whether the values are texts rather than numbers or booleans."""
        return bool(self.categories) and isinstance(self.categories[0], str)

    def matching(self, column: ColumnRecord, negated: bool) -> list[Category]:
        """The known categories for which a column, or its negation, holds."""
        first, last = (0, -1) if column.value is None else (column.first, int(column.value))
        return [item for k, item in enumerate(self.categories) if (first <= k <= last) != negated]

    def if_missing_holds(self, column: ColumnRecord, negated: bool) -> bool:
        """Whether a column, or its negation, holds for a missing value."""
        return self.if_missing == "missing" and (column.kind == "missing") != negated

    def if_unknown_holds(self, column: ColumnRecord, negated: bool) -> bool:
        """Whether a column, or its negation, holds for a category that is not listed."""
        if self.if_unknown == "missing":
            return (column.kind == "missing") != negated
        return self.if_unknown == "other" and negated


@dataclass(frozen=True)
class ColumnRecord:
    """A boolean column that some rule tests.

    Attributes
    ----------
    feature : index among the document's features
    kind : "le": the number is at most `value`, and not special; "equal": it is `value`, a special one; "is":
        the category is one of those from `first` to `value`, which form a group unless they are one; "upto":
        it is at most `value`, in the order of the categories; "true": the boolean is true; "missing": there
        is no value
    value : a number, or the index of a category; None for "true" and "missing"
    texts : the column as a condition, and its negation
    first : for "is", the index of the first category; else 0
    """

    feature: int
    kind: str
    value: Number | None
    texts: tuple[str, str]
    first: int = 0


@dataclass(frozen=True)
class RuleRecord:
    """A rule.

    Attributes
    ----------
    text : its conditions in words
    points : what it adds to the vote of its bank
    bank : the bank
    literals : its conditions: c for column c of the document, -1 - c for its negation
    """

    text: str
    points: Number
    bank: int
    literals: tuple[int, ...]


@dataclass(frozen=True)
class OverrideRecord:
    """Conditions that decide for a class, whatever the votes.

    Attributes
    ----------
    text : the conditions in words
    class_index : the class
    literals : the conditions, as those of a rule
    """

    text: str
    class_index: int
    literals: tuple[int, ...]


@dataclass(frozen=True)
class Calibration:
    """Calibrated probabilities of a scorecard: log-odds slope * vote + offset; a softmax for K classes."""

    slope: float
    offset: float
    kind: ClassVar[str] = "logistic"

    def probabilities(self, outcome: Outcome, votes: NDArray[Any]) -> NDArray[np.float64]:
        """The probability of each class, [n, classes], for votes [n, banks]."""
        return outcome.calibrated_probabilities(votes, self.slope, self.offset)

    def of_raw(self, outcome: Outcome, raw: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same: the votes of a machine that is calibrated are whole."""
        return self.probabilities(outcome, raw)


@dataclass(frozen=True)
class MachineEstimate:
    """A machine's own estimate from T, with votes in units of 1 / scale; see docs/algorithm.md."""

    threshold: int
    scale: int
    kind: ClassVar[str] = "machine"

    def probabilities(self, outcome: Outcome, votes: NDArray[Any]) -> NDArray[np.float64]:
        """The probability of each class, [n, classes], for votes [n, banks]."""
        return self.of_raw(outcome, np.asarray(votes * self.scale, np.int64))

    def of_raw(self, outcome: Outcome, raw: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same for votes in units of 1 / scale."""
        return outcome.machine_probabilities(raw, self.threshold, self.scale)


Probability = Calibration | MachineEstimate


@dataclass(frozen=True)
class RuleDocument:
    """A rule model.

    The vote of a bank is its constant plus the points of its rules that hold. The first override that holds
    decides; without one, `outcome.decision_list()` says how votes decide. `probability` says how votes become
    probabilities; None for a RuleSet, which has none. `names` are those of all features of the table.
    """

    outcome: Outcome
    constants: tuple[Number, ...]
    features: tuple[FeatureRecord, ...]
    columns: tuple[ColumnRecord, ...]
    rules: tuple[RuleRecord, ...]
    probability: Probability | None = None
    names: tuple[str, ...] = ()
    overrides: tuple[OverrideRecord, ...] = ()

    def vote_range(self, bank: int) -> tuple[Number, Number]:
        """Two numbers that the votes of a bank are always between."""
        own = [rule.points for rule in self.rules if rule.bank == bank]
        start = self.constants[bank]
        return start + sum(p for p in own if p < 0), start + sum(p for p in own if p > 0)

    def whole_units(self, target: str) -> int:
        """The smallest power of two by which points, constants and cut-off are whole, with exact sums.

        Raises ValueError, naming the target, if votes in these units could exceed what float64 holds exactly.
        """
        numbers = [*self.constants, *(rule.points for rule in self.rules), self.outcome.cut_off]
        unit = max((float(number).as_integer_ratio()[1] for number in numbers), default=1)
        size = math.fsum(abs(float(number)) for number in numbers) * unit
        if not size < EXACT_WHOLE:
            raise ValueError(
                f"The points of a model written as {target} must be whole numbers, or multiples of one power "
                f"of two, that add up to less than 2**53 in size. Got a sum of {size:.3g}."
            )
        return unit

    def input_names(self, taken: Collection[str], target: str) -> list[str]:
        """The names of the features as inputs: x0 and so on for one whose name is empty, padded or taken."""
        usable = [f.name == f.name.strip() and f.name not in ("", *taken) for f in self.features]
        names = [f.name if ok else f"x{f.index}" for f, ok in zip(self.features, usable, strict=True)]
        if len(set(names)) < len(names):
            listed = ", ".join(map(repr, taken))
            raise ValueError(
                f"Features written as {target} must have names without blanks around them, other than "
                f"{listed}, if others are called x0, x1, ... Got {short_repr(str(names))}."
            )
        return names

    def check_texts(self, target: str, allowed: Callable[[str], bool], rule: str) -> None:
        """Refuse names, categories and labels that a target cannot hold, or that are no valid Unicode."""
        texts = [*(feature.name for feature in self.features), *self.labels]
        texts += (category for feature in self.features for category in feature.categories)
        for text in texts:
            if isinstance(text, str) and not (allowed(text) and _is_unicode(text)):
                raise ValueError(
                    f"Names, categories and class labels of a model written as {target} must be valid "
                    f"Unicode, {rule}. Got {short_repr(text)}."
                )

    def columns_of(self, feature: int) -> list[int]:
        """The indices of a feature's columns."""
        return [c for c, column in enumerate(self.columns) if column.feature == feature]

    def signed_column(self, literal: int) -> tuple[ColumnRecord, bool]:
        """The column that a literal of a rule tests, and whether it is negated."""
        return (self.columns[-1 - literal], True) if literal < 0 else (self.columns[literal], False)

    @property
    def labels(self) -> list[str | int | float | bool]:
        """The class labels as plain values; of two, the second is the positive class; none of numbers."""
        labels: list[Any] = [] if self.outcome.is_numeric else self.outcome.classes.tolist()
        for label in labels:
            if not isinstance(label, (str, int, float)):
                raise ValueError(
                    "Class labels of an export must be text, numbers or booleans. "
                    f"Got {type(label).__name__}."
                )
        return labels

    def to_module(self) -> dict[str, Any]:
        """`to_dict` with labels, and with the names and categories of features as they are."""
        plain = self.to_dict()
        for record, feature in zip(plain["features"], self.features, strict=True):
            record |= {"key": feature.name, "categories": list(feature.categories)}
        return plain | {"labels": self.labels}

    def to_dict(self) -> dict[str, Any]:
        """The document in plain values that JSON can hold, without the categories' own texts."""
        probability = self.probability
        return {
            "classes": list(self.outcome.class_names),
            "constants": list(self.constants),
            "probability": probability and {"kind": probability.kind, **asdict(probability)},
            "features": [
                {
                    "name": name_text(feature.name),
                    "kind": feature.kind,
                    "if_missing": feature.if_missing,
                    "if_unknown": feature.if_unknown,
                    "special": list(feature.special),
                }
                for feature in self.features
            ],
            "columns": [
                {
                    "feature": column.feature,
                    "kind": column.kind,
                    "first": column.first,
                    "value": column.value,
                    "texts": [*column.texts],
                }
                for column in self.columns
            ],
            "rules": [
                {
                    "text": rule.text,
                    "points": rule.points,
                    "bank": rule.bank,
                    "literals": list(rule.literals),
                }
                for rule in self.rules
            ],
            "overrides": [
                {"text": each.text, "class": each.class_index, "literals": list(each.literals)}
                for each in self.overrides
            ],
            **self._decided(),
        }

    def _decided(self) -> dict[str, Any]:
        if self.outcome.is_numeric:
            return {"number": {k: n if math.isfinite(n) else None for k, n in self.outcome.numbers.items()}}
        cases = self.outcome.decision_list()
        return {"decision": [{"class": k, "tests": [each._asdict() for each in tests]} for k, tests in cases]}


def rule_document(rules: RuleSet, probability: Probability | None = None) -> RuleDocument:
    """The document of a model; only features and columns that some rule or override tests are in it."""
    require_table(rules.encoding, "an export other than to JSON, text and Markdown")
    every = (*rules, *rules.overrides)
    tested = {literal.position: literal.column for each in every for literal in each.literals}
    order = sorted(tested)
    column_index = {position: c for c, position in enumerate(order)}
    features = sorted({column.feature_index for column in tested.values()})
    feature_index = {position: f for f, position in enumerate(features)}
    labels = rules.classes.tolist() if rules.overrides else []

    def indices(literals: Iterable[RuleLiteral]) -> tuple[int, ...]:
        columns = ((column_index[literal.position], literal.negated) for literal in literals)
        return tuple(-1 - column if negated else column for column, negated in columns)

    return RuleDocument(
        outcome=rules.outcome,
        constants=rules.constants,
        features=tuple(_feature_record(rules.encoding, position) for position in features),
        columns=tuple(
            column_record(rules.encoding, tested[position], feature_index[tested[position].feature_index])
            for position in order
        ),
        rules=tuple(
            RuleRecord(text=str(r), points=r.points, bank=r.bank, literals=indices(r.literals)) for r in rules
        ),
        probability=probability,
        names=rules.encoding.feature_names,
        overrides=tuple(
            OverrideRecord(str(each), labels.index(each.label), indices(each.literals))
            for each in rules.overrides
        ),
    )


def category_index(feature: Feature, column: Column) -> int | None:
    """The last category that a column compares with, as an index; None where it compares with none."""
    if not isinstance(feature, (NominalFeature, RankedFeature)) or column.kind not in ("is", "upto"):
        return None
    assert column.value is not None
    if isinstance(feature, NominalFeature) and not isinstance(column.value, tuple):
        return feature.members(column.value)[-1]
    assert isinstance(column.value, tuple)
    return len(column.value) - 1


def is_xml_text(text: str) -> bool:
    """Whether XML can hold a text, and reads it back as it is."""
    return all(c in "\t\n" or (c >= " " and c not in "\ufffe\uffff") for c in text)


def _is_unicode(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, so that it can be encoded."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _feature_record(encoding: Encoding, position: int) -> FeatureRecord:
    feature, policy = encoding.features[position], encoding.policy
    categories = feature.categories if isinstance(feature, (NominalFeature, RankedFeature)) else ()
    complete = not isinstance(feature, NominalFeature) or feature.complete
    if_missing = _if_missing(feature, policy)
    fates: dict[str, Fate] = {"error": "refused", "no_rule": "no_rule", "missing": if_missing}
    if_unknown = fates.get(policy.handle_unknown, "other") if complete else "other"
    name = encoding.feature_names[position]
    special = feature.special if isinstance(feature, NumericFeature) else ()
    return FeatureRecord(position, name, feature.kind, if_missing, if_unknown, categories, special)


def _if_missing(feature: Feature, policy: Policy) -> Fate:
    if feature.nullable or policy.handle_missing == "as_false":
        return "missing"
    return "refused" if policy.handle_missing == "error" else "no_rule"


def column_record(encoding: Encoding, column: Column, feature: int) -> ColumnRecord:
    """The record of a column, given the index of its feature in a document."""
    described, kind, first = encoding.features[column.feature_index], str(column.kind), 0
    value: Number | None = category_index(described, column)
    if isinstance(described, NumericFeature) and isinstance(column.value, (int, float)):
        kind, value = "le" if kind == "le" else "equal", column.value
    if isinstance(described, NominalFeature) and kind == "is":
        assert column.value is not None
        assert not isinstance(column.value, tuple)
        first = described.members(column.value)[0]
    return ColumnRecord(feature, kind, value, (column.text(), column.text(negated=True)), first)
