"""A model on one self-contained HTML page."""
