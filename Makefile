# Everything starts from a machine with Python 3.11 or newer, make and nothing else.
# PYTHON chooses the interpreter that .venv is made with: make test PYTHON=python3.13
PYTHON ?= $(or $(shell command -v python3.11),python3)
BIN := .venv/bin
# Tests start hundreds of processes; without bytecode, each would compile the sources again.
unexport PYTHONDONTWRITEBYTECODE
# Test processes. Tests often wait for a server or a browser, so six keep even two cores busy.
TESTERS ?= 6
# Each file is run by one process, since its tests share servers and browsers, and the files come
# in the order of tests/conftest.py: those that take longest first.
PYTEST := $(BIN)/python -m pytest --numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder
# Modules are compiled to bytecode when they are first imported: most never are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

.PHONY: setup leaderboard test coverage check docs dist bench golden lock audit clean browser compiled

# Everything, for work on the code.
setup: .venv/.ready

# What playing needs, in the terminal, in the browser and for the leaderboard: no training,
# testing or documentation tools.
.venv/.playing: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade setuptools
	$(PIP) --no-build-isolation -e '.[web]'
	touch $@

.venv/.ready: .venv/.playing
	$(PIP) --no-build-isolation -e '.[dev]'
	touch $@

leaderboard: .venv/.playing
	$(BIN)/seabattle leaderboard --out out/leaderboard

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Browser tests need Chromium; where root and Debian allow, it is installed.
browser:
	@command -v chromium >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    echo "installing Chromium for the browser tests"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null \
	      || echo "Chromium could not be installed: the browser tests will be skipped"; \
	  else echo "no Chromium: the browser tests will be skipped"; fi; }

# Two games of every player: they are compiled here, several at a time, where each test process
# would compile most of them for itself.
compiled: setup
	$(BIN)/seabattle leaderboard --rules mini --games 2 --slow --out out/compiled >/dev/null

test: setup browser
	$(MAKE) --jobs 2 --output-sync check compiled
	$(PYTEST)

# Which lines and branches the tests run; compiled functions are not counted.
coverage: setup browser compiled
	$(PYTEST) --cov --cov-report=term

# The documentation as a site that needs no network; a warning is an error.
docs: setup
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs out/docs
	@echo "Documentation: out/docs/index.html"

# The wheel and the source distribution.
dist: setup
	$(BIN)/python -m build --no-isolation --outdir dist .

bench: setup
	$(BIN)/python -m benchmarks

# Record the golden games anew; commit the difference only if it was meant.
golden: setup
	$(BIN)/python -m tests.golden

# requirements.lock, after a change of constraints.txt or of the dependencies; needs the network.
lock: setup
	$(BIN)/python -m tests.lock_file

# Known vulnerabilities of what a release needs; needs the network. The tool has an environment of
# its own, because it is no part of what is tested.
audit:
	$(PYTHON) -m venv .venv/audit
	.venv/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	.venv/audit/bin/pip-audit --disable-pip --require-hashes -r requirements.lock

clean:
	rm -rf .venv out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
