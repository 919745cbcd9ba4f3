"""Example data sets: loaders like those of scikit-learn, and one generator.

Four data sets are part of the package; the bankruptcy data is downloaded. Not here: anything that learns.
"""

from clausal.datasets.bankruptcy import load_bankruptcy
from clausal.datasets.embedded import (
    load_balance_scale,
    load_breast_cancer,
    load_heart_disease,
    load_liver_disorders,
    make_noisy_xor,
)

__all__ = [
    "load_balance_scale",
    "load_bankruptcy",
    "load_breast_cancer",
    "load_heart_disease",
    "load_liver_disorders",
    "make_noisy_xor",
]
