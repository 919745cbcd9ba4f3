"""The fitted machine as arrays, and its file."""
