"""
Text: rules in words
====================

Counts of words go in as scikit-learn's vectorizers make them. Every word becomes one column, which says
whether the word is there, and the rules are about words. All classes share their clauses here, so a rule that
speaks for several of them is printed once.
"""

# %%
# The corpus is installed with clausal: what the functions of SciPy say about themselves. Which part of SciPy
# is a function from? Only the description counts, without parameters and examples.

import inspect
from importlib import import_module

import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from clausal import TsetlinClassifier

PARTS = ["interpolate", "linalg", "ndimage", "optimize", "signal", "stats"]
texts, labels = [], []
for part in PARTS:
    module = import_module(f"scipy.{part}")
    for name in module.__all__:
        text = (inspect.getdoc(getattr(module, name)) or "").split("Parameters\n---")[0]
        if len(text) > 40:
            texts.append(text)
            labels.append(part)
print(pd.Series(labels).value_counts().to_string())

# %%
# A data frame of sparse columns keeps the words as names. (The sparse matrix alone works as well; its columns
# are x0, x1 and so on.)

vectorizer = CountVectorizer(min_df=4, stop_words="english", token_pattern=r"[a-z]{3,}")
counts = vectorizer.fit_transform(texts)
X = pd.DataFrame.sparse.from_spmatrix(counts, columns=vectorizer.get_feature_names_out())
X_train, X_test, y_train, y_test = train_test_split(X, labels, random_state=0, stratify=labels)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {counts.nnz / len(texts):.0f} of them in a text")

# %%
# With shared clauses every clause has a weight for each class.

clf = TsetlinClassifier(
    1000,
    threshold=2000,
    specificity=5,
    sharing="clauses",
    max_clause_literals=30,
    n_epochs=60,
    random_state=0,
).fit(X_train, y_train)
print(f"accuracy on {len(y_test)} test rows: {clf.score(X_test, y_test):.3f}")

# %%
# The rules with the most points:

print(clf.rules_[:40])

# %%
# Why is a description assigned to its part, and what would change that?

explained = clf.explain(X_test[:1])[0]
print(explained.label, explained.votes)
print(*explained.reasons, explained.counterfactual, sep="\n")
