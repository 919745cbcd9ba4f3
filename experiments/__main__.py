"""`python -m experiments`: compute what is missing (run.py).

Apart from run.py, as joblib's workers must be able to import what they compute with under its own name.
"""

from experiments.run import main

main()
