"""
Predict a number
================

A scorecard for numbers: a constant, and points that are added to it. Here it predicts the progression of
diabetes one year later.
"""

# %%

from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split

import clausal

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

card = clausal.RuleRegressor(max_literals=8, random_state=0).fit(X_train, y_train)
print(card.rules_)

# %%
# Beside other models
# -------------------
# Ridge regression uses all ten features, the forest 100 trees, and the scorecard at most eight conditions.

from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV

for model in (
    card,
    RidgeCV().fit(X_train, y_train),
    RandomForestRegressor(random_state=0).fit(X_train, y_train),
):
    predicted = model.predict(X_test)
    error, r2 = mean_absolute_error(y_test, predicted), r2_score(y_test, predicted)
    print(f"{type(model).__name__:22} mean absolute error {error:.1f}, R² {r2:.2f}")

# %%
# One patient
# -----------

print(card.explain(X_test[:1])[0])

# %%
# Predicted and true values
# -------------------------

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.scatter(card.predict(X_test), y_test, s=12)
ax.axline((150, 150), slope=1, color="gray", linewidth=1)
ax.set(xlabel="predicted", ylabel="true")
