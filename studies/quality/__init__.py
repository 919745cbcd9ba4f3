"""Scorecards of limited size compared with three other classifiers: `make quality`."""
