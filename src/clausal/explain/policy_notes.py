"""What a row's missing values and unknown categories count as, said where they make a rule hold.

Not here: the same for a model as a whole (rules/render.py), the policies themselves (encoding/matching.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clausal.encoding.booleanizer import Booleanizer
from clausal.encoding.columns import Column, name_text
from clausal.explain.counterfactual import value_text
from clausal.explain.given_rows import Value
from clausal.rules.rule import Literal, Rule


def policy_notes(
    fired: Iterable[Rule], booleanizer: Booleanizer, values: Mapping[int, Value]
) -> tuple[str, ...]:
    """One sentence per value whose own words do not say why a rule holds.

    Parameters
    ----------
    fired : the rules that hold
    booleanizer : the fitted transformer, whose policies made them hold
    values : the row's values by position of the feature, None where missing
    """
    literals = [literal for rule in fired for literal in rule.literals]
    notes = (_note(literal, booleanizer, values[literal.column.feature_index]) for literal in literals)
    return tuple(dict.fromkeys(note for note in notes if note is not None))


def _note(literal: Literal, booleanizer: Booleanizer, value: Value) -> str | None:
    """What the value counts as, if that and not the value itself makes the literal hold."""
    column, head = literal.column, f"{name_text(literal.column.feature)} = {value_text(value)} counts as"
    if value is None:
        if not literal.negated or column.nullable or column.kind == "missing":
            return None
        return f"{head} {_beyond(column)}: it never was missing in training."
    above = literal.negated and column.ordered
    missing = column.kind == "missing" and not literal.negated
    categories = getattr(booleanizer.features_[column.feature_index], "categories", None)
    if not (above or missing) or categories is None or value in categories:
        return None
    counts_as = "missing" if booleanizer.handle_unknown == "missing" else _beyond(column)
    if counts_as == "missing" and not column.nullable:
        counts_as = f"missing, and so as {_beyond(column)}"
    return f"{head} {counts_as}: training did not have it."


def _beyond(column: Column) -> str:
    """What a value without any true column counts as."""
    if column.kind == "le":
        return "above every cut point"
    if column.kind == "true":
        return "not true"
    return "above all others" if column.ordered else "none of the listed categories"
