"""Explanations of images and sequences: the rules that hold on a sample, and on which of its patches.

There are neither near misses nor counterfactuals nor reasons by feature: a single pixel of a patch says
little, and a rule may hold on many patches. Not here: explanations of the rows of a table (explain_rows.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.encoding.patches import PatchEncoding
from clausal.explain.explanation import Explanation
from clausal.rules.render import rule_lines
from clausal.rules.rule import Rule
from clausal.rules.rule_set import RuleSet

NOT_FOR_PATCHES = "none for images and sequences"
_MOST_SHOWN = 3  # places of a rule

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PatchExplanation(Explanation):
    """The explanation of the prediction for one image or sequence.

    Its attributes are those of Explanation, without values, near misses, counterfactual and reasons, and:

    Attributes
    ----------
    places : for each rule of `fired`, all places where a patch begins that satisfies it, an int array
        [places, 2] of row and column, or [places, 1] of the start in a sequence; counted from 0
    n_patches : number of patches of a sample
    """

    places: tuple[Places, ...] = ()
    n_patches: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-compatible values; each rule that holds has its "places"."""
        plain = super().to_dict()
        fired = zip(plain["fired"], self.places, strict=True)
        return plain | {"fired": [rule | {"places": own.tolist()} for rule, own in fired]}

    def _fired_lines(self) -> list[str]:
        lines = rule_lines(self.fired, self.outcome, together=False)
        return [f"{line}; at {self._text(own)}" for line, own in zip(lines, self.places, strict=True)]

    def _fired_head(self) -> tuple[str, ...]:
        return (*super()._fired_head(), "at")

    def _fired_cells(self) -> list[tuple[str, ...]]:
        rows = zip(super()._fired_cells(), self.places, strict=True)
        return [(*cells, self._text(own)) for cells, own in rows]

    def _text(self, places: Places) -> str:
        """The first places of a rule, and how many more there are: `(0, 2), (1, 2) and 3 more`."""
        if len(places) == self.n_patches > _MOST_SHOWN:
            return f"all {self.n_patches} places"
        texts = [str(place[0] if len(place) == 1 else tuple(place)) for place in places.tolist()]
        more = len(texts) - _MOST_SHOWN
        return ", ".join(texts[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def explain_samples(rules: RuleSet, X: Any, no_counterfactual: str) -> list[PatchExplanation]:
    """One explanation per image or sequence of a stack; the rules must be about patches.

    Parameters
    ----------
    rules : the model
    X : the stack, as the encoding of the rules reads it
    no_counterfactual : why there are no counterfactuals
    """
    encoding = rules.encoding
    assert isinstance(encoding, PatchEncoding)
    samples = encoding.read(X, "explain")
    tests = [[(literal.position, literal.negated) for literal in rule.literals] for rule in rules]
    places = [_places_of_rules(found, encoding) for found in samples.matches_of_samples(tests)]
    fires = np.array([[len(own) > 0 for own in sample] for sample in places], bool)
    votes = rules.votes_of(fires.reshape(samples.n_rows, len(rules)))
    overridden = rules.overridden_on(samples)
    if rules.outcome.is_numeric:
        labels = rules.outcome.predictions(rules.outcome.banked(votes)).tolist()
    else:
        labels = rules.classes[rules.decide(votes, overridden)].tolist()
    name = ", ".join(encoding.place_names)
    note = f"at each place ({name}), counted from 0, a patch begins that satisfies the rule."
    explained = []
    for sample, own in enumerate(places):
        fired = _most_points_first(rules, own)
        held = -1 if overridden is None else int(overridden[sample])
        explained.append(
            PatchExplanation(
                values={},
                label=labels[sample],
                votes=tuple(np.atleast_1d(votes[sample]).tolist()),
                constants=rules.constants,
                fired=tuple(rule for rule, _ in fired),
                near_misses=(),
                counterfactual=None,
                no_counterfactual=no_counterfactual,
                reasons=(),
                outcome=rules.outcome,
                notes=(note,) if fired else (),
                override=rules.overrides[held] if held >= 0 else None,
                places=tuple(found for _, found in fired),
                n_patches=encoding.view.n_patches,
            )
        )
    return explained


def _places_of_rules(matches: NDArray[np.bool_], encoding: PatchEncoding) -> list[Places]:
    """Where patches begin that satisfy each rule, from bool [rules, patches]."""
    corners = encoding.corners
    return [corners[own] for own in matches]


def _most_points_first(rules: RuleSet, places: list[Places]) -> list[tuple[Rule, Places]]:
    """The rules that hold, with their places."""
    fired = [(rule, own) for rule, own in zip(rules, places, strict=True) if len(own)]
    return sorted(fired, key=lambda pair: -abs(pair[0].points))
