"""A mixin that gives classifiers with `rules_` explanations, feature importances and feature effects.

Not here: how they are computed (explain_rows.py, reasons.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clausal.explain.explain_rows import explain_rows
from clausal.explain.explanation import Explanation
from clausal.explain.reasons import feature_effects, feature_importances
from clausal.rules.rule_set import RuleSet


class Explainable:
    """Explanations, importances and effects for an estimator with `rules_`."""

    rules_: RuleSet

    def explain(
        self,
        X: Any,
        *,
        counterfactuals: bool = True,
        target: Any = None,
        fixed: Any = (),
        n_near_misses: int = 3,
        n_reasons: int = 4,
    ) -> list[Explanation]:
        """Explain the prediction for each row: rules that hold, near misses, a counterfactual, reasons.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows to explain.
        counterfactuals : bool, default=True
            Whether to compute counterfactuals, which takes most of the time.
        target : class label or None, default=None
            The class that counterfactuals should lead to; None for any class other than the predicted one.
        fixed : array-like of str, int or bool, or a single name, default=()
            Features that counterfactuals must not change: names, positions or a mask.
        n_near_misses : int, default=3
            Maximum number of rules that nearly hold.
        n_reasons : int, default=4
            Maximum number of reasons.

        Returns
        -------
        list of Explanation
            One per row; the constant and the points of the rules that hold add up to the vote.
        """
        check_is_fitted(self)
        return explain_rows(
            self.rules_,
            X,
            counterfactuals=counterfactuals,
            target=target,
            fixed=fixed,
            n_near_misses=n_near_misses,
            n_reasons=n_reasons,
        )

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of each feature in the points of all rules, float [n_features_in_]; the sum is 1.

        The absolute points of each rule are split equally among the features that it tests. All 0 if there
        are no rules.
        """
        check_is_fitted(self)
        return feature_importances(self.rules_)

    def feature_effects(self, X: Any) -> NDArray[np.float64]:
        """What each feature adds to the votes; the points of a rule are split equally among its features.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or (n_samples, n_classes, n_features) for K > 2 classes
            The effects and the constants of the rules add up to the votes.
        """
        check_is_fitted(self)
        return feature_effects(self.rules_, X)
