"""Data sets to try things on: loaders after scikit-learn's conventions, and one generator.

Four data sets come with the package, the bankruptcy data is fetched. Not here: anything that learns.
"""

from clausal.datasets.balance_scale import load_balance_scale
from clausal.datasets.bankruptcy import load_bankruptcy
from clausal.datasets.breast_cancer import load_breast_cancer
from clausal.datasets.heart_disease import load_heart_disease
from clausal.datasets.liver_disorders import load_liver_disorders
from clausal.datasets.noisy_xor import make_noisy_xor

__all__ = [
    "load_balance_scale",
    "load_bankruptcy",
    "load_breast_cancer",
    "load_heart_disease",
    "load_liver_disorders",
    "make_noisy_xor",
]
