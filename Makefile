# Everything starts from a machine with Python 3.11, make and nothing else.
PYTHON ?= python3.11
BIN := .venv/bin

.PHONY: setup leaderboard test check bench golden clean browser

setup: .venv/.ready

.venv/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade -c constraints.txt setuptools
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c constraints.txt -e '.[dev]'
	touch $@

leaderboard: setup
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

test: setup browser check
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

bench: setup
	$(BIN)/python -m benchmarks

# Record the golden games anew; commit the difference only if it was meant.
golden: setup
	$(BIN)/python -m tests.golden

# Which lines and branches the tests run; compiled functions are not counted.
.PHONY: coverage
coverage: setup browser
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --cov --cov-report=term

clean:
	rm -rf .venv out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
