"""
Imbalanced classes
==================

One claim in sixty is fraudulent. Accuracy is useless then: choose the metric first, and let it choose the
cut-off.
"""

# %%

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, confusion_matrix, f1_score, recall_score
from sklearn.model_selection import train_test_split

import clausal

draw = np.random.default_rng(0)
n = 12_000
X = pd.DataFrame(
    {
        "amount": draw.lognormal(7, 1, n).round(),
        "days_since_start": draw.integers(1, 2000, n),
        "claims_before": draw.poisson(0.4, n),
        "reported_by": draw.choice(["phone", "web", "agent"], n),
        "witness": draw.random(n) < 0.5,
    }
)
log_odds = -5.2 + 1.2 * (X["amount"] > 3000) + 1.6 * (X["days_since_start"] < 60) + 0.8 * X["claims_before"]
log_odds += 1.0 * ((X["reported_by"] == "web") & ~X["witness"])
y = np.where(draw.random(n) < 1 / (1 + np.exp(-log_odds)), "fraud", "honest")
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
print(f"{(y == 'fraud').mean():.1%} fraud")

# %%
# The metric chooses size and cut-off
# -----------------------------------
# ``scoring`` names any scorer of scikit-learn. Points and risks hardly change with it; the decision does.

rows = []
for scoring in ("f1", "balanced_accuracy", "accuracy", "recall"):
    clf = clausal.RuleClassifier(max_literals=10, pos_label="fraud", scoring=scoring, random_state=0)
    clf.fit(X_train, y_train)
    predicted = clf.predict(X_test)
    caught = confusion_matrix(y_test, predicted, labels=["fraud", "honest"])
    rows.append(
        {
            "scoring": scoring,
            "literals": clf.n_literals_,
            "alarms": int((predicted == "fraud").sum()),
            "fraud found": int(caught[0, 0]),
            "recall": recall_score(y_test, predicted, pos_label="fraud"),
            "F1": f1_score(y_test, predicted, pos_label="fraud"),
            "average precision": average_precision_score(y_test == "fraud", clf.predict_proba(X_test)[:, 0]),
        }
    )
pd.DataFrame(rows).set_index("scoring").round(3)

# %%
# Choose the cut-off by cost
# --------------------------
# If an investigation costs 200 and finds 5,000 on average, every claim with a risk above 4 % is worth one.
# The probabilities are calibrated, so that the cut-off follows from the costs.

clf = clausal.RuleClassifier(max_literals=10, pos_label="fraud", scoring="roc_auc", random_state=0)
clf.fit(X_train, y_train)
risk = clf.predict_proba(X_test)[:, list(clf.classes_).index("fraud")]
for limit in (0.02, 0.04, 0.1, 0.5):
    flagged = risk >= limit
    found = (y_test[flagged] == "fraud").sum()
    gain = 5000 * found - 200 * flagged.sum()
    print(f"risk from {limit:.0%}: {flagged.sum():5} investigations, {found:3} frauds, gain {gain:,}")

# %%
# The card keeps such a decision with ``set_cut_off``:

card = clf.to_scorecard()
totals = card.votes(X_test)
cut_off = int(totals[risk >= 0.04].min())
card = card.edit().set_cut_off(cut_off).keep(who="fraud team", why="an investigation costs 200")
print(card.rules_)

clausal.VoteDisplay.from_estimator(card, X_test, y_test)

# %%
# ``class_weight="balanced"`` is another way. It makes the rare class count as much as the other one;
# probabilities and risks are then those of the weighted classes, so that no cost can be computed from them.
