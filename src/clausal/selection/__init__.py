"""Choosing a model by cross-validation inside the training data: compaction to a scorecard, and tuning."""
