"""Tables in files: reading them for training or prediction, and writing results."""
