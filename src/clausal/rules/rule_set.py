"""A model made of rules: what it prints is what it computes.

A RuleSet knows how to read a table, so that its votes, and its decisions, need nothing but itself.
Not here: one rule (rule.py), how rules are read off a machine (extract.py) and made shorter (simplify.py);
how they look on paper (render.py) and in a file (files/rules.py).
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
from clausal.outcome import Number, Outcome, make_outcome
from clausal.rules import render
from clausal.rules.difference import RuleDifference, difference
from clausal.rules.rule import Rule, check_votes, checked_constants, checked_rules
from clausal.rules.statistics import RuleStatistics, rule_statistics

_BLOCK_ROWS = 4096  # rows evaluated at a time, so that memory stays small

Votes = NDArray[Any]


class RuleSet(Sequence[Rule]):
    """The rules of a model, the weightiest first: a model of its own, which nothing can change.

    Parameters
    ----------
    rules : iterable of Rule
        Each adds its points to the vote of its bank on the rows where it holds.
    encoding : Encoding or fitted Booleanizer
        How a table becomes the columns that the literals test.
    classes : array-like or Outcome
        Class labels in order. Two classes share one bank, whose vote speaks for the second; K > 2 classes
        have one bank each.
    constants : sequence of int or float, one per bank, default=None
        What every row gets; None stands for zeros.

    Attributes
    ----------
    encoding, constants
        As given.
    outcome : Outcome
        What votes mean.
    classes : ndarray
        The class labels, read-only.

    Notes
    -----
    The constant plus the points of the rules that hold is the vote. Two classes: a vote of 0 or more is the
    second one. More: the highest vote wins, the first class on a tie.

    Equal are sets of the same rules in the same order with the same constants, classes and encoding. Equal
    sets have equal hashes.
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
        made = checked_rules(rules, encoding.columns, outcome)
        check_votes(made, numbers)
        vars(self).update(encoding=encoding, outcome=outcome, constants=numbers, _rules=made)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A RuleSet cannot be changed; `with_rules` makes another. Got a new {name!r}.")

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
        """Other rules (and constants, if given) on the same table and classes."""
        return RuleSet(rules, self.encoding, self.outcome, self.constants if constants is None else constants)

    def with_encoding(self, encoding: Encoding) -> RuleSet:
        """The same rules on an encoding of the same columns, such as one with another policy."""
        return RuleSet(self._rules, encoding, self.outcome, self.constants)

    @property
    def n_rules(self) -> int:
        """How many rules there are."""
        return len(self._rules)

    @property
    def n_literals(self) -> int:
        """Conditions summed over rules: an interval counts 2, `not in {a, b}` counts 2."""
        return sum(len(rule.literals) for rule in self._rules)

    @property
    def n_banks(self) -> int:
        """Votes per row: 1 for two classes, K for K."""
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

    # --- what the rules compute ---

    def fires(self, X: Any) -> NDArray[np.bool_]:
        """Which rules hold on which rows of a table, bool [n, rules]."""
        return self.fires_on(self.bits(X))

    def fires_on(self, bits: Any) -> NDArray[np.bool_]:
        """Which rules hold on which rows of boolean columns (dense or sparse), bool [n, rules]."""
        bits = bits if hasattr(bits, "toarray") else np.asarray(bits)
        columns, tests = self._tests
        fires = np.empty((len(self), bits.shape[0]), bool)  # a rule's rows side by side
        for start in range(0, bits.shape[0], _BLOCK_ROWS):
            block = bits[start : start + _BLOCK_ROWS][:, columns]
            holds = (block.toarray() if hasattr(block, "toarray") else block).T != 0
            literals = np.concatenate([holds, ~holds])
            for place, test in enumerate(tests):
                np.logical_and.reduce(literals[test], out=fires[place, start : start + _BLOCK_ROWS])
        return fires.T

    def votes(self, X: Any) -> Votes:
        """Constant plus points of the rules that hold: shape (n,) for two classes, (n, K) for more."""
        bits = self.bits(X)
        blocks = range(0, max(bits.shape[0], 1), _BLOCK_ROWS)
        return np.concatenate(
            [self.votes_of(self.fires_on(bits[start : start + _BLOCK_ROWS])) for start in blocks]
        )

    def votes_of(self, fires: NDArray[np.bool_]) -> Votes:
        """The votes that follow from which rules hold, bool [n, rules]."""
        numbers = [*self.constants, *(rule.points for rule in self._rules)]
        whole = all(isinstance(number, int) for number in numbers)
        votes = np.empty((self.n_banks, len(fires)), np.int64 if whole else np.float64)
        votes[:] = np.array(self.constants)[:, None]
        for place, rule in enumerate(self._rules):
            votes[rule.bank] += rule.points * fires[:, place]
        return np.ascontiguousarray(self.outcome.flat(votes.T))

    def decide(self, votes: Votes) -> NDArray[np.intp]:
        """Indices of the classes: v >= 0 for two, the highest vote (the first on a tie) for more."""
        return self.outcome.decide(self.outcome.banked(votes))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        labels: NDArray[Any] = self.classes[self.decide(self.votes(X))]
        return labels

    def bits(self, X: Any) -> Any:
        """The boolean columns of a table, uint8 [n, columns], dense or sparse."""
        return self.encoding.bits(X)

    @cached_property
    def _tests(self) -> tuple[list[int], list[list[int]]]:
        """The columns that literals test, and each rule's literals as places among them, negations behind."""
        columns = sorted({literal.position for rule in self._rules for literal in rule.literals})
        place = {column: place for place, column in enumerate(columns)}
        tests = [
            [place[literal.position] + len(columns) * literal.negated for literal in rule.literals]
            for rule in self._rules
        ]
        return columns, tests

    # --- on paper ---

    def to_text(self) -> str:
        """How to decide, then one rule per line: points, whom they speak for, conditions.

        Footnotes say what the encoding does with values that training did not have, where it matters.
        """
        return render.to_text(self)

    def to_markdown(self) -> str:
        """As `to_text`, with the rules in a table."""
        return render.to_markdown(self)

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """The rules as a data frame.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow", default=None
            The library of the frame; None takes the first that is installed.

        Returns
        -------
        data frame
            One row per rule: `points` and the class they are for (`speaks_for`), as printed; `rule`, its
            conditions; `n_literals`; `bank` and `vote_change`, what it adds to the vote of that bank.
        """
        rules = self._rules
        return make_frame(
            {
                "points": [abs(rule.points) for rule in rules],
                "speaks_for": [rule.speaks_for for rule in rules],
                "rule": [str(rule) for rule in rules],
                "n_literals": [len(rule.literals) for rule in rules],
                "bank": [rule.bank for rule in rules],
                "vote_change": [rule.points for rule in rules],
            },
            backend,
        )

    def diff(self, other: RuleSet) -> RuleDifference:
        """What tells another set of rules from this one; printed, it reads as text.

        Parameters
        ----------
        other : RuleSet
            Rules for the same classes; its columns may be others.

        Returns
        -------
        RuleDifference
            Rules only here, rules only there, rules with other points, and constants that differ.
        """
        return difference(self, other)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"RuleSet of {len(self)} rules, {self.n_literals} literals"

    def _repr_html_(self) -> str:
        return render.to_html(self)

    # --- in a file ---

    def to_dict(self) -> dict[str, Any]:
        """The whole model in plain values that JSON can hold."""
        from clausal.files.rules import plain_rules

        return plain_rules(self)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The RuleSet that `to_dict` described; raises ValueError for anything else."""
        from clausal.files.rules import read_rules

        return cls(**read_rules(data))

    def to_json(self) -> str:
        """The whole model as JSON text, the same for equal models; docs/formats.md describes it."""
        from clausal.files.rules import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the text that `to_json` gave; safe for text from strangers.

        Parameters
        ----------
        text : str
            The JSON.

        Returns
        -------
        RuleSet
            Equal to the one written: it scores every row the same.

        Raises
        ------
        ValueError
            If the text is not a rule set, is damaged, or was written by a newer version.
        """
        from clausal.files.rules import read_json

        return cls(**read_json(text))

    # --- on data, in databases ---

    def statistics(
        self, X: Any, y: Any, X_test: Any = None, y_test: Any = None, *, confidence: float = 0.95
    ) -> RuleStatistics:
        """How often each rule fires and how often it is right, with intervals, and which rules overlap.

        Parameters
        ----------
        X, y : table and array-like of n labels
            Training data.
        X_test, y_test : table and array-like of n labels, default=None
            Held-out data, whose numbers stand beside those of the training data.
        confidence : float, default=0.95
            Of the intervals, between 0 and 1.

        Returns
        -------
        RuleStatistics
            Readable when printed; `to_frame()`, `train`, `test`, `overlap`, `most_overlapping()`.
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
        """A SQL query that gives each row of a table its vote and its class, as `votes` and `predict` do.

        Parameters
        ----------
        dialect : str, default="duckdb"
            Any dialect of sqlglot: "sqlite", "postgres", "snowflake", "bigquery", "mysql", "tsql" and others.
        table : str, default="data"
            Name of the table, with a schema, or a catalog and a schema, and dots before it if need be.
        keep : "*" or list of str, default="*"
            Which columns of the table to pass through: all of them, or those named, such as a key.
        vote : str, default="vote"
            Name of the column of the vote; with more than two classes there is one column per class, such as
            `vote_setosa`.
        prediction : str, default="prediction"
            Name of the column of the class.

        Returns
        -------
        str
            One SELECT, a line per rule. Only features that rules test need be in the table.

        Notes
        -----
        Names are quoted and mean exactly themselves. Columns must be of the kind they were in training:
        numbers of a numeric type, compared as float64; categories the same texts or numbers; booleans BOOLEAN
        or, where the database allows it, 0 and 1. Texts are told apart as the database's collation does.

        NULL is a missing value, and so is NaN. Where Python refuses a row, because a value is missing in a
        feature that never was in training, or a category is unknown, its votes and class are NULL, if a rule
        tests that feature; `handle_missing` and `handle_unknown` of the Booleanizer have their usual effect.
        Infinite numbers are not looked for.
        """
        options = {"keep": keep, "vote": vote, "prediction": prediction}
        return self.export("sql", dialect=dialect, table=table, **options)

    def export(self, to: str, **options: Any) -> str:
        """The rules as text for another system.

        Parameters
        ----------
        to : {"sql", "json", "markdown", "text"}
            What to write.
        **options
            Of the target: those of `to_sql` for SQL, none for the others.

        Returns
        -------
        str
            The text.
        """
        from clausal.export import export_rules

        return export_rules(self, to, **options)
