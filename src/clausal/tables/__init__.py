"""Tables in files: reading them for training or for a model, and writing results."""
