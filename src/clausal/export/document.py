"""A rule model as one neutral document: all that another language needs to score a row, in plain values.

Every writer of an export reads this document instead of the package's own classes. A category is its index
among the feature's categories. Not here: the syntax of any target (sql.py, the report's score.js).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clausal.encoding.columns import Category, Column, name_text
from clausal.encoding.encoding import Encoding
from clausal.encoding.features import Feature, NominalFeature, RankedFeature
from clausal.encoding.values import Policy
from clausal.outcome import Outcome
from clausal.rules.rule_set import RuleSet
from clausal.wording import Number


@dataclass(frozen=True)
class FeatureRecord:
    """A feature that some rule tests.

    Attributes
    ----------
    index : position of the feature in the user's table
    name : its name
    kind : "numeric", "boolean", "nominal" or "ranked"
    nullable : training data had missing values here, so that a missing value is accepted
    categories : the known categories in order; empty for numbers and booleans
    complete : whether these are all categories of the training data
    """

    index: int
    name: str
    kind: str
    nullable: bool
    categories: tuple[Category, ...] = ()
    complete: bool = True


@dataclass(frozen=True)
class ColumnRecord:
    """A boolean column that some rule tests.

    Attributes
    ----------
    feature : index among the document's features
    kind : "le": the number is at most `value`; "is": the category is `value`; "upto": it is at most `value`,
        in the order of the categories; "true": the boolean is true; "missing": there is no value
    value : a number, or the index of a category; None for "true" and "missing"
    texts : the column as a condition, and its negation
    """

    feature: int
    kind: str
    value: Number | None
    texts: tuple[str, str]


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
class RuleDocument:
    """A rule model.

    The vote of a bank is its constant plus the points of its rules that hold. `outcome.decision_list()` says
    how votes decide, `policy` what becomes of values that training did not have.
    """

    outcome: Outcome
    constants: tuple[Number, ...]
    policy: Policy
    features: tuple[FeatureRecord, ...]
    columns: tuple[ColumnRecord, ...]
    rules: tuple[RuleRecord, ...]

    def signed_column(self, literal: int) -> tuple[ColumnRecord, bool]:
        """The column that a literal of a rule tests, and whether it is negated."""
        return (self.columns[-1 - literal], True) if literal < 0 else (self.columns[literal], False)

    def to_dict(self) -> dict[str, Any]:
        """The document in plain values that JSON can hold, without the categories' own texts."""
        return {
            "classes": list(self.outcome.class_names),
            "constants": list(self.constants),
            "handle_unknown": self.policy.handle_unknown,
            "handle_missing": self.policy.handle_missing,
            "features": [
                {
                    "name": name_text(feature.name),
                    "kind": feature.kind,
                    "nullable": feature.nullable,
                    "complete": feature.complete,
                }
                for feature in self.features
            ],
            "columns": [
                {
                    "feature": column.feature,
                    "kind": column.kind,
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
            "decision": [
                {"class": case.class_index, "tests": [test._asdict() for test in case.tests]}
                for case in self.outcome.decision_list()
            ],
        }


def rule_document(rules: RuleSet) -> RuleDocument:
    """The document of a model; only features and columns that some rule tests are in it."""
    tested = {literal.position: literal.column for rule in rules for literal in rule.literals}
    order = sorted(tested)
    column_index = {position: c for c, position in enumerate(order)}
    features = sorted({column.feature_index for column in tested.values()})
    feature_index = {position: f for f, position in enumerate(features)}
    return RuleDocument(
        outcome=rules.outcome,
        constants=rules.constants,
        policy=rules.encoding.policy,
        features=tuple(_feature_record(rules.encoding, position) for position in features),
        columns=tuple(
            _column_record(rules.encoding, tested[position], feature_index[tested[position].feature_index])
            for position in order
        ),
        rules=tuple(
            RuleRecord(
                text=str(rule),
                points=rule.points,
                bank=rule.bank,
                literals=tuple(
                    -1 - column_index[literal.position] if literal.negated else column_index[literal.position]
                    for literal in rule.literals
                ),
            )
            for rule in rules
        ),
    )


def category_index(feature: Feature, column: Column) -> int | None:
    """The category that a column compares with, as an index; None where it compares with none."""
    if not isinstance(feature, (NominalFeature, RankedFeature)) or column.kind not in ("is", "upto"):
        return None
    assert column.value is not None
    return (
        len(column.value) - 1 if isinstance(column.value, tuple) else feature.categories.index(column.value)
    )


def _feature_record(encoding: Encoding, position: int) -> FeatureRecord:
    feature = encoding.features[position]
    categories = feature.categories if isinstance(feature, (NominalFeature, RankedFeature)) else ()
    name = encoding.feature_names[position]
    complete = not isinstance(feature, NominalFeature) or feature.complete
    return FeatureRecord(position, name, feature.kind, feature.nullable, categories, complete)


def _column_record(encoding: Encoding, column: Column, feature: int) -> ColumnRecord:
    value: Number | None = category_index(encoding.features[column.feature_index], column)
    if column.kind == "le":
        assert isinstance(column.value, (int, float))
        value = column.value
    return ColumnRecord(feature, column.kind, value, (column.text(), column.text(negated=True)))
