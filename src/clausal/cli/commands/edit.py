"""`clausal edit`: a scorecard changed by hand, the effect of the change, and its record in the model file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from clausal import Edit, RuleClassifier, RuleRegressor, Scorecard, load
from clausal.cli.commands.report import ReportOptions, labeled_rows
from clausal.cli.options import Missing, ModelPath, Quiet, command, read_scale
from clausal.cli.screen import Screen
from clausal.tables.table_file import check_outputs
from clausal.wording import label_text

_STEPS = "Steps, in this order"
_DATA = "The rows that measure the effect"
_RECORD = "The record"


def _step(metavar: str, help: str) -> Any:
    return typer.Option(metavar=metavar, help=f"{help} Repeatable.", rich_help_panel=_STEPS)


@dataclass(kw_only=True)
class EditOptions:
    """The options; see the help of each."""

    model: ModelPath
    lift: Annotated[
        list[str],
        _step("NAME:COLUMN", "Lift a constraint of the scorecard, such as 'forbidden_features: sex'."),
    ] = field(default_factory=list)
    drop_rule: Annotated[list[str], _step("RULE", "Remove the rule with these conditions.")] = field(
        default_factory=list
    )
    points: Annotated[list[str], _step("RULE:POINTS", "Give a rule other points, such as 'age > 54: 3'.")] = (
        field(default_factory=list)
    )
    move_cut: Annotated[
        list[str], _step("FEATURE:OLD:NEW", "Move a cut point in all rules, such as 'age: 54: 55'.")
    ] = field(default_factory=list)
    add_rule: Annotated[
        list[str],
        _step(
            "RULE:POINTS",
            "Add a rule: 'age > 40 and state is north: 3', of several classes '...: 3 for a'.",
        ),
    ] = field(default_factory=list)
    drop_override: Annotated[list[str], _step("RULE", "Remove the override with these conditions.")] = field(
        default_factory=list
    )
    override: Annotated[
        list[str], _step("RULE:CLASS", "Always decide for a class where conditions hold: 'age <= 18: bad'.")
    ] = field(default_factory=list)
    refit: Annotated[
        bool,
        typer.Option("--refit", help="Fit the points again; needs --data.", rich_help_panel=_STEPS),
    ] = False
    keep_edited: Annotated[
        bool,
        typer.Option(
            "--keep-edited",
            help="With --refit: the rules that these steps add or change keep their points.",
            rich_help_panel=_STEPS,
        ),
    ] = False
    recalibrate: Annotated[
        bool,
        typer.Option(
            "--recalibrate",
            help="Fit the probabilities, or the unit and the constant, again; needs --data.",
            rich_help_panel=_STEPS,
        ),
    ] = False
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="SCORE,ODDS,DOUBLE",
            help="Write the points on a scale, such as 600,50,20: a total of 600 stands for odds of 50 to 1, "
            "and 20 points more double them.",
            show_default=False,
            rich_help_panel=_STEPS,
        ),
    ] = None
    turn: Annotated[
        bool,
        typer.Option("--turn", help="With --scale: points are for the other class.", rich_help_panel=_STEPS),
    ] = False
    cut_off: Annotated[
        int | None,
        typer.Option(
            metavar="TOTAL",
            help="Predict the positive class if the total is this or more.",
            show_default=False,
            rich_help_panel=_STEPS,
        ),
    ] = None
    data: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="Rows with classes or numbers, best ones that the scorecard was not made from.",
            show_default=False,
            rich_help_panel=_DATA,
        ),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the classes or numbers.",
            show_default=False,
            rich_help_panel=_DATA,
        ),
    ] = None
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of classes: the score beside log-loss, ROC AUC; f1 if not given.",
            show_default=False,
            rich_help_panel=_DATA,
        ),
    ] = None
    cv: Annotated[
        int, typer.Option(min=2, max=1000, help="Folds that judge what is fitted.", rich_help_panel=_DATA)
    ] = 5
    missing: Missing = field(default_factory=list)
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Keep the edited scorecard in this file. Without it, nothing is kept.",
            show_default=False,
            rich_help_panel=_RECORD,
        ),
    ] = None
    who: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Who edits.", show_default=False, rich_help_panel=_RECORD),
    ] = None
    why: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The reason.", show_default=False, rich_help_panel=_RECORD),
    ] = None
    quiet: Quiet = False


@command(
    EditOptions,
    """
clausal edit model.json --drop-rule 'age > 54' --data test.csv --target class
clausal edit model.json --points 'age > 54: 3' --output new.json --who Ada --why "a new law"
clausal edit model.json --override 'age <= 18: bad' --cut-off 12 --output new.json --who Ada --why "policy 7"
clausal edit model.json --refit --data later.csv --target class
clausal edit model.json --scale 600,50,20 --output points.json --who Ada --why "the scale of the bank"
""",
)
def edit(options: EditOptions) -> None:
    """Change a scorecard by hand: show what that does to its scores, and keep it with a record."""
    _check(options)
    screen = Screen(options.quiet)
    card = _card(options.model)
    X = y = None
    if options.data is not None and options.target is not None:
        reading = ReportOptions(
            model=options.model, table=options.data, target=options.target, missing=options.missing
        )
        X, y, *_ = labeled_rows(card, options.data, reading, screen)
    changed = _edited(card.edit(X, y, scoring=options.scoring, cv=options.cv), options)
    screen.result(str(changed))
    if options.output is None:
        screen.note("Nothing is kept without --output.")
        return
    assert options.who is not None
    assert options.why is not None
    changed.keep(who=options.who, why=options.why).save(options.output)
    screen.note(f"Scorecard: {options.output}")


def _check(options: EditOptions) -> None:
    """Refuse options that do not go together, and an edit without a step."""
    check_outputs([options.output], [path for path in (options.model, options.data) if path is not None])
    if (options.data is None) != (options.target is None):
        raise ValueError("--data and --target must be given together. Got only one of them.")
    for name, text in (("who", options.who), ("why", options.why)):
        if (text is None) != (options.output is None):
            got = "none" if text is None else f"{text!r} without --output"
            raise ValueError(f"--{name} must be given with --output, and only with it. Got {got}.")
    for name, given, needed, there in (
        ("--refit", options.refit, "--data", options.data is not None),
        ("--recalibrate", options.recalibrate, "--data", options.data is not None),
        ("--keep-edited", options.keep_edited, "--refit", options.refit),
        ("--turn", options.turn, "--scale", options.scale is not None),
    ):
        if given and not there:
            raise ValueError(f"{name} must be given with {needed}. Got it alone.")


def _card(path: str) -> Scorecard:
    model = load(path)
    if isinstance(model, (RuleClassifier, RuleRegressor)):
        return model.to_scorecard()
    if not isinstance(model, Scorecard):
        raise ValueError(
            f"A model to be edited must be a scorecard. Got a {type(model).__name__} in {path!r}."
        )
    return model


def _edited(change: Edit, options: EditOptions) -> Edit:
    """The edit with all steps, in the order of the help."""
    parts: list[tuple[list[str], Callable[[Edit, str], Edit]]] = [
        (options.lift, _lift),
        (options.drop_rule, _drop_rule),
        (options.points, _set_points),
        (options.move_cut, _move_cut),
        (options.add_rule, _add_rule),
        (options.drop_override, Edit.drop_override),
        (options.override, _add_override),
    ]
    for texts, step in parts:
        for text in texts:
            change = step(change, text)
    if options.refit:
        change = change.refit(keep="edited" if options.keep_edited else ())
    if options.recalibrate:
        change = change.recalibrate()
    if options.scale is not None:
        base, odds, double = _scale(options.scale)
        change = change.scale(base, odds, double, positive=not options.turn)
    if options.cut_off is not None:
        change = change.set_cut_off(options.cut_off)
    if not change.what:
        raise ValueError("An edit must have a step, such as --drop-rule or --points. Got none.")
    return change


# --- steps in words ---


def _lift(change: Edit, text: str) -> Edit:
    name, colon, item = text.partition(":")
    return change.lift(name.strip(), item.strip() if colon else None)


def _drop_rule(change: Edit, text: str) -> Edit:
    if change.after.rules_.n_banks == 1:
        return change.drop_rule(text)
    rule, label = _split("--drop-rule", text, "RULE: CLASS, as there are several classes")
    return change.drop_rule(rule, _label("--drop-rule", change, label))


def _set_points(change: Edit, text: str) -> Edit:
    return change.set_points(*_rule_and_points("--points", change, text))


def _add_rule(change: Edit, text: str) -> Edit:
    return change.add_rule(*_rule_and_points("--add-rule", change, text))


def _move_cut(change: Edit, text: str) -> Edit:
    wanted = "FEATURE: OLD: NEW, such as 'age: 54: 55'"
    rest, new = _split("--move-cut", text, wanted)
    feature, old = _split("--move-cut", rest, wanted)
    return change.move_cut(feature, _value(old), _value(new))


def _add_override(change: Edit, text: str) -> Edit:
    conditions, label = _split("--override", text, "RULE: CLASS, such as 'age <= 18: bad'")
    return change.add_override(conditions, _label("--override", change, label))


def _split(option: str, text: str, wanted: str) -> tuple[str, str]:
    """What is before and after the last colon."""
    first, colon, last = text.rpartition(":")
    if not (colon and first.strip() and last.strip()):
        raise ValueError(f"{option} must be {wanted}. Got {text!r}.")
    return first.strip(), last.strip()


_POINTS = re.compile(r"([+-]?\d{1,10})(?:\s+for\s+(.+))?", re.DOTALL)


def _rule_and_points(option: str, change: Edit, text: str) -> tuple[str, int, Any]:
    wanted = "RULE: POINTS, such as 'age > 54: 3', or of several classes 'age > 54: 3 for a'"
    rule, rest = _split(option, text, wanted)
    match = _POINTS.fullmatch(rest)
    if match is None:
        raise ValueError(f"{option} must be {wanted}. Got {text!r}.")
    return (
        rule,
        int(match[1]),
        None if match[2] is None else _label(f"{option} with a class", change, match[2]),
    )


def _label(option: str, change: Edit, text: str) -> Any:
    """The class of a text, as it is printed or as it is in the table; the text itself if there is none."""
    change.after.rules_.outcome.require_classes(option)
    labels = change.after.rules_.classes.tolist()
    return next((label for label in labels if text in (str(label), label_text(label))), text)


def _value(text: str) -> int | float | str:
    """A number, or an ordered category."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _scale(text: str) -> list[float]:
    try:
        return read_scale(text)
    except ValueError as error:
        raise ValueError(f"--scale {error}") from None
