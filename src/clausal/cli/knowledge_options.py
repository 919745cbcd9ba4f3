"""Options of `fit` and `tune` about what an expert knows, alone or on top of a file of knowledge.

An option counts for its column instead of the file; lists, such as forbidden columns, are added up. Not here:
what the values mean (scorecard/knowledge_file.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausal.cli.options import read_scale

if TYPE_CHECKING:
    from clausal.scorecard.knowledge_file import Knowledge

_PANEL = "Expert knowledge"
_FIXED = re.compile(r"\s*([+-]?[0-9]{1,6})(?:\s+for\s+(.+?))?\s+if\s+(.*)", re.DOTALL | re.IGNORECASE)


def _repeatable(metavar: str, help_text: str) -> Any:
    return typer.Option(metavar=metavar, help=f"{help_text} Repeatable.", rich_help_panel=_PANEL)


@dataclass(kw_only=True)
class KnowledgeOptions:
    """The options; see the help of each."""

    knowledge: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="TOML file of what you know; see the documentation.", rich_help_panel=_PANEL
        ),
    ] = None
    cut_points: Annotated[
        list[str], _repeatable("COLUMN=N,N,...", "The cut points of a column, instead of learned ones.")
    ] = field(default_factory=list)
    special: Annotated[
        list[str], _repeatable("COLUMN=N,N,...", "Numbers of a column that are categories of their own.")
    ] = field(default_factory=list)
    monotonic: Annotated[
        list[str], _repeatable("COLUMN=+", "Points may only rise (+) or fall (-) with a column.")
    ] = field(default_factory=list)
    forbid: Annotated[list[str], _repeatable("COLUMN", "No rule may test this column.")] = field(
        default_factory=list
    )
    fixed_rule: Annotated[
        list[str],
        _repeatable("RULE", "A rule that is always there: 'age > 60', or with points '+3 if age > 60'."),
    ] = field(default_factory=list)
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="SCORE,ODDS,DOUBLE",
            help="Scale the points: the score that stands for these odds, and the points that double them, "
            "such as 600,50,20.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    turn: Annotated[
        bool,
        typer.Option("--turn", help="With a scale: points are for the other class.", rich_help_panel=_PANEL),
    ] = False
    cut_off: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Predict the positive class from this total on, on that scale.",
            rich_help_panel=_PANEL,
        ),
    ] = None


def read_knowledge(options: Any) -> Knowledge | None:
    """What the file and the options say; None if they say nothing.

    `options` are KnowledgeOptions, with `max_features`.
    """
    data: dict[str, Any] = {}
    if options.knowledge is not None:
        from clausal.scorecard.knowledge_file import load_knowledge, read_toml

        load_knowledge(options.knowledge)  # alone, so that an error names the file
        data = read_toml(options.knowledge)
    if options.turn and options.scale is None and "scale" not in data:
        raise typer.BadParameter("it can be used only with a scale.", param_hint="--turn")
    for name, given in _given(options).items():
        if isinstance(given, dict):
            data[name] = {**data.get(name, {}), **given}
        elif isinstance(given, list):
            data[name] = [*data.get(name, []), *given]
        else:
            data[name] = given
    if not data:
        return None
    from clausal.scorecard.knowledge_file import make_knowledge

    return make_knowledge(data)


def _given(options: Any) -> dict[str, Any]:
    """The values of options that are there, by key of the file."""
    found: dict[str, Any] = {
        "cut_points": _by_column(options.cut_points, "--cut-points", _numbers),
        "special_values": _by_column(options.special, "--special", _numbers),
        "monotonic_cst": _by_column(options.monotonic, "--monotonic", _sign),
        "forbidden_features": list(options.forbid),
        "fixed_rules": [_fixed(text) for text in options.fixed_rule],
    }
    found = {name: value for name, value in found.items() if value}
    if options.scale is not None:
        found["scale"] = _scale(options.scale)
    if options.turn:
        found["scale"] = {**found.get("scale", {}), "positive": False}
    for name, value in (("cut_off", options.cut_off), ("max_features", options.max_features)):
        if value is not None:
            found[name] = value
    return found


def _by_column(texts: Iterable[str], option: str, read: Callable[[str], Any]) -> dict[str, Any]:
    """COLUMN=VALUE by column, whose name may have a = in it."""
    found: dict[str, Any] = {}
    for text in texts:
        column, equals, value = text.rpartition("=")
        try:
            if not equals or not column:
                raise ValueError("it must be COLUMN=VALUE")
            if column in found:
                raise ValueError(f"it must name each column once, not {column!r} twice")
            found[column] = read(value)
        except ValueError as error:
            raise typer.BadParameter(f"{error}. Got {text!r}.", param_hint=option) from None
    return found


def _numbers(text: str) -> list[float]:
    """Numbers between commas, whole ones as int."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError("it must have numbers with commas between them") from None
    return [int(number) if number.is_integer() else number for number in numbers]


def _sign(text: str) -> str:
    if text.strip() not in ("+", "-"):
        raise ValueError("it must have + or - after the column")
    return text.strip()


def _fixed(text: str) -> Any:
    """A rule in words, or as it is printed: its points, perhaps a class, `if` and the words."""
    found = _FIXED.fullmatch(text)
    if found is None:
        return text
    points, label, words = found.groups()
    return [words, int(points)] if label is None else [words, int(points), label]


def _scale(text: str) -> dict[str, float]:
    try:
        base_score, base_odds, points_to_double = read_scale(text)
    except ValueError as error:
        raise typer.BadParameter(f"it {error}", param_hint="--scale") from None
    return {"base_score": base_score, "base_odds": base_odds, "points_to_double": points_to_double}
