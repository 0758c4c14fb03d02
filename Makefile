# `make play` and `make test` set up everything they need in .venv; the machine needs git, make and Python 3.11 to 3.13.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Half of the tests compile; more workers than cores do not help.
WORKERS ?= auto

.PHONY: play test check soak bench bench-bots bench-server lock pictures types clean

play: $(VENV)/.play
	@AACHEN_COMMAND=$(BIN)/aachen $(BIN)/aachen play || test $$? -eq 130

test: check
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python web/generate_types.py --check

# The same comparison with many more games, and a server that is killed a hundred times.
soak: $(VENV)/.test
	AACHEN_SOAK=20 $(BIN)/python -m pytest -n $(WORKERS) tests/test_oracle.py tests/test_properties.py
	AACHEN_SOAK=10 $(BIN)/python -m pytest tests/server/test_crash.py

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/bench.py --output benchmarks/results.md

# Hours, with a second a turn; it can be interrupted and goes on.
bench-bots: $(VENV)/.bench
	$(BIN)/python benchmarks/bots.py

# The service with scripted players, on SQLite and PostgreSQL, next to boardgame.io; a quarter of an hour.
bench-server: $(VENV)/.bench
	$(BIN)/python benchmarks/service.py

pictures: $(VENV)/.test
	$(BIN)/python docs/pictures.py

# The models of the service as TypeScript, for the page.
types: $(VENV)/.test
	$(BIN)/python web/generate_types.py

lock: $(VENV)/.test
	$(BIN)/pip install -q uv
	for set in play:build,server test:build,server,test,ray bench:build,server,test,ray,bench; do \
	  extras=$$(echo $${set#*:} | sed 's/\([a-z]*\),*/ --extra \1/g; s/ --extra $$//'); \
	  $(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
	    $$extras pyproject.toml -o requirements/$${set%%:*}.lock; \
	done

$(VENV)/.%: requirements/%.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "Python 3.11 to 3.13 is needed; name one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV) for '$*' ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $<
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
