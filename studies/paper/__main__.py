"""`python -m studies.paper`: compute the missing results (run.py).

Separate from run.py because the worker processes of joblib import the functions by their module's name.
"""

from studies.paper.run import main

main()
