"""`clausal info` and `clausal rules`: this installation, and what a model file holds."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer

from clausal import load
from clausal.cli.options import ModelPath, command
from clausal.cli.screen import Screen, counted, show_model
from clausal.encoding.columns import category_text, name_text

_LIBRARIES = {
    "numpy": "arrays",
    "scipy": "numerical functions",
    "scikit-learn": "conventions, metrics",
    "narwhals": "any table library",
    "pandas": "tables",
    "polars": "tables, Parquet",
    "pyarrow": "tables, Parquet",
    "sqlglot": "export to SQL",
    "matplotlib": "plots",
    "optuna": "its tuners",
}


_MAX_SHOWN_CATEGORIES = 5


@dataclass(kw_only=True)
class InfoOptions:
    """The options; see the help of each."""

    model: Annotated[
        str | None,
        typer.Argument(metavar="[MODEL]", help="Model file that fit or tune wrote.", show_default=False),
    ] = None


@command(
    InfoOptions,
    """
clausal info
clausal info model.json
""",
)
def info(options: InfoOptions) -> None:
    """Print versions and libraries of this installation or, given a model, the values that its file holds."""
    if options.model is not None:
        _show_model(load(options.model), Screen())
    else:
        _show_installation()


def _show_model(clf: Any, screen: Screen) -> None:
    """Print what each feature keeps of the training data: values of people may be among them."""
    encoding, used = clf.encoding_, clf.rules_.used_features
    rows = [
        (name_text(name), "yes" if index in used else "no", _kept(feature))
        for index, (name, feature) in enumerate(zip(encoding.feature_names, encoding.features, strict=True))
    ]
    head = ("feature", "tested by rules", "kept of the training data")
    screen.result_table(head, rows, "What the file holds")
    n_values = sum(len(getattr(feature, "categories", ())) for feature in encoding.features)
    screen.result(f"The file holds {counted(n_values, 'value')} of categories and no rows.")


def _kept(feature: Any) -> str:
    """What a feature keeps of the training data."""
    if feature.n_columns == 0:
        return "nothing"
    categories = getattr(feature, "categories", ())
    if not categories:
        return "nothing" if feature.kind == "boolean" else counted(len(feature.cuts), "cut point")
    shown = [category_text(category) for category in categories[:_MAX_SHOWN_CATEGORIES]]
    if len(categories) > len(shown):
        shown.append(f"{len(categories) - len(shown):,} more")
    return ", ".join(shown)


def _show_installation() -> None:
    from clausal import __version__
    from clausal.engine.native import available_instruction_sets, instruction_set

    screen = Screen()
    rows = [
        ("clausal", __version__),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("instruction set", f"{instruction_set()} (available: {', '.join(available_instruction_sets())})"),
        ("threads", str(os.cpu_count() or 1)),
    ]
    screen.result_table(("property", "value"), rows, "This installation")
    libraries = [(name, _version(name), use) for name, use in _LIBRARIES.items()]
    screen.result_table(("library", "version", "for"), libraries, "Libraries")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


@dataclass(kw_only=True)
class RulesOptions:
    """The options; see the help of each."""

    model: ModelPath


@command(RulesOptions, "clausal rules model.json")
def rules(options: RulesOptions) -> None:
    """Print the rules of a model, which are the whole model, and the risk of each score."""
    show_model(load(options.model), Screen())
