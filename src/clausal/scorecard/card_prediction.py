"""How a scorecard predicts: votes, classes, probabilities, numbers, and intervals of risks and numbers.

`ClassCard` is a base class of RuleClassifier, `NumberCard` of RuleRegressor, both are of Scorecard, whose
rules say which of them counts. Not here: fitting (rule_classifier.py), the votes of rules
(rules/rule_set.py), `export` (clausal.export).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.encoding import Encoding
from clausal.export.document import Calibration
from clausal.machine.prediction import rule_votes
from clausal.parameters import Number, check_value
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.calibration import Floats
from clausal.scorecard.numbers import LEVELS
from clausal.scorecard.risk_table import CONFIDENCE, RiskTable

if TYPE_CHECKING:
    from clausal.scorecard.points_table import PointsTable

_LARGEST_CONFIDENCE = 0.99  # of an interval of numbers, as the outermost levels are .005 and .995


_Method = TypeVar("_Method", bound=Callable[..., Any])


def _has(card: Any, *, of_numbers: bool) -> bool:
    """Whether a scorecard predicts numbers or, if this is False, classes; any that is not fitted."""
    rules = getattr(card, "rules_", None)
    return rules is None or rules.outcome.is_numeric == of_numbers


def _of_classes(method: _Method) -> _Method:
    """A method that a scorecard of numbers does not have."""
    return cast(_Method, available_if(lambda card: _has(card, of_numbers=False))(method))


class _WithResiduals:
    """A method that only a scorecard of numbers with known errors has; says why another one lacks it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        update_wrapper(cast(Any, self), method)

    def __get__(self, card: NumberCard | None, owner: type) -> Any:
        if card is not None and (reason := self._missing(card)):
            name = self._method.__name__
            raise AttributeError(f"This {owner.__name__} has no {name}: {reason}", name=name, obj=card)
        return self._method.__get__(card, owner)

    @staticmethod
    def _missing(card: NumberCard) -> str:
        """Why a scorecard has no errors; nothing if it has some, or is not fitted."""
        if not _has(card, of_numbers=True):
            return "it predicts classes."
        if getattr(card, "rules_", None) is None or hasattr(card, "residual_quantiles_"):
            return ""
        return (
            "the errors of its predictions are not known. An edit without rows drops them; one with rows, "
            "begun by card.edit(X, y), counts them on the rows."
        )


class _NoRiskTable:
    """Says why a scorecard has no risk table; one that is there is found before."""

    def __get__(self, clf: ClassCard | None, owner: type) -> RiskTable:
        classes = getattr(clf, "classes_", None)
        if not _has(clf, of_numbers=False):
            reason = f"risk_table_ is there for two classes. This {owner.__name__} predicts numbers."
        elif classes is None:
            reason = f"{owner.__name__} has a risk_table_ when it is fitted."
        elif len(classes) == 2:
            reason = f"This {owner.__name__} has no risk table: none was given for its rules and points."
        else:
            reason = (
                "risk_table_ is there for two classes, because only these have a risk; predict_proba has the "
                f"probabilities of more. Got {len(classes)} classes."
            )
        raise AttributeError(reason, name="risk_table_", obj=clf)


class CardVotes:
    """The methods of a scorecard of classes or numbers that need only its rules."""

    rules_: RuleSet
    _by_name = False  # whether a data frame is read by the names of its columns alone

    @property
    def n_literals_(self) -> int:
        """Number of literals of the scorecard."""
        check_is_fitted(self, "rules_")
        return self.rules_.n_literals

    @property
    def encoding_(self) -> Encoding:
        """How features become boolean columns."""
        check_is_fitted(self, "rules_")
        return self.rules_.encoding

    def _votes(self, X: Any) -> NDArray[np.int64]:
        """Votes [n, banks]."""
        check_is_fitted(self, "rules_")
        return rule_votes(self.rules_, X, type(self).__name__, by_name=self._by_name)

    def votes(self, X: Any) -> NDArray[np.int64]:
        """The score of each row, constant plus points, (n,); (n, K) for K > 2 classes."""
        votes = self._votes(X)
        return self.rules_.outcome.flat(votes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted class of each row, that of an override where one holds; or the predicted number.

        A number is the constant plus the unit times the total of the points.
        """
        check_is_fitted(self, "rules_")
        deciding = self.rules_.deciding
        votes = rule_votes(deciding, X, type(self).__name__, by_name=self._by_name)
        return deciding.outcome.predictions(votes)

    def table(self, X: Any, y: Any, sample_weight: Any = None) -> PointsTable:
        """The classic table: each feature with its bins, points, rows, rate of the class, weight of evidence.

        Of a scorecard of numbers: the mean number of the rows of a bin, and by how much it is above that of
        all rows, instead of the rate and the weight of evidence.

        The rules on one feature alone are shown as its bins, with summed points; missing values are a bin of
        their own. Rules of several features come after them. The points of a row's bins and the constant add
        up to its vote.

        Parameters
        ----------
        X, y, sample_weight : table, labels or numbers, and weights
            The rows to count, usually those of training.

        Returns
        -------
        PointsTable
            It prints itself, and has `to_frame`, `to_markdown`, `to_html`, `to_excel` and
            `information_values`.
        """
        from clausal.scorecard.points_table import points_table
        from clausal.scorecard.refit import GivenRows

        check_is_fitted(self, "rules_")
        return points_table(self.rules_, GivenRows.read(X, y, sample_weight, self.rules_.outcome))

    def set_policy(self, **policy: str) -> Self:
        """Change how the fitted model treats values that did not occur in training.

        `policy` holds `handle_unknown` and `handle_missing`, as in Booleanizer. A scorecard keeps only the
        categories that its rules need: in other features, and in features that no rule tests, any value is
        accepted, even with "error".
        """
        encoding = self.encoding_.with_policy(**policy)
        rules = self.rules_.with_encoding(encoding)
        self.__dict__["rules_"] = rules  # the votes on training rows stay the same, so its other parts fit
        return self


class ClassCard(CardVotes):
    """The methods of a scorecard of classes that need only what was fitted."""

    risk_table_ = _NoRiskTable()
    slope_: float
    classes_: NDArray[Any]
    _probability: Callable[[], Calibration]  # how votes become probabilities

    @_of_classes
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes; for two classes above 0 if they decide for `classes_[1]`, never 0; without overrides."""
        votes = self._votes(X)
        return self.rules_.outcome.scores(votes)

    @_of_classes
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Calibrated class probabilities, shape (n, n_classes).

        With two classes, the decision cut-off depends on `scoring` and may differ from 0.5. An override does
        not change them: it is a decision, not a finding about the row.
        """
        votes, outcome = self._votes(X), self.rules_.outcome
        return outcome.by_label(self._probability().probabilities(outcome, votes))

    @_of_classes
    def predict_risk_interval(self, X: Any, confidence: float = CONFIDENCE) -> NDArray[np.float64]:
        """An interval for the risk of each row: the mean risk of all rows with its score. Two classes only.

        The interval is that of the log-odds, turned into probabilities. Its width comes from the larger one
        of two errors: that of the calibration, which was fitted to a limited number of held-out rows, and the
        differences between the scorecards of the folds, scaled to all rows (a delete-a-group jackknife). A
        row of weight w counts as w rows.

        About `confidence` of the intervals contain the mean risk of the rows with that score (see
        docs/accuracy.md for generated data). They do not cover:

        - the risk of a single row, which differs from that of other rows with the same score,
        - new rows that come from another population, place or time than the training rows,
        - rows that belong together, such as visits of one patient, unless `cv` keeps them in one fold,
        - the choice among scorecards by the user, after looking at them.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        confidence : float, default=0.95
            The confidence of the interval, above 0 and below 1.

        Returns
        -------
        array of shape (n_samples, 2)
            The lowest and the highest probability of `pos_label_`. That of `predict_proba` is between them.
        """
        check_value("predict_risk_interval", "confidence", confidence, (Number(0, 1, True, True),))
        votes = self._votes(X)
        if self.rules_.outcome.positive is None:
            raise ValueError(
                "predict_risk_interval must be called on a scorecard of two classes, because only these have "
                f"a risk. Got {len(self.classes_)} classes."
            )
        return self.risk_table_.interval(self.rules_.outcome.flat(votes), confidence)


class NumberCard(CardVotes):
    """The methods of a scorecard of numbers that need only what was fitted."""

    residual_quantiles_: Floats

    @property
    def unit_(self) -> float:
        """What one point adds to the prediction."""
        return self._number("unit")

    @property
    def constant_(self) -> float:
        """The prediction for a total of 0."""
        return self._number("offset")

    def _number(self, name: str) -> float:
        check_is_fitted(self, "rules_")
        if not _has(self, of_numbers=True):
            raise AttributeError(f"A scorecard of classes has no {name} of a number.", name=name, obj=self)
        return float(self.rules_.outcome.numbers[name])

    @_WithResiduals
    def predict_interval(self, X: Any, confidence: float = 0.9) -> Floats:
        """An interval for the number of each row, from the errors on held-out rows.

        All intervals are equally wide: the prediction plus two quantiles of the errors in cross-validation.
        About `confidence` of the numbers of new rows from the same population are within theirs, taken over
        all rows; where numbers are harder to predict, it is less.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        confidence : float, default=0.9
            The confidence of the interval, above 0 and at most 0.99.

        Returns
        -------
        array of shape (n_samples, 2)
            The lowest and the highest number.
        """
        most = Number(0, _LARGEST_CONFIDENCE, True)
        check_value("predict_interval", "confidence", confidence, (most,))
        predicted = self.predict(X)
        tails = [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]
        return np.asarray(predicted[:, None] + np.interp(tails, LEVELS, self.residual_quantiles_))
