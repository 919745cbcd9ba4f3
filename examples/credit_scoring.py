"""
Credit scoring: from a raw table to a signed-off card
=====================================================

A scorecard for loans, with everything a risk department asks for: constraints, rules that experts insist
on, the usual scale of points, reasons for declined applicants, a report, SQL for production, and
monitoring.

The applicants are generated, so that you can run this page anywhere. With your own table, only the first
step differs.
"""

# %%
# The applicants
# --------------

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import clausal


def applicants(n, seed, income_shift=1.0):
    """Applicants for a loan, and whether they repaid it."""
    draw = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": (draw.lognormal(10.2, 0.45, n) * income_shift).round(-2),
            "loan": draw.lognormal(9.0, 0.7, n).round(-2),
            "years_employed": draw.gamma(1.5, 4.0, n).round(1),
            "late_payments": draw.poisson(0.6, n),
            "housing": draw.choice(["owner", "rent", "with parents"], n, p=[0.45, 0.45, 0.1]),
            "purpose": draw.choice(["car", "education", "kitchen", "refinancing"], n),
            "age": draw.integers(18, 75, n),
        }
    )
    table.loc[draw.random(n) < 0.08, "years_employed"] = np.nan
    log_odds = -2.2 + 0.9 * table["late_payments"] + 1.4 * (table["loan"] / table["income"] - 0.35)
    log_odds += 0.7 * (table["years_employed"] < 2) + 0.5 * (table["purpose"] == "refinancing")
    log_odds -= 0.6 * (table["housing"] == "owner")
    bad = draw.random(n) < 1 / (1 + np.exp(-log_odds))
    return table, pd.Series(np.where(bad, "bad", "good"), name="outcome")


X, y = applicants(4000, seed=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
print(y_train.value_counts(normalize=True).round(3))
X_train.head()

# %%
# A first card, with constraints
# ------------------------------
# The risk must not fall with late payments, nor rise with income or years in the job. Age must not count at
# all. Experts want applicants with three late payments marked, whatever the data says: ``fixed_rules``
# holds rules that the card always has. No feature may give more than eight points.

clf = clausal.RuleClassifier(
    max_literals=12,
    pos_label="bad",
    scoring="roc_auc",
    monotonic_cst={"late_payments": 1, "loan": 1, "income": -1, "years_employed": -1},
    forbidden_features=["age"],
    fixed_rules=["late_payments > 2"],
    points_bounds={"housing": (-8, 8)},
    random_state=0,
).fit(X_train, y_train)
print(clf.rules_)

# %%
# ``path_`` shows what another condition would be worth, so that the size is a decision and not an accident.

clausal.CompactionDisplay.from_estimator(clf)

# %%
# The classic table
# -----------------
# Bins, points, rows, rates and weights of evidence, as risk departments write them down:

card = clf.to_scorecard(about={"name": "Instalment loans", "owner": "Retail risk", "period": "2025"})
print(card.table(X_train, y_train))

# %%
# Edit, and see what it costs
# ---------------------------
# A scorecard is yours to change. An edit says what it does on rows that the card was not made from,
# *before* you keep it, and the card remembers who changed what, and why.

weakest = min(card.rules_, key=lambda rule: abs(rule.points))
edit = card.edit(X_test, y_test, scoring="roc_auc").drop_rule(weakest)
print(edit)

# %%

card = edit.keep(who="A. Analyst", why="too small a difference to defend", when="2026-01-15T09:00:00+00:00")
print(card.log_[0])

# %%
# The usual scale
# ---------------
# 600 points stand for odds of 50 to 1 that a loan is repaid, and 20 points more double the odds. With
# ``positive=False`` more points are better. The decisions stay the same.

scaled = card.scaled(base_score=600, base_odds=50, points_to_double=20, positive=False)
print(scaled.rules_)
assert (scaled.predict(X_test) == card.predict(X_test)).all()

# %%
# Why was this applicant declined?
# --------------------------------

declined = X_test[scaled.predict(X_test) == "bad"][:1]
print(scaled.explain(declined)[0])

# %%
# Evidence for the file
# ---------------------
# The report is one HTML page that works offline. It has the card, its performance with intervals,
# calibration, single cases and a form to try values. ``fairness`` compares groups of a column that no rule
# tests.

clausal.report(scaled, X_test, y_test, "report.html", X_train, y_train, title="Instalment loans")
band = pd.cut(X_test["age"], [17, 30, 45, 75], labels=["to 30", "31 to 45", "above 45"]).astype(str)
clausal.fairness(scaled, X_test, y_test, protected=band).to_frame().head(6)

# %%
# Production
# ----------
# The card as one SQL query, which gives the same points on every row. It needs ``pip install
# "clausal[sql]"``; see :ref:`deployment <sphx_glr_docs_gallery_deploy_a_model.py>` for C, ONNX, PMML and
# Excel.

print(scaled.rules_.to_sql("postgres", table="applicants"))

# %%
# Monitoring
# ----------
# A year later incomes have risen by a quarter. Are the applicants still those that the card was made for?
# Outcomes may be missing; here they are known.

X_new, y_new = applicants(1500, seed=1, income_shift=1.25)
result = clausal.monitor(scaled, X_test, X_new, y_test, y_new)
print(result)
