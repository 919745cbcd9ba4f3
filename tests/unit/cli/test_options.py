"""Dataclasses of options as commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from typer.testing import CliRunner

from clausal.cli.options import command


@dataclass(kw_only=True)
class Shared:
    name: Annotated[str, typer.Argument()]
    listed: Annotated[list[str], typer.Option()] = field(default_factory=list)


@dataclass(kw_only=True)
class Own(Shared):
    number: Annotated[int | None, typer.Option("--number", "-n", min=1)] = None


def run(*args: str) -> tuple[int, list[Own], str]:
    called: list[Own] = []

    @command(Own, "own x --number 3\nown y")
    def own(options: Own) -> None:
        """What it does."""
        called.append(options)

    app: Any = typer.Typer()
    own.register(app)
    result = CliRunner().invoke(app, list(args))
    return result.exit_code, called, result.output


def test_the_fields_of_a_dataclass_are_arguments_and_options():
    assert run("x", "--listed", "a", "--listed", "b", "-n", "3")[1] == [
        Own(name="x", listed=["a", "b"], number=3)
    ]
    assert run("x")[1] == [Own(name="x", listed=[], number=None)]


def test_the_rules_of_options_hold():
    assert run("x", "-n", "0")[:2] == (2, [])
    assert run()[:2] == (2, [])


def test_the_help_has_the_first_words_and_the_examples():
    code, _, shown = run("--help")
    assert code == 0
    assert all(text in shown for text in ("What it does.", "Examples:", "own x --number 3"))
