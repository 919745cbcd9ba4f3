"""
Several classes
===============

With more than two classes every rule names the class it speaks for or against, and the class with the most
points wins.
"""

# %%

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import clausal

data = load_wine(as_frame=True)
y = data.target.map(dict(enumerate(["Barolo", "Grignolino", "Barbera"])))
X_train, X_test, y_train, y_test = train_test_split(data.data, y, random_state=0, stratify=y)

card = clausal.RuleClassifier(max_literals=12, scoring="accuracy", random_state=0).fit(X_train, y_train)
print(card.rules_)
print(f"\naccuracy on {len(y_test)} test rows: {card.score(X_test, y_test):.3f}")

# %%
# Each class has a total; the decision is the largest one, and the first class on a tie.

import pandas as pd

pd.DataFrame(card.votes(X_test[:5]), columns=card.classes_, index=X_test.index[:5]).assign(
    predicted=card.predict(X_test[:5]), true=y_test[:5]
)

# %%
# An explanation names the runner-up, too:

print(card.explain(X_test[:1])[0])

# %%
# A Tsetlin machine has one bank of clauses per class. Its confusion matrix beside that of the scorecard:

import matplotlib.pyplot as plt
from sklearn.metrics import ConfusionMatrixDisplay

machine = clausal.TsetlinClassifier(n_clauses=40, n_epochs=30, random_state=0).fit(X_train, y_train)
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, (name, model) in zip(axes, {"scorecard": card, "machine": machine}.items(), strict=True):
    ConfusionMatrixDisplay.from_estimator(model, X_test, y_test, ax=ax, colorbar=False, cmap="Greys")
    ax.set_title(f"{name}, {model.n_literals_} literals")
