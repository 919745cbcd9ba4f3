"""RuleSet, a model made of rules: what it prints is what it computes.

It contains the encoding of a table, so that it can predict on its own. Not here: a single rule (rule.py),
extraction of rules from a machine (machine/clause_model.py), simplification (simplify.py), text and HTML
(render.py), and files (files/rules.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.columns import Column
from clausal.encoding.encoding import Encoding
from clausal.frames import FrameBackend, make_frame
from clausal.outcome import Outcome, make_outcome
from clausal.rules import render
from clausal.rules.render import RuleDifference, difference
from clausal.rules.rule import Rule, check_votes, checked_constants, checked_rules
from clausal.rules.statistics import RuleStatistics, rule_statistics
from clausal.wording import Number

_BLOCK_ROWS = 4096  # rows evaluated at a time, to limit memory

Votes = NDArray[Any]


class RuleSet(Sequence[Rule]):
    """An immutable model made of rules, those with the most points first.

    Parameters
    ----------
    rules : iterable of Rule
        Each rule adds its points to the vote of its bank on the rows where it holds.
    encoding : Encoding or fitted Booleanizer
        How a table becomes the columns that the literals test.
    classes : array-like or Outcome
        Class labels in order. Two classes share one bank, whose vote is for the second one, the positive
        class; K > 2 classes have one bank each.
    constants : sequence of int or float, one per bank, default=None
        The vote of each bank before any rule is added; None means zeros.

    Attributes
    ----------
    encoding, constants
        The encoding and the constants.
    outcome : Outcome
        What votes mean.
    classes : ndarray
        The class labels, read-only.

    Notes
    -----
    The vote is the constant plus the points of the rules that hold. Two classes: the positive class is
    predicted if the vote is 0 or more. More classes: the highest vote wins, the first class on a tie.

    Two rule sets are equal if they have the same rules in the same order, and the same constants, classes and
    encoding. Equal rule sets have equal hashes.
    """

    encoding: Encoding
    outcome: Outcome
    constants: tuple[Number, ...]
    _rules: tuple[Rule, ...]

    def __init__(
        self,
        rules: Iterable[Rule],
        encoding: Encoding | Any,
        classes: Any,
        constants: Sequence[int | float] | None = None,
    ) -> None:
        if isinstance(encoding, BaseEstimator):
            check_is_fitted(encoding, "encoding_")
            encoding = encoding.encoding_
        if not isinstance(encoding, Encoding):
            raise TypeError(
                f"encoding must be an Encoding or a fitted Booleanizer. Got {type(encoding).__name__}."
            )
        outcome = make_outcome(classes)
        numbers = checked_constants(constants, outcome.n_banks)
        checked = checked_rules(rules, encoding.columns, outcome)
        check_votes(checked, numbers)
        vars(self).update(encoding=encoding, outcome=outcome, constants=numbers, _rules=checked)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A RuleSet cannot be changed; use `with_rules`. Got a new value of {name!r}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A RuleSet cannot be changed. Got {name!r} to delete.")

    # --- a sequence of rules ---

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> RuleSet: ...
    def __getitem__(self, index: int | slice) -> Rule | RuleSet:
        return self.with_rules(self._rules[index]) if isinstance(index, slice) else self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleSet):
            return NotImplemented
        return self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    @property
    def _parts(self) -> tuple[object, ...]:
        return self._rules, self.constants, self.outcome, self.encoding

    def with_rules(self, rules: Iterable[Rule], constants: Sequence[int | float] | None = None) -> RuleSet:
        """A RuleSet with other rules (and constants, if given), and the same encoding and classes."""
        return RuleSet(rules, self.encoding, self.outcome, self.constants if constants is None else constants)

    def with_encoding(self, encoding: Encoding) -> RuleSet:
        """A RuleSet with the same rules and another encoding of the same columns, such as another policy."""
        return RuleSet(self._rules, encoding, self.outcome, self.constants)

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self._rules)

    @property
    def n_literals(self) -> int:
        """Number of conditions of all rules: an interval counts as 2, and so does `not in {a, b}`."""
        return sum(len(rule.literals) for rule in self._rules)

    @property
    def n_banks(self) -> int:
        """Number of votes per row: 1 for two classes, K for K > 2 classes."""
        return self.outcome.n_banks

    @property
    def columns(self) -> tuple[Column, ...]:
        """The meaning of each boolean column that a literal may test."""
        return self.encoding.columns

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes as printed."""
        return self.outcome.class_names

    @property
    def classes(self) -> NDArray[Any]:
        """The class labels, read-only."""
        return self.outcome.classes

    # --- votes and predictions ---

    def fires(self, X: Any) -> NDArray[np.bool_]:
        """Which rules hold on which rows of a table, bool [n, rules]."""
        return self.fires_on(self.bits(X))

    def fires_on(self, bits: Any) -> NDArray[np.bool_]:
        """Which rules hold on which rows of boolean columns, as `bits` gives them; bool [n, rules]."""
        bits = bits if hasattr(bits, "toarray") else np.asarray(bits)
        columns, tests = self._tests
        fires = np.empty((len(self), bits.shape[0]), bool)  # the rows of a rule are contiguous
        for start in range(0, bits.shape[0], _BLOCK_ROWS):
            block = bits[start : start + _BLOCK_ROWS][:, columns]
            values = (block.toarray() if hasattr(block, "toarray") else block).T
            literals = np.concatenate([values == 1, values == 0])
            for index, test in enumerate(tests):
                np.logical_and.reduce(literals[test], out=fires[index, start : start + _BLOCK_ROWS])
        return fires.T

    def votes(self, X: Any) -> Votes:
        """The constant plus the points of the rules that hold; shape (n,) for two classes, else (n, K)."""
        bits = self.bits(X)
        blocks = range(0, max(bits.shape[0], 1), _BLOCK_ROWS)
        return np.concatenate(
            [self.votes_of(self.fires_on(bits[start : start + _BLOCK_ROWS])) for start in blocks]
        )

    def votes_of(self, fires: NDArray[np.bool_]) -> Votes:
        """The votes, given which rules hold, bool [n, rules]."""
        numbers = [*self.constants, *(rule.points for rule in self._rules)]
        whole = all(isinstance(number, int) for number in numbers)
        votes = np.empty((self.n_banks, len(fires)), np.int64 if whole else np.float64)
        votes[:] = np.array(self.constants)[:, None]
        for index, rule in enumerate(self._rules):
            votes[rule.bank] += rule.points * fires[:, index]
        return np.ascontiguousarray(self.outcome.flat(votes.T))

    def decide(self, votes: Votes) -> NDArray[np.intp]:
        """The indices of the predicted classes."""
        return self.outcome.decide(self.outcome.banked(votes))

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted class of each row."""
        return np.asarray(self.classes[self.decide(self.votes(X))])

    def bits(self, X: Any) -> Any:
        """The boolean columns of a table, uint8 [n, columns], dense or sparse; see `Encoding.bits`.

        Only the features that rules test are read. A data frame may have other columns, in any order.
        """
        table = self.encoding.read_by_name(X, self.used_features)
        return self.encoding.bits_with_warning(table, self.used_features)

    @cached_property
    def used_features(self) -> frozenset[int]:
        """The indices of the features that some rule tests."""
        return frozenset(feature for rule in self._rules for feature in rule.features)

    @cached_property
    def _tests(self) -> tuple[list[int], list[list[int]]]:
        """The columns that are tested, and the literals of each rule as indices into [columns, negations]."""
        columns = sorted({literal.position for rule in self._rules for literal in rule.literals})
        indices = {column: index for index, column in enumerate(columns)}
        tests = [
            [indices[literal.position] + len(columns) * literal.negated for literal in rule.literals]
            for rule in self._rules
        ]
        return columns, tests

    # --- text and data frames ---

    def to_text(self) -> str:
        """How to decide, then one rule per line: points, their class if there are more than two, conditions.

        Footnotes describe the effect of missing values and unknown categories, if it is not obvious.
        """
        return render.to_text(self)

    def to_markdown(self) -> str:
        """Like `to_text`, with the rules in a Markdown table."""
        return render.to_markdown(self)

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
        """
        rules = self._rules
        return make_frame(
            {
                "points": [rule.points for rule in rules],
                "speaks_for": [rule.speaks_for for rule in rules],
                "rule": [str(rule) for rule in rules],
                "n_literals": [len(rule.literals) for rule in rules],
                "bank": [rule.bank for rule in rules],
            },
            backend,
        )

    def diff(self, other: RuleSet) -> RuleDifference:
        """The rules that only one of two sets has, the rules with different points, and differing constants.

        `other` is a RuleSet for the same classes, possibly on other columns. The result can be printed.
        """
        return difference(self, other)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"RuleSet of {len(self)} rules, {self.n_literals} literals"

    def _repr_html_(self) -> str:
        return render.to_html(self)

    # --- files ---

    def to_dict(self) -> dict[str, Any]:
        """The model as JSON-compatible values."""
        from clausal.files.rules import plain_rules

        return plain_rules(self)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The inverse of `to_dict`; raises ValueError for anything else."""
        from clausal.files.rules import read_rules

        return cls(**read_rules(data))

    def to_json(self) -> str:
        """The model as JSON text, identical for equal models; see docs/formats.md."""
        from clausal.files.rules import to_json

        return to_json(self)

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
        return rule_statistics(self, X, y, X_test, y_test, confidence)

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
            Name of the column for the predicted class.

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

        return model_expressions(self)

    def export(self, to: str, **options: Any) -> Any:
        """The rules for another system, as text or bytes; see docs/deployment.md for targets and options."""
        from clausal.export import export_model

        return export_model(self, to, **options)
