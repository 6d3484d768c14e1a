# `make play` and `make test` are all that a newcomer needs; CI runs `make check test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: setup play test check proto bench levels soak clean format examples
.DEFAULT_GOAL := test

$(VENV)/.ready: pyproject.toml $(wildcard proto/spades_proto/v1/*.proto)
	@echo "Making the environment in $(VENV): a minute or two, the first time."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

setup: $(VENV)/.ready ## make the environment, with generated stubs

play: setup ## a match against three bots: make play ARGS="--rules quick"
	@$(BIN)/spades play $(ARGS)

EXAMPLES := examples/bots/grpc
$(EXAMPLES)/node_modules/.ready: $(EXAMPLES)/package-lock.json
	@if command -v npm >/dev/null; then \
	  npm ci --ignore-scripts --silent --prefix $(EXAMPLES) && touch $@; \
	else echo "Without npm the JavaScript bots of the examples are not tested."; fi

examples: $(EXAMPLES)/node_modules/.ready ## install what the bot in JavaScript needs

test: setup ## run all tests: make test ARGS="-k nil"
	$(BIN)/python -m pytest -n auto -q $(ARGS)

check: setup ## format, lint, layers, types and the protocol
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/pyright --project pyproject.toml --pythonpath $(BIN)/python
	$(BIN)/buf lint
	@tag=$$(git describe --tags --abbrev=0 2>/dev/null); \
	if [ -n "$$tag" ]; then $(BIN)/buf breaking --against ".git#tag=$$tag"; fi

proto: setup ## make the stubs anew after a change to a .proto
	$(BIN)/python -m pip install --quiet --no-deps --editable .

bench: setup ## print the speed ratios: make bench ARGS="wire"
	$(BIN)/python bench $(ARGS)

levels: setup ## how strong the house bots are: GAMES=20 make levels for a short run
	@$(BIN)/python -m levels

soak: setup ## rounds of every fault, MINUTES=10 of them: MINUTES=1 SEED=abc make soak
	@$(BIN)/python -m soak

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find proto -name '*_pb2*' -delete
