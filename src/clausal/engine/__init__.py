"""Engines: the random stream, the law of learning, the reference and the compiled machine."""
