"""Reading and writing model files; docs/formats.md describes the format."""
