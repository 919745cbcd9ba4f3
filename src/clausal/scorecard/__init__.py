"""Scorecards: candidate rules, the search among them, whole points, validation, the risk of a score."""
