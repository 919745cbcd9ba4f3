"""
Deploy a model
==============

Exports give the same votes and decisions as the model, on every row. Each comes with rows to test it where
it runs.
"""

# %%

import clausal
from clausal.datasets import load_heart_disease

data = load_heart_disease(as_frame=True)
X, y = data.data, data.target.map(dict(enumerate(data.target_names)))
card = clausal.RuleClassifier(max_literals=5, random_state=0).fit(X, y)
clausal.RuleDisplay.from_estimator(card)

# %%
# SQL, in the dialect of your database (``pip install "clausal[sql]"``):

query = card.rules_.to_sql("duckdb", table="patients")
print(query)

# %%
# It is the model. DuckDB reads the data frame, and the votes are the same:

import duckdb

patients = X
votes = duckdb.sql(query).df()
assert (votes["vote"] == card.votes(X)).all()

# %%
# Python without any package, as one file that tests itself when it runs:

print(card.export("python")[:1500], "...")

# %%
# C99 for a device, without a library and without memory allocation:

print("\n".join(card.export("c").splitlines()[:40]), "\n...")

# %%
# All targets, and the types of their values, are on the page about :doc:`deployment </docs/deployment>`:

for target in ("python", "c", "javascript", "onnx", "pmml", "excel"):
    exported = card.export(target)
    print(f"{target:11} {len(exported):7,} {'bytes' if isinstance(exported, bytes) else 'characters'}")
