"""RuleClassifier passes every check that scikit-learn has for estimators, none expected to fail.

One check wants `predict` to give the more probable class, as scoring="accuracy" does. The default, F1, has
another cut-off, and rows between the two may differ (README, limits).
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from clausal import Booleanizer, RuleClassifier
from tests.support.scorecards import machine, scorecard

MACHINE = machine(n_epochs=6, booleanizer=Booleanizer(max_columns=4))


@parametrize_with_checks(
    [
        scorecard(MACHINE, max_literals=8, scoring="accuracy", random_state=None),
        RuleClassifier(max_literals=8, scoring="accuracy", cv=3),
    ]
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
