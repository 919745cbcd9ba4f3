"""
The paper in ten minutes
========================

Abeyrathna, Granmo and Goodwin, *Extending the Tsetlin Machine With Integer-Weighted Clauses for Increased
Interpretability* (2020), compare three machines: the TM, whose clauses all have weight 1, the RWTM with
real weights, and the IWTM with whole-number weights. Their claim: whole-number weights need fewer literals
for the same accuracy.

This page shows the comparison on one data set and a few splits. The :doc:`whole paper, recomputed
</docs/results>` takes hours and comes to a more careful verdict.
"""

# %%

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedShuffleSplit

import clausal
from clausal.datasets import load_heart_disease

X, y = load_heart_disease(return_X_y=True, as_frame=True)
splits = list(StratifiedShuffleSplit(4, test_size=0.2, random_state=0).split(X, y))
machines = {"TM": "none", "RWTM": "real", "IWTM": "integer"}

# %%
# The same settings for all three: *m* clauses, T in proportion to them, s = 3, the paper's way of making
# booleans. Only the weights differ.

results = []
for m in (10, 50, 200):
    for name, weighting in machines.items():
        for train, test in splits:
            clf = clausal.TsetlinClassifier(
                n_clauses=m,
                threshold=m if weighting == "none" else 4 * m,
                specificity=3.0,
                n_epochs=40,
                weighting=weighting,
                booleanizer="paper",
                random_state=0,
            ).fit(X.iloc[train], y.iloc[train])
            f1 = f1_score(y.iloc[test], clf.predict(X.iloc[test]))
            results.append({"machine": name, "m": m, "F1": f1, "literals": clf.n_literals_})
results = pd.DataFrame(results)
results.pivot_table(index="m", columns="machine", values=["F1", "literals"]).round(2)

# %%
# With four splits, differences in F1 of a few hundredths mean nothing. The numbers of literals are another
# matter:

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name, marker in zip(machines, "os^", strict=True):
    mean = results[results["machine"] == name].groupby("m")[["F1", "literals"]].mean()
    left.plot(mean.index, mean["literals"], marker=marker, label=name)
    right.plot(mean.index, mean["F1"], marker=marker, label=name)
left.set(title="literals", xlabel="clauses, m", xscale="log", yscale="log")
right.set(title="F1, mean of four splits", xlabel="clauses, m", xscale="log", ylim=(0.5, 1))
left.legend()

# %%
# Weight zero
# -----------
# In an IWTM, a clause whose weight falls to 0 is switched off. How many depends on T: with a small one, few
# clauses are needed to reach it.

train, _ = splits[0]
iwtm = clausal.TsetlinClassifier(
    n_clauses=200, threshold=50, n_epochs=40, booleanizer="paper", random_state=0
)
iwtm.fit(X.iloc[train], y.iloc[train])
print(f"{(iwtm.model_.weights == 0).mean():.0%} of the clauses have weight 0")
clausal.HistoryDisplay.from_estimator(iwtm)

# %%
# From a machine to a scorecard
# -----------------------------
# Some hundred literals are still too many for a person. ``compact`` makes a scorecard of a machine, within
# a limit:

card = clausal.compact(iwtm, X.iloc[train], y.iloc[train], max_literals=10, random_state=0)
print(card.rules_)
