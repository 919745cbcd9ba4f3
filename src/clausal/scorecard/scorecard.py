"""Scorecard: a model of rules and points that its user owns, immutable and complete.

It predicts, explains, reports, saves and exports as a fitted classifier does, but it is not fitted: it is
made from a fitted RuleClassifier, or from a RuleSet and a calibration. A change makes another Scorecard. Not
here: the search for rules (rule_classifier.py), the file (files/scorecard.py). Here too: `FittedCard`, which
gives a fitted classifier `to_scorecard`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags
from sklearn.utils.validation import check_is_fitted

from clausal.explain.explain_rows import Explainable
from clausal.export import Exportable
from clausal.export.document import Calibration
from clausal.parameters import Instance, Number, check_about, check_text, check_value
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.card_prediction import CardPrediction
from clausal.scorecard.risk_table import RiskTable
from clausal.untrusted import read_number, wrong

if TYPE_CHECKING:
    from clausal.scorecard.edit import Edit

Effect = Mapping[str, str | float | None]
"""What an edit did, as named measures."""

_MAX_TEXT = 10_000  # characters of a text in the log


@dataclass(frozen=True)
class LogEntry:
    """One edit of a scorecard, as its log keeps it.

    Attributes
    ----------
    when : the time in ISO 8601, such as `2026-11-18T22:15:00+00:00`
    who : who made the edit
    why : the reason that was given
    what : the edit in words
    effect : what the edit did, as named numbers or texts, such as the validated score before and after
    """

    when: str
    who: str
    why: str
    what: str
    effect: Effect = field(default_factory=dict)

    def __post_init__(self) -> None:
        vars(self)["effect"] = MappingProxyType(dict(self.effect))

    def __reduce__(self) -> tuple[Any, ...]:  # a read-only mapping is not pickled
        return LogEntry, (self.when, self.who, self.why, self.what, dict(self.effect))

    def __str__(self) -> str:
        measures = "".join(f"; {name}: {value}" for name, value in self.effect.items())
        return f"{self.when} {self.who}: {self.what} ({self.why}){measures}"


class Scorecard(Explainable, CardPrediction, Exportable, ClassifierMixin):  # type: ignore[misc]
    """A scorecard that you own: rules, points and calibrated probabilities, which no method changes.

    `RuleClassifier.to_scorecard` makes one from a fitted classifier. It works wherever that works: `report`,
    plots, metrics of scikit-learn, the command line. It cannot be fitted.

    Parameters
    ----------
    rules : RuleSet
        The rules, points and constants.
    slope, offset : float, default of the offset 0.0
        The log-odds of the positive class are slope * vote + offset. The slope is above 0. With more than two
        classes, the probabilities are the softmax of slope * votes, and the offset must be 0.
    risk_table : RiskTable or None, default=None
        The risk of each score, with the same slope and offset, for two classes.
    about : dict of str, default=None
        What readers should know, such as "name", "purpose", "owner"; a report shows it.
    log : iterable of LogEntry, default=()
        The edits that led to this scorecard, the first one first.

    Attributes
    ----------
    rules_, slope_, offset_
        As given.
    risk_table_ : RiskTable
        As given; only if it was.
    about_ : mapping of str
        What readers should know.
    log_ : tuple of LogEntry
        The edits.
    classes_, pos_label_, n_features_in_, feature_names_in_, encoding_, n_literals_
        As in RuleClassifier.

    Examples
    --------
    >>> from clausal import RuleClassifier
    >>> from clausal.datasets import load_heart_disease
    >>> X, y = load_heart_disease(return_X_y=True)
    >>> clf = RuleClassifier(max_literals=6, random_state=0).fit(X, y)
    >>> card = clf.to_scorecard(about={"owner": "cardiology"})
    >>> bool((card.predict(X) == clf.predict(X)).all())
    True
    """

    offset_: float
    log_: tuple[LogEntry, ...]
    _about: dict[str, str]
    pos_label_: Any
    n_features_in_: int

    def __init__(
        self,
        rules: RuleSet,
        slope: float,
        offset: float = 0.0,
        *,
        risk_table: RiskTable | None = None,
        about: Mapping[str, str] | None = None,
        log: Iterable[LogEntry] = (),
    ) -> None:
        check_value("Scorecard", "rules", rules, (Instance(RuleSet, "a RuleSet"),))
        check_value("Scorecard", "slope", slope, (Number(0, 1e6, open_low=True),))
        check_value("Scorecard", "offset", offset, (Number(-1e18, 1e18),))
        if rules.outcome.positive is None and offset != 0:
            raise ValueError(
                "The 'offset' parameter of Scorecard must be 0 with more than two classes, whose softmax it "
                f"does not change. Got {offset!r}."
            )
        parts: dict[str, Any] = {
            "rules_": rules,
            "slope_": float(slope),
            "offset_": float(offset),
            "_about": _checked_about(about),
            "log_": _checked_log(log),
            "classes_": rules.outcome.labels,
            "pos_label_": rules.outcome.pos_label,
            "n_features_in_": rules.encoding.n_features,
        }
        if rules.encoding.names is not None:
            parts["feature_names_in_"] = np.array(rules.encoding.names, dtype=object)
        if risk_table is not None:
            parts["risk_table_"] = _checked_table(risk_table, rules, float(slope), float(offset))
        self.__dict__.update(parts)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Scorecard cannot be changed; use `replace`. Got a new value of {name!r}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A Scorecard cannot be changed. Got {name!r} to delete.")

    def replace(self, **parts: Any) -> Scorecard:
        """A Scorecard with other parts, named as the parameters of the constructor.

        The risk table belongs to the rules, the slope and the offset: it is left out if one of them is
        replaced and no new one is given.
        """
        own: dict[str, Any] = {
            "rules": self.rules_,
            "slope": self.slope_,
            "offset": self.offset_,
            "about": self.about_,
            "log": self.log_,
        }
        if not {"rules", "slope", "offset"} & set(parts):
            own["risk_table"] = vars(self).get("risk_table_")
        return Scorecard(**{**own, **parts})

    def with_policy(self, **policy: str) -> Scorecard:
        """A Scorecard that treats values that did not occur in training otherwise; see Booleanizer.

        `policy` holds `handle_unknown` and `handle_missing`.
        """
        rules = self.rules_.with_encoding(self.encoding_.with_policy(**policy))
        return self.replace(rules=rules, risk_table=vars(self).get("risk_table_"))

    def scaled(
        self,
        base_score: float = 600,
        base_odds: float = 50,
        points_to_double: float = 20,
        positive: bool = True,
    ) -> Scorecard:
        """An equivalent scorecard of two classes on another scale, in whole points.

        It decides every row as before. Its odds are those of its scale, from which whole points make them
        differ; `about_["scale"]` says how much at most.

        Parameters
        ----------
        base_score, base_odds : float, default 600 and 50
            A total of `base_score` stands for odds of `base_odds` to 1.
        points_to_double : float, default=20
            How many points more double the odds.
        positive : bool, default=True
            Whether more points make the positive class more likely. With False, the points, the odds and
            `pos_label_` are those of the other class, as where a high score is a good one.

        Returns
        -------
        Scorecard
            With the risk table on the new scale: where rounding gives a former score several totals, it has
            the middle of them.

        Raises
        ------
        ValueError : three or more classes, points that are not whole, or a scale that is too coarse
        """
        from clausal.scorecard.scale import scaled

        return scaled(self, base_score, base_odds, points_to_double, positive)

    def edit(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, scoring: Any = "f1", cv: int = 5
    ) -> Edit:
        """Begin an edit, which says what it does to the scores before it is kept.

        `edit = card.edit(X, y).drop_rule("age > 40")`, then `print(edit)`, then
        `card = edit.keep(who="Ada", why="age must not count")`.

        Parameters
        ----------
        X, y, sample_weight : table, labels and weights, default=None
            The rows on which the effect is measured, and to which points and probabilities are fitted again.
            To judge an edit, give rows that the scorecard was not made from.
        scoring : str or callable, default="f1"
            The score, beside log-loss and ROC AUC; a refit chooses the cut-off by it. As in RuleClassifier.
        cv : int, default=5
            The number of folds in which what is fitted is validated.

        Returns
        -------
        Edit
            With a method for each change.
        """
        from clausal.scorecard.edit import Edit

        return Edit.begin(self, X, y, sample_weight, scoring, cv)

    @property
    def about_(self) -> dict[str, str]:
        """What readers should know, as a copy."""
        return dict(self._about)

    def _probability(self) -> Calibration:
        """How votes become probabilities."""
        return Calibration(self.slope_, self.offset_)

    # --- files ---

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scorecard to a file that `clausal.load` reads. The file contains no pickle.

        Parameters
        ----------
        path : str or path-like
            The file to write; docs/formats.md describes the format.
        """
        from clausal.files.scorecard import save

        save(self, path)

    # --- as an estimator of scikit-learn that has been fitted ---

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> NoReturn:
        """A Scorecard is not fitted: raises TypeError."""
        raise TypeError(
            "A Scorecard cannot be fitted, because it is made from a fitted model. Fit a RuleClassifier and "
            "call its to_scorecard()."
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of fitting, of which a Scorecard has none."""
        return {}

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> Self:
        return self  # there is nothing to fit again

    def __sklearn_tags__(self) -> Tags:
        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(allow_nan=True, string=True),
        )

    # --- text ---

    def __str__(self) -> str:
        return self.rules_.to_text()

    def __repr__(self) -> str:
        rules = self.rules_
        edits = f", {len(self.log_)} edits" if self.log_ else ""
        return f"Scorecard of {len(rules)} rules, {rules.n_literals} literals{edits}"

    def _repr_html_(self) -> str:
        return self.rules_._repr_html_()


class FittedCard(CardPrediction):
    """A fitted classifier that is a scorecard, whose risk table has the offset of its calibration."""

    def _probability(self) -> Calibration:
        """How votes become probabilities."""
        offset = 0.0 if self.rules_.outcome.positive is None else float(self.risk_table_.offset)
        return Calibration(float(self.slope_), offset)

    def to_scorecard(self, about: Mapping[str, str] | None = None) -> Scorecard:
        """The fitted scorecard as a model that you own, which can be scaled, edited and saved.

        Parameters
        ----------
        about : dict of str, default=None
            What readers should know, such as "name", "purpose" and "owner".

        Returns
        -------
        Scorecard
            It has the same votes, decisions and probabilities, and does not change with this estimator.
        """
        check_is_fitted(self)
        probability = self._probability()
        table = None if self.rules_.outcome.positive is None else self.risk_table_
        return Scorecard(self.rules_, probability.slope, probability.offset, risk_table=table, about=about)


def _checked_about(about: Mapping[str, str] | None) -> dict[str, str]:
    if about is None:
        return {}
    check_about(about)
    return dict(about)


def _checked_log(log: Iterable[LogEntry]) -> tuple[LogEntry, ...]:
    entries = tuple(log)
    for index, entry in enumerate(entries):
        check_value("Scorecard", "log", entry, (Instance(LogEntry, "a list of LogEntry"),))
        _check_entry(entry, f"log[{index}]")
    return entries


def _check_entry(entry: LogEntry, where: str) -> None:
    """Raise a ValueError unless the texts of an entry can be shown and its numbers are finite."""
    for name in ("when", "who", "why", "what"):
        check_text(f"{where}.{name}", getattr(entry, name), _MAX_TEXT)
    try:
        datetime.fromisoformat(entry.when)
    except ValueError:
        raise wrong(f"{where}.when", "a time in ISO 8601", entry.when) from None
    for name, value in entry.effect.items():
        check_text(f"a name in {where}.effect", name, _MAX_TEXT)
        if isinstance(value, str):
            check_text(f"{where}.effect[{name!r}]", value, _MAX_TEXT)
        elif value is not None:
            read_number(value, f"{where}.effect[{name!r}]")


def _checked_table(table: RiskTable, rules: RuleSet, slope: float, offset: float) -> RiskTable:
    check_value("Scorecard", "risk_table", table, (Instance(RiskTable, "a RiskTable"),))
    own = (slope, offset, rules.outcome.pos_label)
    given = (table.slope, table.offset, table.pos_label)
    if own != given:
        raise ValueError(
            "The 'risk_table' parameter of Scorecard must have the slope, the offset and the positive class "
            f"of the scorecard, {own}. Got {given}."
        )
    return table
