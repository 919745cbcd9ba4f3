"""`clausal info` and `clausal rules`: this installation, and what a model file holds."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer

from clausal import Scorecard, load
from clausal.cli.options import ModelPath, command
from clausal.cli.screen import Screen, counted, show_model
from clausal.encoding.columns import category_text, name_text, number_text

_LIBRARIES = {
    "numpy": "arrays",
    "scipy": "numerical functions",
    "scikit-learn": "conventions, metrics",
    "narwhals": "any table library",
    "pandas": "tables",
    "polars": "tables, Parquet",
    "pyarrow": "tables, Parquet",
    "sqlglot": "export to SQL",
    "onnx": "export to ONNX",
    "openpyxl": "export to Excel",
    "fastapi": "serve",
    "uvicorn": "serve",
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
    alternatives = [other.rules for other in getattr(clf, "alternatives_", ())]
    others = [rules.encoding for rules in alternatives]
    also = {feature for rules in alternatives for feature in rules.used_features}
    kept = [
        _Kept.of([each.features[index] for each in (encoding, *others)])
        for index in range(len(encoding.features))
    ]
    rows = [
        (name_text(name), _tested(index in used, index in also), str(kept[index]))
        for index, name in enumerate(encoding.feature_names)
    ]
    head = ("feature", "tested by rules", "kept of the training data")
    screen.result_table(head, rows, "What the file holds")
    n_values = sum(len(each.categories) for each in kept)
    screen.result(f"The file holds {counted(n_values, 'value')} of categories and no rows.")
    if texts := _constraint_texts(clf):
        screen.result("\nConstraints:")
    for text in texts:
        screen.result(f"- {text}")
    if log := getattr(clf, "log_", ()):
        screen.result(f"\nThe log, {counted(len(log), 'edit')}:")
    for number, entry in enumerate(log, 1):
        screen.result(f"{number}. {entry}")


def _constraint_texts(clf: Any) -> list[str]:
    """The constraints of a scorecard in words, with their names."""
    card = clf.to_scorecard() if hasattr(clf, "to_scorecard") else clf
    if not isinstance(card, Scorecard):
        return []
    return [f"{text} ({name})" for name, _, text in card._constraints.texts(card.encoding_)]


def _tested(by_rules: bool, by_alternatives: bool) -> str:
    return "yes" if by_rules else "by alternatives" if by_alternatives else "no"


@dataclass(frozen=True)
class _Kept:
    """What the scorecard and its alternatives keep of a feature's values in the training data."""

    categories: tuple[Any, ...]
    n_cuts: int
    special: tuple[float, ...] = ()

    @classmethod
    def of(cls, features: list[Any]) -> _Kept:
        """What is kept by any of these features, which are the same one in different encodings."""
        kept = [feature for feature in features if feature.n_columns > 0]
        categories = dict.fromkeys(value for each in kept for value in getattr(each, "categories", ()))
        ordered = [each for each in kept if each.kind != "boolean" and not hasattr(each, "categories")]
        cuts = {cut for each in ordered for cut in each.cuts}
        special = dict.fromkeys(value for each in ordered for value in getattr(each, "special", ()))
        return cls(tuple(categories), len(cuts), tuple(special))

    def __str__(self) -> str:
        if not self.categories:
            cuts = [counted(self.n_cuts, "cut point")] if self.n_cuts else []
            special = [f"special {', '.join(map(number_text, self.special))}"] if self.special else []
            return ", ".join([*cuts, *special]) or "nothing"
        shown = [category_text(category) for category in self.categories[:_MAX_SHOWN_CATEGORIES]]
        if len(self.categories) > len(shown):
            shown.append(f"{len(self.categories) - len(shown):,} more")
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
