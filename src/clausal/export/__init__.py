"""A rule model for other systems: a neutral document (document.py), a writer per target, a registry of them.

`RuleSet.export` and `clausal export` offer what is registered here. A new target is a module with a function
that takes a RuleSet and returns text, and an entry below.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from clausal.rules.rule_set import RuleSet


class Target(NamedTuple):
    """A target of `export`.

    Attributes
    ----------
    module, function : what writes it, imported when it is asked for
    options : names of the keyword arguments that it takes
    summary : what is written, for help
    """

    module: str
    function: str
    options: tuple[str, ...]
    summary: str


TARGETS = {
    "sql": Target(
        "clausal.export.sql",
        "rules_to_sql",
        ("dialect", "table", "keep", "vote", "prediction"),
        "a SELECT that scores a table, in any dialect of sqlglot",
    ),
    "json": Target("clausal.files.rules", "to_json", (), "JSON that RuleSet.from_json reads"),
    "markdown": Target("clausal.rules.render", "to_markdown", (), "a table in Markdown"),
    "text": Target("clausal.rules.render", "to_text", (), "plain text, one rule per line"),
}


def export_rules(rules: RuleSet, to: str, **options: Any) -> str:
    """Rules as text for another system; see `RuleSet.export`."""
    if to not in TARGETS:
        raise ValueError(
            f"The 'to' parameter of export must be one of {', '.join(map(repr, TARGETS))}. Got {to!r}."
        )
    target = TARGETS[to]
    for name in options:
        if name not in target.options:
            known = ", ".join(target.options) or "no options"
            raise TypeError(f"export(to={to!r}) takes {known}. Got {name!r}.")
    text: str = getattr(import_module(target.module), target.function)(rules, **options)
    return text
