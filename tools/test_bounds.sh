#!/usr/bin/env bash
# The tests with other versions of the dependencies: tools/test_bounds.sh lowest|newest [Python] [arguments of pytest]
#   lowest   the lower bound of every dependency of pyproject.toml
#   newest   the newest versions, pre-releases among them
# uv resolves and installs them; the environment is .venv-lowest or .venv-newest.
set -euo pipefail
cd "$(dirname "$0")/.."
which=$1
python=${2:-python3}
shift $(($# < 2 ? $# : 2))
environment=.venv-$which
case $which in
  lowest) versions=(--resolution lowest-direct) warnings=(-W ignore) ;;  # old packages warn beside new ones
  newest) versions=(--upgrade --prerelease allow) warnings=() ;;
  *) echo "The first argument must be lowest or newest. Got $which."; exit 2 ;;
esac
export SSL_CERT_FILE=${SSL_CERT_FILE:-${PIP_CERT:-}}
[ -n "$SSL_CERT_FILE" ] || unset SSL_CERT_FILE
.venv/bin/uv venv --quiet --clear --python "$python" "$environment"
.venv/bin/uv pip install --quiet --python "$environment" --group build
# Not editable: the tests then read the installed package, as a user does.
.venv/bin/uv pip install --quiet --python "$environment" --no-build-isolation-package clausal --group test "${versions[@]}" .
.venv/bin/uv pip list --python "$environment" | grep -E "^(numpy|scipy|scikit-learn|joblib|narwhals|pandas|polars|pyarrow) "
"$environment/bin/python" --version
"$environment/bin/python" -m pytest -q "${warnings[@]}" "$@"
