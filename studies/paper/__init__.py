"""The paper's experiments, computed again: `make paper`, `make paper-quick`, `make paper-page`.

README.md in this folder says what is computed and how.
"""
