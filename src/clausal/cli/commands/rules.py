"""`clausal rules`: the rules and scores of a model."""

from __future__ import annotations

from dataclasses import dataclass

from clausal import load
from clausal.cli.options import ModelPath, command
from clausal.cli.screen import Screen
from clausal.cli.training import show_model


@dataclass(kw_only=True)
class RulesOptions:
    """The options; see the help of each."""

    model: ModelPath


@command(RulesOptions, "clausal rules model.json")
def rules(options: RulesOptions) -> None:
    """Print the rules of a model, which are the whole model, and the risk of each score."""
    show_model(load(options.model), Screen())
