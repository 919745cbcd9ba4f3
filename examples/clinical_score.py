"""
A clinical score
================

A score for the bedside: few questions, small whole numbers, no combinations of findings, and a risk for
each total that says how sure it is.
"""

# %%
# The data describe patients with suspected heart disease. Only findings that are there before an
# angiography may be used.

from sklearn.model_selection import train_test_split

import clausal
from clausal.datasets import load_heart_disease

data = load_heart_disease(as_frame=True)
X = data.data.drop(columns=["major_vessels", "thal"])
y = data.target.map(dict(enumerate(data.target_names)))
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)

# %%
# ``interaction_cst="no_interactions"`` keeps every rule to one finding, ``max_points=3`` keeps the
# arithmetic easy, ``max_features=5`` limits the questions to ask, and the risk may not fall with age.

score = clausal.RuleClassifier(
    max_literals=8,
    max_features=5,
    max_points=3,
    interaction_cst="no_interactions",
    monotonic_cst={"age": 1},
    pos_label="presence",
    n_alternatives=2,
    random_state=0,
).fit(X_train, y_train)
print(score.rules_)

# %%
# The risk of each total, with a 95 % interval of the mean risk of all patients who have it:

print(score.risk_table_)

# %%
# How stable is it?
# -----------------
# Other patients would have given another score. ``stability_`` says how often each rule and each finding
# returned in cross-validation.

print(score.stability_)

# %%
# Are there other scores that are about as good? Each forbids a finding that the chosen one uses.

for alternative in score.alternatives_:
    print(f"log-loss {alternative.worse_by:+.3f}, tests {', '.join(alternative.features)}")
    print(alternative.rules, end="\n\n")

# %%
# On new patients
# ---------------

import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
clausal.VoteDisplay.from_estimator(score, X_test, y_test, ax=left)
CalibrationDisplay.from_estimator(
    score, X_test, y_test, pos_label="presence", n_bins=5, strategy="quantile", ax=right
)
