"""clausal."""
