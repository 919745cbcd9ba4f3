"""RuleSet, a model made of rules: what it prints is what it computes.

It contains the encoding of a table, so that it can predict on its own. Not here: a single rule (rule.py),
extraction of rules from a machine (machine/clause_model.py), simplification (simplify.py), how rules are
shown and written (views.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.columns import Column
from clausal.encoding.encoding import Encoding
from clausal.encoding.patches import PatchRows
from clausal.outcome import Outcome, make_outcome
from clausal.rules.rule import (
    Override,
    Rule,
    check_votes,
    checked_constants,
    checked_number,
    checked_overrides,
    checked_rules,
)
from clausal.rules.views import RuleViews
from clausal.wording import Number

_BLOCK_ROWS = 4096  # rows evaluated at a time, to limit memory

Votes = NDArray[Any]


class RuleSet(RuleViews, Sequence[Rule]):
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
    cut_off : int or float, default=None
        The vote from which on the positive one of two classes is predicted; None means that of `classes` if
        it is an Outcome, else 0.
    overrides : iterable of Override, default=()
        Conditions that decide for a class wherever they hold, whatever the votes; the first one that holds
        decides.

    Attributes
    ----------
    encoding, constants, overrides
        As given.
    outcome : Outcome
        What votes mean.
    classes : ndarray
        The class labels, read-only.

    Notes
    -----
    The vote is the constant plus the points of the rules that hold. Two classes: the positive class is
    predicted if the vote is at least the cut-off. More classes: the highest vote wins, the first class on a
    tie. An override changes the predicted class, never a vote.

    Two rule sets are equal if they have the same rules in the same order, and the same constants, classes,
    cut-off, overrides and encoding. Equal rule sets have equal hashes.
    """

    encoding: Encoding
    outcome: Outcome
    constants: tuple[Number, ...]
    overrides: tuple[Override, ...]
    _rules: tuple[Rule, ...]

    def __init__(
        self,
        rules: Iterable[Rule],
        encoding: Encoding | Any,
        classes: Any,
        constants: Sequence[int | float] | None = None,
        *,
        cut_off: Number | None = None,
        overrides: Iterable[Override] = (),
    ) -> None:
        if isinstance(encoding, BaseEstimator):
            check_is_fitted(encoding, "encoding_")
            encoding = encoding.encoding_
        if not isinstance(encoding, Encoding):
            raise TypeError(
                f"encoding must be an Encoding or a fitted Booleanizer. Got {type(encoding).__name__}."
            )
        outcome = make_outcome(classes)
        if cut_off is not None:
            outcome = make_outcome(outcome, checked_number(cut_off, "cut_off"))
        numbers = checked_constants(constants, outcome.n_banks)
        checked = checked_rules(rules, encoding.columns, outcome)
        check_votes(checked, numbers)
        vars(self).update(encoding=encoding, outcome=outcome, constants=numbers, _rules=checked)
        vars(self)["overrides"] = checked_overrides(overrides, encoding.columns, outcome)
        check_votes(self._outweighing, numbers)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A RuleSet cannot be changed; use `with_rules`. Got a new value of {name!r}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A RuleSet cannot be changed. Got {name!r} to delete.")

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and skops store: only what is not computed again. skops 0.13 empties a frozenset."""
        computed = {name for name, value in vars(RuleSet).items() if isinstance(value, cached_property)}
        return {name: value for name, value in vars(self).items() if name not in computed}

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
        return self._rules, self.constants, self.outcome, self.encoding, self.overrides

    def with_rules(self, rules: Iterable[Rule], constants: Sequence[int | float] | None = None) -> RuleSet:
        """A RuleSet with other rules (and constants, if given), and the same encoding and classes."""
        constants = self.constants if constants is None else constants
        return RuleSet(rules, self.encoding, self.outcome, constants, overrides=self.overrides)

    def with_cut_off(self, cut_off: int | float) -> RuleSet:
        """A RuleSet that predicts the positive one of two classes if the vote is this or more."""
        outcome = make_outcome(self.outcome, checked_number(cut_off, "cut_off"))
        return RuleSet(self._rules, self.encoding, outcome, self.constants, overrides=self.overrides)

    def with_overrides(self, overrides: Iterable[Override]) -> RuleSet:
        """A RuleSet with these overrides, of which the first one that holds decides."""
        return RuleSet(self._rules, self.encoding, self.outcome, self.constants, overrides=overrides)

    def with_encoding(self, encoding: Encoding) -> RuleSet:
        """A RuleSet with the same rules and another encoding of the same columns, such as another policy."""
        return RuleSet(self._rules, encoding, self.outcome, self.constants, overrides=self.overrides)

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
        if isinstance(bits, PatchRows):
            return bits.holds([[(each.position, each.negated) for each in rule.literals] for rule in self])
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

    def decide(self, votes: Votes, overridden: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """The indices of the predicted classes.

        Parameters
        ----------
        votes : the votes of each row
        overridden : what `overridden(X)` gives for the same rows; needed if there are overrides
        """
        decided = self.outcome.decide(self.outcome.banked(votes))
        if not self.overrides:
            return decided
        if overridden is None:
            raise ValueError(
                "The 'overridden' parameter of decide must be given for rules with overrides, because votes "
                "alone do not decide. Got None."
            )
        return np.where(overridden >= 0, np.array(self._override_classes)[overridden], decided)

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted class, or the predicted number, of each row."""
        if self.overrides:
            return np.asarray(self.classes[self.decide(self.votes(X), self.overridden(X))])
        return self.outcome.predictions(self.outcome.banked(self.votes(X)))

    # --- overrides ---

    def overridden(self, X: Any) -> NDArray[np.intp] | None:
        """The index of the first override that holds on each row, -1 for none; None without overrides."""
        return self.overridden_on(self.bits(X)) if self.overrides else None

    def overridden_on(self, bits: Any) -> NDArray[np.intp] | None:
        """`overridden` on rows of boolean columns, as `bits` gives them."""
        if not self.overrides:
            return None
        first = np.full(bits.shape[0], -1, np.intp)
        for index, rule in reversed(list(enumerate(self._outweighing))):
            alone = RuleSet([rule], self.encoding, self.outcome)
            first[alone.fires_on(bits)[:, 0]] = index
        return first

    @property
    def deciding(self) -> RuleSet:
        """Rules without overrides whose votes decide for the same class on every row.

        An override is a rule there, whose points outweigh those of all rules and of all later overrides.
        """
        return self._without_overrides if self.overrides else self

    @cached_property
    def _without_overrides(self) -> RuleSet:
        """`deciding` if there are overrides; a set that kept itself would be a cycle, which skops refuses."""
        return RuleSet((*self._rules, *self._outweighing), self.encoding, self.outcome, self.constants)

    @cached_property
    def _override_classes(self) -> list[int]:
        """The index of the class that each override decides for."""
        labels = self.classes.tolist()
        return [labels.index(override.label) for override in self.overrides]

    @cached_property
    def _outweighing(self) -> list[Rule]:
        """The overrides as rules of `deciding`."""
        if not self.overrides:
            return []
        size = sum(map(abs, (*self.constants, *(rule.points for rule in self._rules))))
        least, found = 2 * size + abs(self.outcome.cut_off) + 1, []
        for index, k in enumerate(self._override_classes):
            points = least * 2 ** (len(self.overrides) - 1 - index)
            bank = 0 if self.n_banks == 1 else k
            sign = -1 if self.n_banks == 1 and k == 0 else 1
            found.append(Rule(self.overrides[index].literals, sign * points, bank=bank))
        return found

    def bits(self, X: Any) -> Any:
        """The boolean columns of a table, uint8 [n, columns], dense or sparse; see `Encoding.bits`.

        Only the features that rules test are read. A data frame may have other columns, in any order.
        """
        table = self.encoding.read_by_name(X, self.used_features)
        return self.encoding.bits_with_warning(table, self.used_features)

    @cached_property
    def used_features(self) -> frozenset[int]:
        """The indices of the features that some rule or override tests."""
        return frozenset(feature for each in (*self._rules, *self.overrides) for feature in each.features)

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
