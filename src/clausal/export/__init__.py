"""A model for other systems: a neutral document (document.py), a writer per target, a registry of them.

`export` of an estimator or a RuleSet and `clausal export` offer what is registered here. A new target is a
module with a function that returns text or bytes, and an entry below. Here too: `Exportable`, the base class
that gives an estimator `export`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from clausal.export.document import Probability
    from clausal.rules.rule_set import RuleSet


class Target(NamedTuple):
    """A target of `export`.

    Attributes
    ----------
    module, function : what writes it, imported when it is asked for
    needs : what the function is called with: "rules", "document", "self_test" (rows with their results)
    summary : what is written, for help
    options : names of the keyword arguments that it takes
    """

    module: str
    function: str
    needs: tuple[str, ...]
    summary: str
    options: tuple[str, ...] = ()


_TESTED = ("document", "self_test")
TARGETS = {
    "sql": Target(
        "clausal.export.sql",
        "to_sql",
        ("document",),
        "a SELECT that scores a table, in any dialect of sqlglot",
        ("dialect", "table", "keep", "vote", "prediction", "probability"),
    ),
    "python": Target("clausal.export.python", "to_python", _TESTED, "a Python module without dependencies"),
    "c": Target("clausal.export.c", "to_c", _TESTED, "a C99 header", ("name",)),
    "javascript": Target("clausal.export.javascript", "to_javascript", _TESTED, "an ES module"),
    "onnx": Target("clausal.export.onnx", "to_onnx", _TESTED, "an ONNX model"),
    "pmml": Target(
        "clausal.export.pmml",
        "to_pmml",
        ("rules", *_TESTED),
        "a PMML Scorecard with reason codes",
        ("target", "reference"),
    ),
    "excel": Target("clausal.export.excel", "to_excel", _TESTED, "a workbook with live formulas"),
    "json": Target("clausal.files.rules", "to_json", ("rules",), "JSON that RuleSet.from_json reads"),
    "markdown": Target("clausal.rules.render", "to_markdown", ("rules",), "a table in Markdown"),
    "text": Target("clausal.rules.render", "to_text", ("rules",), "plain text, one rule per line"),
}


def export_model(rules: RuleSet, to: str, probability: Probability | None = None, /, **options: Any) -> Any:
    """Rules for another system, with probabilities if it is known how votes become them; str or bytes."""
    if to not in TARGETS:
        raise ValueError(
            f"The 'to' parameter of export must be one of {', '.join(map(repr, TARGETS))}. Got {to!r}."
        )
    target = TARGETS[to]
    for name in options:
        if name not in target.options:
            known = ", ".join(target.options) or "no options"
            raise TypeError(f"export(to={to!r}) takes {known}. Got {name!r}.")
    if target.needs != ("rules",):
        rules.outcome.require_single(f"export(to={to!r})")
    write = getattr(import_module(target.module), target.function)
    return write(*(_input(need, rules, probability) for need in target.needs), **options)


def _input(need: str, rules: RuleSet, probability: Probability | None) -> Any:
    """What a writer is called with."""
    from clausal.export.document import rule_document
    from clausal.export.self_test import self_test

    match need:
        case "rules":
            return rules
        case "document":
            return rule_document(rules, probability)
        case _:
            return self_test(rules, probability)


def model_expressions(rules: RuleSet, probability: Probability | None = None) -> dict[str, Any]:
    """Rules as narwhals expressions, with probabilities if it is known how votes become them."""
    from clausal.export.document import rule_document
    from clausal.export.expressions import to_expressions

    rules.outcome.require_single("to_expressions")
    return to_expressions(rule_document(rules, probability))


class Exportable:
    """`export` for an estimator with `rules_` that knows how votes become probabilities."""

    rules_: RuleSet
    _probability: Callable[[], Probability]  # how votes become probabilities

    def export(self, to: str, **options: Any) -> Any:
        """The fitted model for another system, with its probabilities; docs/deployment.md shows each target.

        Parameters
        ----------
        to : {"sql", "python", "c", "javascript", "onnx", "pmml", "excel", "json", "markdown", "text"}
            The target. The votes and decisions, or numbers, of each are those of the model on every row.
        **options
            Those of the target. For "sql": those of `RuleSet.to_sql`, and `probability`, the name of a
            column. For "c": `name`, with which all names of the header begin. For "pmml": `target`, the
            class towards which lost points are reasons, the positive one if not given; and `reference`, a
            table whose mean points are the baseline of reasons, instead of the best; neither of a model
            that predicts numbers. None for others.

        Returns
        -------
        str, or bytes for "onnx" and "excel"
        """
        check_is_fitted(self)
        return export_model(self.rules_, to, self._probability(), **options)

    def to_expressions(self) -> dict[str, Any]:
        """The fitted model as narwhals expressions, which lazy tables compute where their data are.

        `narwhals.from_native(table).with_columns(**clf.to_expressions())` adds their columns to a lazy or
        eager table of polars, DuckDB, Dask, PySpark, Ibis, pandas or pyarrow. Of a model without rules, whose
        expressions are constants, `select` would give a single row. With several classes, `with_predictions`
        takes less time.

        Returns
        -------
        dict of str to narwhals.Expr
            `vote` (`vote <class>` for each of several classes), `prediction`, `probability <class>` for each
            class, and `rule 1`, `rule 2` and so on in the order of `rules_`: whether each holds. All of them
            are null in a row that the model refuses.
        """
        check_is_fitted(self)
        return model_expressions(self.rules_, self._probability())

    def with_predictions(self, table: Any) -> Any:
        """A table with added columns of predictions; a lazy table stays lazy.

        Parameters
        ----------
        table : lazy or eager table of polars, DuckDB, Dask, PySpark, Ibis, pandas or pyarrow
            It needs the features that rules test, by name.

        Returns
        -------
        table of the same type
            With the columns `vote` (`vote <class>` for each of several classes), `prediction` and
            `probability <class>` for each class, null in a row that the model refuses. Infinite numbers are
            not checked.
        """
        from clausal.export.document import rule_document
        from clausal.export.expressions import with_predictions

        check_is_fitted(self)
        self.rules_.outcome.require_single("with_predictions")
        return with_predictions(rule_document(self.rules_, self._probability()), table)
