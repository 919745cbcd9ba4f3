"""Model files: one module for each section of docs/formats.md."""
