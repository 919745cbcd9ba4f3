"""Studies of accuracy. They use the public API of clausal and are not part of the wheel (README.md)."""
