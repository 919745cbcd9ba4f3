"""Models in a file of skops: the types are those of the package, and the same predictions come back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.lending import card, loans
from tests.support.scorecards import machine, scorecard

skops = pytest.importorskip("skops.io", reason="LEFT OUT: no skops")

X, y = loans(120)
THREE = np.array(["x", "y", "z"])[(X["age"] > 40) * 1 + (X["state"] == "north")]
MODELS = {
    "card": card(True),
    "edited": card().edit(X, y).drop_rule("age > 50").keep("Ada", "policy"),
    "scaled": card(True).scaled(positive=False),
    "classifier": scorecard(n_alternatives=1).fit(X, y),
    "three": scorecard().fit(X, THREE),
    "machine": machine(random_state=0).fit(X, y),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_same_predictions_come_back(model: Any) -> None:
    expected = (
        model.predict_proba(X),
        model.predict(X),
    )  # what they keep is dumped, too
    data = skops.dumps(model)
    types = skops.get_untrusted_types(data=data)
    assert [name for name in types if not name.startswith("clausal.")] in ([], ["builtins.frozenset"])
    again = skops.loads(data, trusted=types)
    assert type(again) is type(model)
    assert again.rules_ == model.rules_
    np.testing.assert_array_equal(again.predict_proba(X), expected[0])
    assert again.predict(X).tolist() == expected[1].tolist()
    assert getattr(again, "log_", ()) == getattr(model, "log_", ())


def test_what_rules_compute_is_not_stored() -> None:
    rules = MODELS["card"].rules_
    rules.votes(X)
    assert "used_features" in vars(rules)
    state = rules.__getstate__()
    assert {"encoding", "outcome", "constants", "_rules", "overrides"} == set(state)
