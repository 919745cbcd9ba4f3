"""Decision rules: extraction from a machine, simplification, text, statistics and comparison."""
