"""A rule model for other systems: one neutral document, one writer per target."""
