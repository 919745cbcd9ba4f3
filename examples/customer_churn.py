"""
Churn, with many categories
===========================

Which customers leave? Tariffs, regions and shops are categories with many values, and some values are rare.
A scorecard takes them as they are.
"""

# %%
# The customers are generated: 40 shops and eight tariffs, of which a few matter.

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import clausal

draw = np.random.default_rng(0)
n = 6000
share = 1 / np.arange(1, 41)
X = pd.DataFrame(
    {
        "shop": [f"shop {i:02}" for i in draw.choice(40, n, p=share / share.sum())],
        "tariff": [f"tariff {c}" for c in draw.choice(list("ABCDEFGH"), n)],
        "contract": draw.choice(["month", "year", "two years"], n, p=[0.5, 0.3, 0.2]),
        "months": draw.integers(1, 72, n),
        "calls_to_support": draw.poisson(1.2, n),
    }
)
log_odds = -1.6 + 1.3 * (X["contract"] == "month") + 0.35 * X["calls_to_support"] - 0.03 * X["months"]
log_odds += 0.9 * X["tariff"].isin(["tariff C", "tariff F"]) + 1.2 * X["shop"].isin(["shop 02", "shop 05"])
y = np.where(draw.random(n) < 1 / (1 + np.exp(-log_odds)), "leaves", "stays")
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)

# %%
# The categories of a feature become columns, the most frequent ones first. Where a feature has more
# categories than columns, ``fit`` says so. ``max_columns`` makes more of them.

clf = clausal.RuleClassifier(
    max_literals=14,
    pos_label="leaves",
    scoring="roc_auc",
    booleanizer=clausal.Booleanizer(max_columns=40),
    random_state=0,
).fit(X_train, y_train)
print(clf.rules_)

# %%
# Beside a gradient-boosted model
# -------------------------------
# Boosted trees may use as much as they like; the scorecard has at most 14 conditions. (The log-odds of
# these customers are a sum, which suits a scorecard; on your data the order may differ.)

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

categories = {name: X[name].astype("category").dtype for name in ("shop", "tariff", "contract")}
boosted = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
boosted.fit(X_train.astype(categories), y_train)
for name, proba in {
    "scorecard": clf.predict_proba(X_test),
    "boosted trees": boosted.predict_proba(X_test.astype(categories)),
}.items():
    print(f"{name:14} ROC AUC {roc_auc_score(y_test == 'leaves', proba[:, 0]):.3f}")

# %%
# A shop that was not there in training
# -------------------------------------
# A new category satisfies no condition, not even a negated one, and a warning says how many rows have it.

import warnings

new = X_test[:2].assign(shop="shop 99")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(clf.predict(new))
print(*(warning.message for warning in caught))

# %%
# What drives churn
# -----------------

clausal.RuleDisplay.from_estimator(clf)
