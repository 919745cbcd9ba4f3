"""
Inside a Tsetlin machine
========================

A Tsetlin machine is a team of small automata. Here we watch them learn: from two booleans and noise to two
rules.
"""

# %%
# The task
# --------
# *Noisy XOR*: the class is 1 if exactly one of the first two columns is true. Ten more columns mean
# nothing, and 10 % of the training labels are wrong. No single column says anything about the class, so a
# linear model fails.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import SymLogNorm

import clausal
from clausal.datasets import make_noisy_xor

X_train, y_train = make_noisy_xor(500, noise=0.1, random_state=0)
X_test, y_test = make_noisy_xor(1000, noise=0, random_state=1)
print(X_train.shape, f"{y_train.mean():.2f} of the labels are 1")

# %%
# Automata
# --------
# Each clause has one automaton per literal, that is per column and per negated column. An automaton has 256
# states. In the upper half, its literal belongs to the clause; in the lower half, it does not. Feedback
# moves it by one state:
#
# - **Type I** makes a clause say what the sample says. Literals that are true in it move up, the others
#   down.
# - **Type II** makes a clause that fired for the wrong class more particular: literals that are false in
#   the sample move up, until one of them stops the clause.
#
# With ``warm_start``, each call of ``fit`` goes on for one epoch, so that we can look at the states in
# between.

machine = clausal.TsetlinClassifier(
    n_clauses=4, threshold=40, specificity=3.9, n_epochs=1, booleanizer=None, warm_start=True, random_state=1
)
states, weights, scores = [], [], []
for _ in range(40):
    machine.fit(X_train, y_train)
    states.append(machine.model_.states[0].copy())
    weights.append(machine.model_.weights[0].copy())
    scores.append(machine.score(X_test, y_test))
states, weights = np.array(states), np.array(weights)
print(f"after 1 epoch {scores[0]:.2f}, after 40 epochs {scores[-1]:.2f} right on test rows")

# %%
# The states of all four clauses, epoch by epoch. The first literals are the columns, the others their
# negations. Red means that the literal is included. Each clause soon keeps one value of x0 and one of x1; the
# columns that mean nothing sink out of sight.

names = [f"x{i}" for i in range(12)] + [f"not x{i}" for i in range(12)]


def draw(ax, clause):
    """The states of one clause over training."""
    from_middle = states[:, clause].T - 127.5
    scale = SymLogNorm(2, vmin=-128, vmax=128)  # the steps around the middle matter most
    image = ax.imshow(from_middle, aspect="auto", cmap="RdBu_r", norm=scale, interpolation="nearest")
    sign = "for" if clause % 2 == 0 else "against"
    ax.set(title=f"clause {clause + 1} votes {sign} class 1", xlabel="epoch", yticks=range(len(names)))
    ax.set_yticklabels(names, fontsize=7)
    return image


figure, axes = plt.subplots(1, 4, figsize=(14, 5), sharey=True, layout="constrained")
for clause, ax in enumerate(axes):
    image = draw(ax, clause)
figure.colorbar(image, ax=axes, label="distance from the middle; red: included")

# %%
# Clauses
# -------
# A clause is the AND of its included literals. Those of the last epoch, with their weights:

print(machine.rules_)

# %%
# Weights
# -------
# Every clause has a whole-number weight, which counts how often it was right: a reward adds one, a penalty
# takes one away, and at zero the clause is silent. A weight of 10 replaces ten copies of the clause, which
# is what keeps the model short.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for clause in range(4):
    sign = "for" if clause % 2 == 0 else "against"
    left.plot(range(1, 41), weights[:, clause], marker=".", label=f"clause {clause + 1}, {sign}")
left.set(title="weights", xlabel="epoch")
left.legend()
right.plot(range(1, 41), scores, marker=".", color="black")
right.set(title="accuracy on test rows", xlabel="epoch", ylim=(0.4, 1.02))

# %%
# Votes
# -----
# The vote is the sum of the weights of the clauses that fire, with the sign of their class. Training aims
# at T votes for the right class: the closer a sample is to T, the less feedback it gives, so that clauses
# spread over what is still wrong.

larger = clausal.TsetlinClassifier(
    n_clauses=20, threshold=40, specificity=3.9, n_epochs=40, booleanizer=None, random_state=0
).fit(X_train, y_train)
clausal.VoteDisplay.from_estimator(larger, X_test, y_test)

# %%
# The exact steps, and where they are in the code, are on the page about the :doc:`algorithm
# </docs/algorithm>`.
