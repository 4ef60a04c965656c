# make demo    install limbik into .venv and run its demonstration
# make test    lint, check types and run every test
# make bench   measure limbik beside its peers
# make fuzz    try damaged files on every loader, each for SECONDS (600 unless said otherwise)
#
# Needs Python 3.11 or newer; name another one with  make PYTHON=python3.12 ...

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)

VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCE := limbik tests $(wildcard benchmarks examples fuzz)
SECONDS ?= 600

.PHONY: demo test lint types pytest bench fuzz format clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "limbik needs Python 3.11 or newer; none was found."; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

# Stamps: installing again happens only when pyproject.toml is newer.
$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(PIP) --editable ".[all]"
	@touch $@

$(VENV)/installed-test: pyproject.toml tests/robots.txt | $(BIN)/python
	$(PIP) --editable ".[all,test]"
	$(PIP) --no-deps --requirement tests/robots.txt
	@touch $@ $(VENV)/installed

demo: $(VENV)/installed
	$(BIN)/limbik demo

test: lint types pytest

lint: $(VENV)/installed-test
	$(BIN)/ruff check $(SOURCE)
	$(BIN)/ruff format --check $(SOURCE)

types: $(VENV)/installed-test
	$(BIN)/pyright --pythonpath $(BIN)/python

pytest: $(VENV)/installed-test
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

bench: $(VENV)/installed-test
	$(PIP) --editable ".[all,test,bench]"
	$(BIN)/python -m benchmarks

fuzz: $(VENV)/installed-test
	$(BIN)/python -m fuzz --seconds $(SECONDS)

format: $(VENV)/installed-test
	$(BIN)/ruff check --fix $(SOURCE)
	$(BIN)/ruff format $(SOURCE)

clean:
	rm -rf $(VENV) out dist build .pytest_cache .hypothesis .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
