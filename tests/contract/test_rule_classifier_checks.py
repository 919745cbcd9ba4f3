"""RuleClassifier passes every check that scikit-learn has for estimators, none expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from clausal import Booleanizer
from tests.support.scorecards import machine, scorecard

MACHINE = machine(n_epochs=6, booleanizer=Booleanizer(max_columns=4))


@parametrize_with_checks([scorecard(MACHINE, max_literals=8, random_state=None)])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
