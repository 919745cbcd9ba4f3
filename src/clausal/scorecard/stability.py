"""How often the rules and features of a scorecard return in the scorecards of the folds.

Not here: the folds' scorecards themselves (validation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clausal.encoding.columns import Column, name_text
from clausal.encoding.encoding import Encoding
from clausal.frames import FrameBackend, make_frame
from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet
from clausal.rules.simplify import simple_terms
from clausal.scorecard.search_space import SearchSpace
from clausal.scorecard.validation import Validation

_Shape = tuple[int, bool, tuple[tuple[int, str, bool], ...]]
"""Bank, whether the points are above 0, and of each literal: feature, kind of column, whether negated."""
_Ranks = tuple[int, ...]  # of the columns of the literals, among those of their feature and kind
_Term = tuple[_Shape, _Ranks]
_WITH_CUT_POINTS = ("le", "upto")
_STEPS = 4  # by which a search moves a cut point


@dataclass(frozen=True)
class Stability:
    """How often the parts of a scorecard return in the scorecards of the folds.

    The folds' scorecards are those of the chosen search and size, each found without the fold's validation
    rows. A share of 1 means that a part is in all of them. A low share does not mean that a rule is wrong:
    often another feature or cut point says almost the same, and small changes of the rows decide which one is
    taken. The training parts of two folds have many rows in common, so that scorecards from new data of the
    same size would differ more.

    Attributes
    ----------
    rules : tuple of str
        The conditions of the rules, in the order of `rules_`. With more than two classes, the class that a
        rule speaks for comes first: `setosa if x <= 1`, `not setosa if x <= 1`.
    exact : tuple of float
        For each rule, the share of the folds' scorecards that have a rule with the same conditions for the
        same class, and points of the same sign. The number of points may differ.
    similar : tuple of float
        As `exact`, but each cut point of a condition may also be the next lower or higher one of its feature,
        or one of the next four where the search had more cut points to move to.
    features : tuple of str
        The features that the rules test, in the order of the table.
    feature_shares : tuple of float
        For each feature, the share of the folds' scorecards that test it.
    n_cards : int
        The number of the folds' scorecards.
    """

    rules: tuple[str, ...]
    exact: tuple[float, ...]
    similar: tuple[float, ...]
    features: tuple[str, ...]
    feature_shares: tuple[float, ...]
    n_cards: int

    @classmethod
    def of(
        cls,
        rules: RuleSet,
        cards: list[list[Rule]],
        encoding: Encoding,
        nearest: int = 1,
        n_fixed: int = 0,
    ) -> Stability:
        """Compare a scorecard with others, whose literals are of this encoding.

        Cut points are near if at most `nearest` steps apart. The first `n_fixed` rules of each card are not
        simplified.
        """
        ranks = _ranks(encoding.columns)
        simple = simple_terms([card[n_fixed:] for card in cards], encoding, rules.outcome.n_banks)
        found = [
            _by_shape(_term(rule, ranks) for rule in (*card[:n_fixed], *others))
            for card, others in zip(cards, simple, strict=True)
        ]
        own = [_term(rule, ranks) for rule in rules]
        tested = [{feature for rule in card for feature in rule.features} for card in cards]
        exact = [_share(places in card.get(shape, ()) for card in found) for shape, places in own]
        similar = [
            _share(
                any(_is_near(shape, places, other, nearest) for other in card.get(shape, ()))
                for card in found
            )
            for shape, places in own
        ]
        shares = [_share(feature in card for card in tested) for feature in sorted(rules.used_features)]
        return cls.from_shares(rules, exact, similar, shares, len(cards))

    @classmethod
    def from_shares(
        cls,
        rules: RuleSet,
        exact: Sequence[float],
        similar: Sequence[float],
        feature_shares: Sequence[float],
        n_cards: int,
    ) -> Stability:
        """The stability with these shares of the rules, and of the features that they test."""
        named = rules.outcome.n_banks > 1  # rules for different classes may have the same conditions
        texts = tuple(f"{rule.speaks_for} if {rule}" if named else str(rule) for rule in rules)
        features = feature_names(rules)
        return cls(texts, tuple(exact), tuple(similar), features, tuple(feature_shares), n_cards)

    def to_frame(self, backend: FrameBackend | None = None) -> Any:
        """One row per rule, then one per feature: `part`, `name`, `exact` and `similar`.

        `part` is "rule" or "feature". For a feature, both shares are `feature_shares`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            The kind of data frame; None uses the first that is installed.
        """
        return make_frame(
            {
                "part": ["rule"] * len(self.rules) + ["feature"] * len(self.features),
                "name": [*self.rules, *self.features],
                "exact": [*self.exact, *self.feature_shares],
                "similar": [*self.similar, *self.feature_shares],
            },
            backend,
        )

    def __str__(self) -> str:
        lines = [
            f"Share of the {self.n_cards} scorecards of the folds",
            f"{'exact':>7}  {'similar':>7}  rule",
        ]
        for rule, exact, similar in zip(self.rules, self.exact, self.similar, strict=True):
            lines.append(f"{exact:>7.0%}  {similar:>7.0%}  {rule}")
        lines.append(f"{'share':>7}  feature")
        for feature, share in zip(self.features, self.feature_shares, strict=True):
            lines.append(f"{share:>7.0%}  {feature}")
        return "\n".join(lines)


def feature_names(rules: RuleSet) -> tuple[str, ...]:
    """The features that the rules test, in the order of the table."""
    columns = (literal.column for rule in rules for literal in rule.literals)
    names = {column.feature_index: column.feature for column in columns}
    return tuple(name_text(names[feature]) for feature in sorted(names))


def stability_of(rules: RuleSet, space: SearchSpace, validation: Validation[Any]) -> Stability:
    """The stability of a final scorecard."""
    search, size = validation.key
    cards = [space.rules(fold.cards[search], size) for fold in validation.folds]
    nearest = 1 if space.rows.first is None else _STEPS
    return Stability.of(rules, cards, space.rows.encoding, nearest, len(space.constraints.fixed))


def _ranks(columns: Iterable[Column]) -> dict[Column, int]:
    """The rank of each column among those of its feature and kind."""
    counts: dict[tuple[int, str], int] = {}
    ranks = {}
    for column in columns:
        group = column.feature_index, column.kind
        ranks[column] = counts.get(group, 0)
        counts[group] = ranks[column] + 1
    return ranks


def _term(rule: Rule, ranks: dict[Column, int]) -> _Term:
    """A rule without its number of points."""
    places = sorted(
        (each.column.feature_index, str(each.column.kind), each.negated, ranks[each.column])
        for each in rule.literals
    )
    return (rule.bank, rule.points > 0, tuple(place[:3] for place in places)), tuple(
        place[3] for place in places
    )


def _by_shape(terms: Iterable[_Term]) -> dict[_Shape, list[_Ranks]]:
    found: dict[_Shape, list[_Ranks]] = {}
    for shape, ranks in terms:
        found.setdefault(shape, []).append(ranks)
    return found


def _is_near(shape: _Shape, one: _Ranks, other: _Ranks, nearest: int) -> bool:
    """Whether two rules of the same shape are equal up to near cut points."""
    steps = (nearest if kind in _WITH_CUT_POINTS else 0 for _, kind, _ in shape[2])
    return all(abs(a - b) <= most for most, a, b in zip(steps, one, other, strict=True))


def _share(found: Iterable[bool]) -> float:
    """The share of true values."""
    values = list(found)
    return sum(values) / len(values)
