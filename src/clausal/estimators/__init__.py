"""What scikit-learn users call."""
