"""How a RuleSet is shown, written and measured: text, data frames, JSON, exports, statistics, differences.

`RuleViews` is the base class that gives a RuleSet these methods. Not here: what the rules compute
(rule_set.py), and each of these forms (render.py, statistics.py, files/rules.py, clausal.export).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, cast

from clausal.frames import FrameBackend, make_frame
from clausal.rules import render
from clausal.rules.render import RuleDifference, difference
from clausal.rules.statistics import RuleStatistics, rule_statistics
from clausal.wording import label_text

if TYPE_CHECKING:
    from clausal.rules.rule_set import RuleSet


class RuleViews:
    """The methods of a RuleSet that show it, write it or measure its rules."""

    @property
    def _whole(self) -> RuleSet:
        """The RuleSet itself: no other class has these methods."""
        return cast("RuleSet", self)

    # --- text and data frames ---

    def to_text(self) -> str:
        """How to decide, then one rule per line: points, their class if there are more than two, conditions.

        Footnotes describe the effect of missing values and unknown categories, if it is not obvious.
        """
        return render.to_text(self._whole)

    def to_markdown(self) -> str:
        """Like `to_text`, with the rules in a Markdown table."""
        return render.to_markdown(self._whole)

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """The rules as a data frame.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow", default=None
            The library of the data frame; None selects the first one that is installed.

        Returns
        -------
        data frame
            One row per rule: `points`, what it adds to the vote of its bank; `speaks_for`, the class in favor
            of which that is, as printed (`'bad loan'`); `rule`, the conditions; `n_literals`; `bank`.
            With overrides, one more row for each, with neither points nor a bank, and a column `override`.
        """
        rules, overrides = list(self._whole), self._whole.overrides
        columns: dict[str, list[Any]] = {
            "points": [*(rule.points for rule in rules), *(None for _ in overrides)],
            "speaks_for": [*(r.speaks_for for r in rules), *(label_text(o.label) for o in overrides)],
            "rule": [str(each) for each in (*rules, *overrides)],
            "n_literals": [len(each.literals) for each in (*rules, *overrides)],
            "bank": [*(rule.bank for rule in rules), *(None for _ in overrides)],
        }
        if overrides:
            columns["override"] = [False] * len(rules) + [True] * len(overrides)
        return make_frame(columns, backend)

    def diff(self, other: RuleSet) -> RuleDifference:
        """The rules that only one of two sets has, the rules with different points, and differing constants.

        `other` is a RuleSet for the same classes, possibly on other columns. The result can be printed.
        """
        return difference(self._whole, other)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"RuleSet of {len(self._whole)} rules, {self._whole.n_literals} literals"

    def _repr_html_(self) -> str:
        return render.to_html(self._whole)

    # --- files ---

    def to_dict(self) -> dict[str, Any]:
        """The model as JSON-compatible values."""
        from clausal.files.rules import plain_rules

        return plain_rules(self._whole)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`; raises ValueError for anything else."""
        from clausal.files.rules import read_rules

        return cls(**read_rules(data))

    def to_json(self) -> str:
        """The model as JSON text, identical for equal models; see docs/formats.md."""
        from clausal.files.rules import to_json

        return to_json(self._whole)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the output of `to_json`; safe for untrusted text.

        Raises
        ------
        ValueError : the text is not a rule set, is damaged, or was written by a newer version
        """
        from clausal.files.rules import read_json

        return cls(**read_json(text))

    # --- statistics and SQL ---

    def statistics(
        self, X: Any, y: Any, X_test: Any = None, y_test: Any = None, *, confidence: float = 0.95
    ) -> RuleStatistics:
        """How often each rule holds and how often it is right, with intervals, and which rules overlap.

        Parameters
        ----------
        X, y : table and array-like of n labels
            The rows to look at, whether the rules were learned from them or not.
        X_test, y_test : table and array-like of n labels, default=None
            Test data with statistics of their own; `X` and `y` are then called training data.
        confidence : float, default=0.95
            Confidence level of the intervals, between 0 and 1.

        Returns
        -------
        RuleStatistics
            Can be printed; see its `to_frame()`, `train`, `test`, `overlap` and `most_overlapping()`.
        """
        return rule_statistics(self._whole, X, y, X_test, y_test, confidence)

    def to_sql(
        self,
        dialect: str = "duckdb",
        table: str = "data",
        *,
        keep: str | Sequence[str] = "*",
        vote: str = "vote",
        prediction: str = "prediction",
    ) -> str:
        """A SQL query that computes the vote and the class of each row, like `votes` and `predict`.

        Parameters
        ----------
        dialect : str, default="duckdb"
            Any dialect of sqlglot: "sqlite", "postgres", "snowflake", "bigquery", "mysql", "tsql" and others.
        table : str, default="data"
            Name of the table, optionally qualified: `schema.table` or `catalog.schema.table`.
        keep : "*" or list of str, default="*"
            The columns of the table to pass through: all of them, or those listed, such as a key.
        vote : str, default="vote"
            Name of the column for the vote. With more than two classes there is one column per class, such as
            `vote_setosa`.
        prediction : str, default="prediction"
            Name of the column for the predicted class. With overrides, `prediction_override` (or another name
            with that end) is the number of the override that decides, from 1, NULL where none does.

        Returns
        -------
        str
            One SELECT statement, with one line per rule. The table needs only the features that rules test.
            With `keep="*"`, prediction and votes come first, then the columns of the table. A column of the
            table that has the name of one of them is a second column of that name, or an error.

        Notes
        -----
        Names are quoted. Columns must have the same kind as in training: numbers a numeric type, compared as
        float64; categories the same texts or numbers; booleans BOOLEAN or, if the database allows it, 0 and
        1. Texts are compared exactly in MySQL and MariaDB, and by the collation of the column elsewhere: that
        of SQL Server ignores case, and spaces at the end, unless another is chosen.

        NULL and NaN are missing values. `handle_missing` and `handle_unknown` of the Booleanizer have their
        usual effect. For a row that Python would refuse because of a missing value or an unknown category,
        votes and class are NULL if a rule tests that feature. Infinite numbers are not checked.
        """
        options = {"keep": keep, "vote": vote, "prediction": prediction}
        return str(self.export("sql", dialect=dialect, table=table, **options))

    def to_expressions(self) -> dict[str, Any]:
        """Those of `RuleClassifier.to_expressions`, without probabilities."""
        from clausal.export import model_expressions

        return model_expressions(self._whole)

    def export(self, to: str, **options: Any) -> Any:
        """The rules for another system, as text or bytes; see docs/deployment.md for targets and options."""
        from clausal.export import export_model

        return export_model(self._whole, to, **options)
