"""
Read and edit rules
===================

A :class:`~clausal.RuleSet` is the model: its votes are the votes of the estimator, on every row. Look at it
as a table, measure its rules, compare two models, change one, and write rules of your own.
"""

# %%

import clausal
from clausal.datasets import load_heart_disease

data = load_heart_disease(as_frame=True)
X, y = data.data, data.target.map(dict(enumerate(data.target_names)))
card = clausal.RuleClassifier(max_literals=8, random_state=0).fit(X, y)
rules = card.rules_
rules.to_frame()

# %%
# Measure
# -------
# ``statistics`` counts the rows on which each rule holds, and how often the class is there:

rules.statistics(X, y).to_frame()

# %%
# Which rows does a rule hold for, and which features are used?

fires = rules.fires(X)
print(fires.sum(axis=0), "rows of", len(X), "for the rules in order")
print(sorted(rules.encoding.feature_names[index] for index in rules.used_features))

# %%
# A rule in words
# ---------------
# ``parse_rule`` reads the words that a rule prints; a rule prints itself the same way.

rule = clausal.parse_rule("chest_pain is asymptomatic", rules.encoding)
print(rule)

# %%
# Edit with a log
# ---------------
# ``to_scorecard`` makes a model that you own. An edit collects changes, measures them, and is kept with a
# name and a reason. Here the points are fitted again after a rule was added.

mine = card.to_scorecard(about={"owner": "cardiology"})
edit = mine.edit(X, y).add_rule("age > 60 and sex is male", points=2).refit(keep=["age > 60 and sex is male"])
print(edit)

# %%

changed = edit.keep(who="Dr. A. Weber", why="asked for by the ward")
print(changed.rules_)

# %%
# What changed
# ------------

print(mine.rules_.diff(changed.rules_))

clausal.RuleDisplay.from_rules(changed.rules_)

# %%
# An override decides whatever the points say, as where a guideline must be followed:

strict = (
    changed.edit().add_override("major_vessels > 2", "presence").keep(who="Dr. A. Weber", why="guideline")
)
print(strict.rules_)
