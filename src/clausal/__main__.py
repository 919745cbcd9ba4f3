"""`python -m clausal`: the command line, where the program itself is not on the path."""

from clausal.cli import main

main()
