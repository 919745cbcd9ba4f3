"""What a vote means: what is predicted, what each bank votes for, names for output.

Two classes share one bank, whose vote is for the second one, the positive class; K > 2 classes have one bank
each; a number is predicted by one bank. Estimators, rules, exports, explanations and the report call an
Outcome instead of distinguishing these cases themselves. Here: what an Outcome can say (outcome.py), of
classes (classes.py), of numbers (numbers.py).
"""

from clausal.outcome.classes import BinaryOutcome as BinaryOutcome
from clausal.outcome.classes import MulticlassOutcome as MulticlassOutcome
from clausal.outcome.classes import make_outcome as make_outcome
from clausal.outcome.labels import LabelsOutcome as LabelsOutcome
from clausal.outcome.numbers import NumericOutcome as NumericOutcome
from clausal.outcome.outcome import Case as Case
from clausal.outcome.outcome import Comparison as Comparison
from clausal.outcome.outcome import Contrast as Contrast
from clausal.outcome.outcome import Outcome as Outcome
