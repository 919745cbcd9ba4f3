"""What every classifier made of rules can say about itself, from its `rules_` alone.

Not here: how it is worked out (explain_rows.py, effects.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clausal.explain.effects import feature_effects, feature_importances
from clausal.explain.explain_rows import explain_rows
from clausal.explain.explanation import Explanation
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
        """Why each row is decided as it is: rules that hold, near misses, a counterfactual, reasons.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows to explain.
        counterfactuals : bool, default=True
            Whether to look for counterfactuals, which takes most of the time.
        target : class label or None, default=None
            The class that counterfactuals should lead to; None for any other than the one decided for.
        fixed : array-like of str, int or bool, or a single name, default=()
            Features that counterfactuals must not change: names, positions or a mask.
        n_near_misses : int, default=3
            How many rules that nearly hold to name, at most.
        n_reasons : int, default=4
            How many reasons to name, at most.

        Returns
        -------
        list of Explanation
            One per row; the constant and the points of the rules that hold add up to the vote.
        """
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
        """Each feature's share of all points, float [n_features_in_], adding up to 1.

        Taken from the rules alone: the size of each rule's points is split equally over the features that it
        tests. All 0 where there are no rules.
        """
        return feature_importances(self.rules_)

    def feature_effects(self, X: Any) -> NDArray[np.float64]:
        """What each feature adds to each row's vote, a rule's points being split equally over its features.

        Parameters
        ----------
        X : table, array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or (n_samples, n_classes, n_features) for more than two
            With the constant of the rules it adds up to the votes.
        """
        return feature_effects(self.rules_, X)
