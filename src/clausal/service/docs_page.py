"""The page /docs: the model's features, the paths, and a form that sends a row to this service.

It has its style and its script inside and loads nothing from elsewhere, so that it works without a network.
Not here: the same in OpenAPI (schema.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from markupsafe import Markup

from clausal.html_report.rendering import policy_hash, resource
from clausal.rules.rule_set import RuleSet

_MOST_CATEGORIES = 20  # of a feature that the page shows


def docs_page(
    model: str,
    rules: RuleSet,
    row: Mapping[str, Any],
    example: Mapping[str, Any],
    answers: Mapping[str, Mapping[str, Any]],
) -> tuple[bytes, str]:
    """The page as HTML in UTF-8, and its content security policy.

    Parameters
    ----------
    model : the kind of the model
    rules : its rules
    row : the JSON schema of a row
    example : the body of a request
    answers : what each path answers to it
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("clausal.service", "templates"), autoescape=True, undefined=StrictUndefined
    )
    style, script = resource("style.css"), resource("docs.js", "clausal.service")
    page = environment.get_template("docs.html.j2").render(
        style=Markup(style),
        script=Markup(script),
        version=version("clausal"),
        model=model,
        rules=str(rules),
        features=[_feature(name, row["properties"][name]) for name in row["required"]],
        n_untested=len(row["properties"]) - len(row["required"]),
        example=json.dumps(example, indent=2),
        answers={path: json.dumps(answer, indent=2) for path, answer in answers.items()},
    )
    policy = (
        f"default-src 'none'; style-src '{policy_hash(style)}'; script-src '{policy_hash(script)}'; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return page.encode("utf-8", "backslashreplace"), policy


def _feature(name: str, schema: Mapping[str, Any]) -> dict[str, str]:
    """A line of the table of features."""
    listed = schema.get("enum", schema.get("examples", []))
    shown = [json.dumps(category, ensure_ascii=False) for category in listed[:_MOST_CATEGORIES]]
    if len(listed) > len(shown):
        shown.append(f"{len(listed) - len(shown)} more")
    kinds = schema.get("type", "one of these")
    kind = kinds if isinstance(kinds, str) else " or ".join(kinds)
    return {"name": name, "type": kind, "categories": ", ".join(shown), "note": schema["description"]}
