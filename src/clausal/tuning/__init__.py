"""Choosing the settings of a model by cross-validation inside the training data."""
