"""`python -m studies.quality`: compute the missing fits, two at a time, then print the summary."""

import json
import platform

from joblib import Parallel, delayed

import clausal
from studies.quality.fits import RESULTS, missing_fits, one_fit, stored_lines
from studies.quality.summary import print_summary

lines = stored_lines()
versions = {"clausal": clausal.__version__, "python": platform.python_version()}
work = (delayed(one_fit)(*fit) for fit in missing_fits(lines))
with RESULTS.open("a", encoding="utf-8") as file:
    for line in Parallel(n_jobs=2, return_as="generator_unordered")(work):
        lines.append(line | versions)
        print(json.dumps(lines[-1]), file=file, flush=True)
print_summary(lines)
