#!/usr/bin/env bash
# Run Python tests with the extension built under sanitizers: sanitize_python.sh address,undefined|thread [pytest ...]
# The build and a virtual environment of its own are in build/sanitize-<name>; .venv lends its packages.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=$1
shift
folder=$PWD/build/sanitize-${kind%%,*}
tests=(
  tests/unit/engine tests/golden/test_fingerprints.py tests/contract/test_native_boundary.py
  tests/contract/test_bit_equality.py tests/contract/test_compiled_prediction.py
  tests/contract/test_daemon_threads.py tests/contract/test_reproducible.py tests/contract/test_fitting.py
)
if [ "$kind" = thread ]; then  # its first lines import polars, which the thread sanitizer cannot load
  tests+=(--ignore tests/unit/engine/test_native_encode.py)
fi

PATH=$PWD/.venv/bin:$PATH pip install --quiet --upgrade --target "$folder/package" --no-deps --no-build-isolation . \
  -C build-dir="$folder/cmake" -C cmake.define.CLAUSAL_SANITIZE="$kind" -C cmake.build-type=Debug
.venv/bin/python -m venv --without-pip "$folder/venv"
# Not .venv's own .pth files, which would import the extension of the editable install.
site=$("$folder/venv/bin/python" -c "import sysconfig; print(sysconfig.get_path('purelib'))")
printf '%s\n' "$folder/package" "$(.venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")" \
  > "$site/sanitized.pth"

# The interpreter is not instrumented: the sanitizer comes first, and the C++ library whose exceptions it watches.
export LD_PRELOAD="$(c++ -print-file-name="lib${kind:0:1}san.so") $(c++ -print-file-name=libstdc++.so.6)"
export ASAN_OPTIONS=detect_leaks=0  # the interpreter's own; `make sanitize` looks for those of the core
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="suppressions=$PWD/tools/sanitize_thread.txt halt_on_error=1 exitcode=66"
export PYTHONMALLOC=malloc OPENBLAS_NUM_THREADS=1
"$folder/venv/bin/python" -c "from clausal import _core; assert _core.__file__.startswith('$folder'), _core.__file__"
exec "$folder/venv/bin/python" -X faulthandler -m pytest -q -p no:cacheprovider "${tests[@]}" "$@"
