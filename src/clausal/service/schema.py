"""The description of a model's rows and answers in JSON Schema, with an example row, for OpenAPI.

Not here: how rows are checked (scoring.py), the paths (app.py).
"""

from __future__ import annotations

from typing import Any

from clausal.encoding.columns import number_text
from clausal.export.document import FeatureRecord, RuleDocument, rule_document
from clausal.rules.rule_set import RuleSet

MOST_CATEGORIES = 200
"""Categories of a feature that the description lists."""

_NUMBERS = {"type": "array", "items": {"type": "number"}}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_LABEL = {"description": "The predicted class."}
_VOTES = {
    **_NUMBERS,
    "description": "One vote for two classes, that of the positive class; else one per class.",
}
_SHARES = {
    "type": ["array", "null"],
    "items": {"type": "number"},
    "description": "The probability of each class, in the order of `classes`; null if the model has none.",
}


def model_schemas(rules: RuleSet) -> dict[str, Any]:
    """The components of the OpenAPI document that depend on the model or its answers."""
    document = rule_document(rules)
    row = row_schema(document)
    rows = {"type": "array", "items": {"$ref": "#/components/schemas/Row"}, "minItems": 1}
    class_list = {"type": "array", "description": "The classes in the order of the probabilities."}
    options = {
        "counterfactuals": {
            "type": "boolean",
            "default": True,
            "description": "Whether to look for changes that lead to another class: most of the time.",
        },
        "fixed": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Features that such changes must leave as they are.",
        },
        "target": {"description": "The class that such changes should lead to; any other one if not given."},
    }
    return {
        "Row": row,
        "PredictRequest": _record({"rows": rows}, ["rows"]),
        "ExplainRequest": _record({"rows": rows, **options}, ["rows"]),
        "Predictions": _record({"classes": class_list, "predictions": _list_of("Prediction")}),
        "Explanations": _record({"classes": class_list, "explanations": _list_of("Explanation")}),
        "Prediction": _record(
            {
                "label": _LABEL,
                "votes": _VOTES,
                "probabilities": _SHARES,
                "override": {**_TEXT_OR_NULL, "description": "The override that decides, null if none does."},
            }
        ),
        "Explanation": _explanation_schema(),
        "Refusal": _refusal_schema(),
    }


def row_schema(document: RuleDocument) -> dict[str, Any]:
    """A row: the features that rules test must be there, the others of the model may be."""
    tested = {feature.name: _feature_schema(feature) for feature in document.features}
    untested = {"description": "No rule tests it: it may be left out, and is not read."}
    return {
        "type": "object",
        "properties": {name: tested.get(name, untested) for name in document.names},
        "required": list(tested),
        "additionalProperties": False,
        "example": example_row(document),
    }


def example_row(document: RuleDocument) -> dict[str, Any]:
    """A row that the model accepts: for each feature that rules test a cut point, or the first category."""
    return {
        feature.name: _example(document, index, feature) for index, feature in enumerate(document.features)
    }


def _example(document: RuleDocument, index: int, feature: FeatureRecord) -> Any:
    if feature.categories:
        return feature.categories[0]
    if feature.kind == "boolean":
        return True
    columns = (document.columns[column] for column in document.columns_of(index))
    return next((column.value for column in columns if column.kind == "le"), 0)


def _feature_schema(feature: FeatureRecord) -> dict[str, Any]:
    """A feature that rules test: its type, categories, and what a missing or unknown value does."""
    kind = "boolean" if feature.kind == "boolean" else "string" if feature.holds_text else "number"
    missing_fits = feature.if_missing != "refused"
    schema: dict[str, Any] = {"type": [kind, "null"] if missing_fits else kind}
    notes = {
        "no_rule": "Null, missing: no rule that tests it holds.",
        "missing": "Null is a missing value.",
        "refused": "Null is refused.",
        "other": "",
    }[feature.if_missing]
    if feature.special:
        notes = f"{notes} Special values: {', '.join(map(number_text, feature.special))}.".strip()
    if feature.categories:
        shown = list(feature.categories[:MOST_CATEGORIES])
        whole = len(shown) == len(feature.categories)
        if whole and feature.if_unknown == "refused":
            return {"enum": [*shown, *([None] if missing_fits else [])], "description": notes}
        schema["examples"] = shown
        notes += (
            " "
            + {
                "no_rule": "Of another category, no rule that tests it holds.",
                "missing": "Another category is a missing value.",
                "refused": "Other categories than those of the model are refused.",
                "other": "Other categories may be given.",
            }[feature.if_unknown]
        )
    return {**schema, "description": notes}


def _explanation_schema() -> dict[str, Any]:
    """What `Explanation.to_dict` gives, with probabilities."""
    objects = {"type": "array", "items": {"type": "object"}}
    return _record(
        {
            "label": _LABEL,
            "votes": _VOTES,
            "probabilities": _SHARES,
            "constants": {**_NUMBERS, "description": "What each vote is before any rule."},
            "fired": {**objects, "description": "The rules that hold, with their points."},
            "reasons": {**objects, "description": "The features that contributed most, the largest first."},
            "points_lost": {
                **objects,
                "description": "The bins that lost the most points against the best of their features.",
            },
            "near_misses": {**objects, "description": "Rules that nearly hold, and what fails."},
            "counterfactual": {
                "type": ["object", "null"],
                "description": "The fewest changes that lead to another class.",
            },
            "no_counterfactual": {**_TEXT_OR_NULL, "description": "Why there is no counterfactual."},
            "values": {"type": "object", "description": "The values of the features that rules test."},
            "notes": {"type": "array", "items": {"type": "string"}},
            "override": {**_TEXT_OR_NULL, "description": "The override that decides, null if none does."},
        }
    )


def _refusal_schema() -> dict[str, Any]:
    listed = _record({"row": {"type": "integer"}, "message": {"type": "string"}})
    return _record(
        {
            "detail": {"type": "string", "description": "What is wrong, the constraint and the value."},
            "rows": {
                "type": "array",
                "items": listed,
                "description": "The refused rows, by position from 0; at most 20 are named.",
            },
        },
        ["detail"],
    )


def _record(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    names = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": names}


def _list_of(name: str) -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}
