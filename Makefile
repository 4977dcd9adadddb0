# Each target works alone on a fresh machine with python3 >= 3.11, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: example test test-compat test-reference test-dask test-nli test-oldest lint format wheel-smoke bench clean

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "pytest_trace needs Python 3.11 or newer; '$(PYTHON)' is older. Name another: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $(STAMP)

example: $(STAMP)
	$(BIN)/python -m pytest example_suite
	$(BIN)/python -m pytest example_suite/llm --scripted --rag-no-cache

test: $(STAMP)
	$(BIN)/python -m pytest

# The documents of LangChain, LlamaIndex and Haystack and the entities of spaCy, in an environment of
# their own.
test-compat: .venv-compat/.installed
	HAYSTACK_TELEMETRY_ENABLED=False .venv-compat/bin/python -m pytest -c tests/compat/pytest.ini --rootdir=tests/compat tests/compat

.venv-compat/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-compat
	.venv-compat/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-compat/bin/python -m pip install --quiet --editable . --group compat
	@touch $@

# Our measures of answers beside the field's own code, in an environment of their own.
test-reference: .venv-reference/.installed
	.venv-reference/bin/python -m pytest -c tests/reference/pytest.ini --rootdir=tests/reference tests/reference

.venv-reference/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-reference
	.venv-reference/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-reference/bin/python -m pip install --quiet --editable . --group reference
	@touch $@

# The judge `nli` with real models of transformers, which the tests make, in an environment of its own.
test-nli: .venv-nli/.installed
	OMP_NUM_THREADS=1 .venv-nli/bin/python -m pytest -c tests/nli/pytest.ini --rootdir=tests/nli --confcutdir=tests tests/nli

.venv-nli/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-nli
	.venv-nli/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@echo "Installing torch: on Linux gigabytes with CUDA, unless PIP_EXTRA_INDEX_URL or PIP_FIND_LINKS names a build for CPUs"
	.venv-nli/bin/python -m pip install --quiet --editable . --group nli
	@touch $@

# Real Dask clusters, in an environment of their own: starting their processes takes a while.
test-dask: .venv-dask/.installed
	.venv-dask/bin/python -m pytest -c tests/dask/pytest.ini --rootdir=tests/dask tests/dask

.venv-dask/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-dask
	.venv-dask/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-dask/bin/python -m pip install --quiet --editable . --group dask
	@touch $@

# The oldest release of every dependency that pyproject.toml admits.
test-oldest: .venv-oldest/.installed
	.venv-oldest/bin/python -m pytest -W "ignore:Unknown config option:pytest.PytestConfigWarning"

.venv-oldest/.installed: pyproject.toml tools/lower_bounds.py
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python tools/lower_bounds.py > .venv-oldest/constraints.txt
	.venv-oldest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-oldest/bin/python -m pip install --quiet --constraint .venv-oldest/constraints.txt --editable . --group test
	@touch $@

# The wheel as a user gets it: built, installed into an empty environment, and run.
wheel-smoke: $(STAMP)
	rm -rf dist .venv-wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet dist/*.whl
	cd tests/wheel && ../../.venv-wheel/bin/python -m pytest -c pytest.ini --rootdir=. -v

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Speed and memory: a table for each, minutes in all. make bench BENCH=--quick only sees that they run.
BENCH ?=
bench: $(STAMP)
	for name in startup throughput warm_run cold_run memory; do \
	  echo "== $$name"; $(BIN)/python benchmarks/$$name.py $(BENCH) || exit 1; done

clean:
	rm -rf $(VENV) .venv-* build dist .coverage* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
