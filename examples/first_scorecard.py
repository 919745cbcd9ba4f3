"""
First scorecard in five minutes
===============================

Train a scorecard on the Heart Disease data, read it, and apply it to patients it has not seen.

You need ``pip install clausal pandas``. The data is part of the package.
"""

# %%
# A table
# -------
# Any table of pandas, polars or pyarrow will do, with numbers, categories, booleans and missing values. There
# is nothing to scale, to impute or to one-hot encode. Of a file of your own, make ``X`` and ``y`` like this::
#
#     table = pandas.read_csv("loans.csv")
#     X, y = table.drop(columns="outcome"), table["outcome"]

from sklearn.model_selection import train_test_split

from clausal import RuleClassifier
from clausal.datasets import load_heart_disease

data = load_heart_disease(as_frame=True)
X, y = data.data, data.target.map(dict(enumerate(data.target_names)))
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=1, stratify=y)
X_train.head()

# %%
# Train
# -----
# ``max_literals`` limits the number of conditions in all rules together. Within the limit, cross-validation
# inside the training rows chooses how many are worth having. This takes a second or two.

card = RuleClassifier(max_literals=12, random_state=1).fit(X_train, y_train)
print(card.rules_)

# %%
# The same as a picture (``pip install "clausal[plots]"``):

from clausal import RuleDisplay

RuleDisplay.from_estimator(card)

# %%
# That is the whole model. Start at the constant, add the points of each rule that holds, and compare the
# total with the cut-off. Points above 0 speak for *presence* of the disease. If that is not the class you
# are interested in, say so with ``pos_label``.
#
# How good is it?
# ---------------

from sklearn.metrics import f1_score, roc_auc_score

print(f"On {len(y_test)} test rows")
print(f"F1       {f1_score(y_test, card.predict(X_test), pos_label='presence'):.3f}")
print(f"ROC AUC  {roc_auc_score(y_test, card.predict_proba(X_test)[:, 1]):.3f}")

# %%
# Each total has a calibrated risk with an interval:

print(card.risk_table_)

# %%
# One patient
# -----------
# An explanation lists the rules that hold, the smallest change that would lead to another decision, and the
# main reasons.

print(card.explain(X_test[:1])[0])

# %%
# Keep it
# -------
# The file is readable JSON, and loading it executes no code. ``clausal.report`` writes a page for
# colleagues who do not use Python.

from clausal import load, report

card.save("scorecard.json")
assert (load("scorecard.json").predict(X_test) == card.predict(X_test)).all()
report(card, X_test, y_test, "report.html", X_train, y_train)

# %%
# Next: :ref:`the way from a raw table to a signed-off card <sphx_glr_docs_gallery_credit_scoring.py>`, or
# the `parameters to set <../user-guide.html#choosing-parameters>`_.
