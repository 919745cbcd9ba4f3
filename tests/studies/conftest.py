"""For the tests of the studies: a generated table instead of Bankruptcy, whose file is not in the repository.

Not here: the real file (the fixture `shared_data` of tests/conftest.py).
"""

import numpy as np
import pandas as pd
import pytest

from clausal import datasets
from studies.data import load

FEATURES = (
    "industrial_risk",
    "management_risk",
    "financial_flexibility",
    "credibility",
    "competitiveness",
    "operating_risk",
)


def generated_bankruptcy(path=None, *, return_X_y, as_frame=False):
    """250 rows with the columns and categories of the real table; competitiveness almost gives the class."""
    assert return_X_y
    rng = np.random.default_rng(0)
    distinct = rng.choice(["A", "N", "P"], (100, len(FEATURES)))
    rows = distinct[np.arange(250) % 100].astype(object)  # equal rows, as in the real table
    y = ((rows[:, 4] != "N") ^ (rng.random(250) < 0.02)).astype(np.int64)
    if not as_frame:
        return rows, y
    categories = pd.CategoricalDtype(["A", "N", "P"])
    return pd.DataFrame(rows, columns=FEATURES).astype(categories), pd.Series(y)


@pytest.fixture
def bankruptcy(monkeypatch):
    """Makes `load("Bankruptcy")` return the generated table."""
    monkeypatch.setattr(datasets, "load_bankruptcy", generated_bankruptcy)
    load.cache_clear()
    yield load("Bankruptcy")
    load.cache_clear()


@pytest.fixture
def real_bankruptcy(shared_data, monkeypatch):
    """Makes `load("Bankruptcy")` read the real file."""
    monkeypatch.setenv("CLAUSAL_DATA", str(shared_data))
    load.cache_clear()
    yield load("Bankruptcy")
    load.cache_clear()
