"""
Images
======

A machine that looks at an image through a window: a rule holds if its conditions hold on at least one
patch. So it finds a pattern wherever it is.
"""

# %%
# Handwritten digits of 8 x 8 pixels; a window of 4 x 4 moves over each.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import clausal

data = load_digits()
X_train, X_test, y_train, y_test = train_test_split(data.images, data.target, random_state=0)

window = clausal.PatchEncoder((4, 4), thresholds=[4, 12])
machine = clausal.TsetlinClassifier(
    n_clauses=60, threshold=600, specificity=5.0, n_epochs=10, booleanizer=window, random_state=0
).fit(X_train, y_train)
print(f"{machine.score(X_test, y_test):.3f} of {len(y_test)} test images are right")

# %%
# Which images are mistaken?

predicted = machine.predict(X_test)
wrong = (predicted != y_test).nonzero()[0][:8]
figure, axes = plt.subplots(1, 8, figsize=(12, 2), layout="constrained")
for ax, index in zip(axes, wrong, strict=False):
    ax.imshow(X_test[index], cmap="gray_r")
    ax.set_title(f"{y_test[index]}, not {predicted[index]}")
for ax in axes:
    ax.axis("off")

# %%
# A rule as a picture: which pixels of the patch must be dark or bright, and training images on which it
# holds.

clausal.PatchDisplay.from_estimator(machine, 0, X=X_train)

# %%
# Rules about patches, sequences, and how patches are encoded, are on the page about :doc:`images and
# sequences </docs/images-and-sequences>`.
