"""The paper, recomputed: `make paper`, `make paper-quick`, `make paper-page`.

Uses the public API of clausal only and is no part of the wheel. README.md here says what is computed and how.
"""
