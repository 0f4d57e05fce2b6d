# Each goal sets up .venv by itself; a second run reinstalls nothing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test quick faults bench docs dist lint clean

run: $(READY)
	$(BIN)/understudy run morris_quick

# Two test workers share two cores: pools of threads in each would only get in the way. Each begins with its own half, so
# that few kernels are compiled by both.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 UNDERSTUDY_THREADS=1

test: $(READY) lint
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist worksteal

# While you work: lint, types, and for a minute or so the tests nearest to what has changed since you left main.
quick: $(READY) lint
	$(ONE_THREAD) $(BIN)/python -m tests.quick

# What a disk, an engine, a stranger or a kill can do, at length: some ten minutes. `make test` has the short form;
# UNDERSTUDY_FUZZ=1000000 throws a million inputs at the readers instead of a hundred thousand.
faults: $(READY)
	UNDERSTUDY_FAULTS=long $(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist worksteal tests/faults tests/serve/test_faults.py tests/test_fetch.py

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY) $(VENV)/.bench
	$(BIN)/python -m benchmarks

# The documentation site, in site/: open site/index.html, or for the search `python -m http.server --directory site`.
docs: $(READY) $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

# What a release gives away, in dist/: a source distribution and a wheel. tests/test_packages.py installs and tries them.
dist: $(READY)
	rm -rf dist
	$(BIN)/python -m hatchling build

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

$(VENV)/.bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	touch $@

$(VENV)/.docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) dist site .node .pytest_cache .mypy_cache .ruff_cache .hypothesis
