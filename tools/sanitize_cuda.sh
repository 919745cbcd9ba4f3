#!/usr/bin/env bash
# Run a few tests of the kernels on a GPU under compute-sanitizer: wrong addresses, then races in shared memory.
set -euo pipefail
cd "$(dirname "$0")/.."
sanitizer=$(echo .venv/lib/python*/site-packages/nvidia/cu13/bin/compute-sanitizer)
[ -x "$sanitizer" ] || chmod +x "$sanitizer" "$(dirname "$sanitizer")"/../compute-sanitizer/{compute-sanitizer,TreeLauncher*}
for tool in memcheck racecheck; do
  "$sanitizer" --tool "$tool" --error-exitcode 1 --target-processes all \
    .venv/bin/python -m pytest -q -p no:xdist tests/cuda/test_training.py -k "fingerprint or parts_of_a_call"
done
