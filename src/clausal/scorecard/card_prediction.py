"""How a scorecard predicts: votes, classes, probabilities, and intervals of risks.

`CardPrediction` is a base class of RuleClassifier and Scorecard, `CardVotes` of RuleRegressor, too. Not here:
fitting (rule_classifier.py), the votes of rules (rules/rule_set.py), `export` (clausal.export).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clausal.encoding.encoding import Encoding
from clausal.export.document import Calibration
from clausal.machine.prediction import rule_votes
from clausal.parameters import Number, check_value
from clausal.rules.rule_set import RuleSet
from clausal.scorecard.risk_table import CONFIDENCE, RiskTable

if TYPE_CHECKING:
    from clausal.scorecard.points_table import PointsTable


class _NoRiskTable:
    """Says why a scorecard has no risk table; one that is there is found before."""

    def __get__(self, clf: CardPrediction | None, owner: type) -> RiskTable:
        classes = getattr(clf, "classes_", None)
        if classes is None:
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
        return rule_votes(self.rules_, X, type(self).__name__)

    def votes(self, X: Any) -> NDArray[np.int64]:
        """The score of each row, constant plus points, (n,); (n, K) for K > 2 classes."""
        votes = self._votes(X)
        return self.rules_.outcome.flat(votes)

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


class CardPrediction(CardVotes):
    """The methods of a scorecard of classes that need only what was fitted."""

    risk_table_ = _NoRiskTable()
    slope_: float
    classes_: NDArray[Any]
    _probability: Callable[[], Calibration]  # how votes become probabilities

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes; for two classes above 0 if they decide for `classes_[1]`, never 0; without overrides."""
        votes = self._votes(X)
        return self.rules_.outcome.scores(votes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted class of each row; that of an override where one holds."""
        check_is_fitted(self, "rules_")
        deciding = self.rules_.deciding
        votes = rule_votes(deciding, X, type(self).__name__)
        labels: NDArray[Any] = deciding.classes[deciding.outcome.decide(votes)]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Calibrated class probabilities, shape (n, n_classes).

        With two classes, the decision cut-off depends on `scoring` and may differ from 0.5. An override does
        not change them: it is a decision, not a finding about the row.
        """
        votes, outcome = self._votes(X), self.rules_.outcome
        return outcome.by_label(self._probability().probabilities(outcome, votes))

    def table(self, X: Any, y: Any, sample_weight: Any = None) -> PointsTable:
        """The classic table: each feature with its bins, points, rows, rate of the class, weight of evidence.

        The rules on one feature alone are shown as its bins, with summed points; missing values are a bin of
        their own. Rules of several features come after them. The points of a row's bins and the constant add
        up to its vote.

        Parameters
        ----------
        X, y, sample_weight : table, labels and weights
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
        return points_table(self.rules_, GivenRows.read(X, y, sample_weight, self.classes_))

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
