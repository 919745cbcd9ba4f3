"""Scorecards of limited size compared with other models: `make quality`."""
