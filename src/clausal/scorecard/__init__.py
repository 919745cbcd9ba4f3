"""Scorecards: candidate rules, search, integer points, cross-validation, cut-off, risk of each score."""
