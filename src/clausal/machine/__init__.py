"""Tsetlin machines as estimators: parameters, reading of tables, the epochs of training, fitted arrays."""
