# Every target makes and uses .venv by itself; all it needs is Python 3.11 or newer.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt
EQUALITY := tests/sim/targets/test_targets.py
CUDASIM := tests/sim/targets/test_cudasim.py
WORKERS ?= 2

# workers take neighbouring tests, so that what a file's tests share is made once
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal

.PHONY: install demo test test-slow test-all check bench fuzz wheel clean

install: .venv/.all

demo: .venv/.base
	@echo; echo "== Six people live on a lake. They fish only while it is more than half full."
	@$(BIN)/mesocosm run commons --policy steady --num-envs 64 --steps 1000 --seed 7
	@echo; echo "== The same lake, but everyone takes what they can."
	@$(BIN)/mesocosm run commons --policy greedy --num-envs 64 --steps 1000 --seed 7
	@echo; echo "That is the tragedy of the commons: compare the episodes, endings and returns."
	@echo "Next: $(BIN)/mesocosm describe commons, or $(BIN)/mesocosm --help"

# All but what is marked slow; then equality of targets with every index checked, and simulated CUDA
test: .venv/.all
	$(PYTEST) -m "not slow and not bounds"
	$(call fresh_cache,NUMBA_BOUNDSCHECK=1 $(PYTEST) $(EQUALITY))
	$(call fresh_cache,NUMBA_ENABLE_CUDASIM=1 $(BIN)/pytest $(CUDASIM))

test-slow: .venv/.all
	$(PYTEST) -m slow

test-all: test test-slow

check: .venv/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/sizes.py mesocosm tests benchmarks tools

# PEERS=1 measures other libraries beside ours; ARGS="--quick", ARGS="--out results.json" and so on
bench: $(if $(PEERS),.venv-peers/.peers,.venv/.base)
	$(if $(PEERS),.venv-peers/bin,$(BIN))/python -m benchmarks.run $(ARGS)
	$(if $(PEERS),.venv-peers/bin/python -m benchmarks.mettagrid)

# Random games in MettaGrid itself and in ours; every byte must agree
fuzz: .venv/.all
	$(BIN)/python -m tests.worlds.mettagrid.differential.run --games 500 --jobs 2

# A wheel for this Python and platform that brings compiled code: its users compile nothing
wheel: .venv/.all
	$(BIN)/python tools/wheel.py

clean:
	rm -rf .venv .venv-peers build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Code compiled under other settings must not be mixed with what people use.
fresh_cache = cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && MESOCOSM_CACHE_DIR=$$cache $(1)

.venv/.made:
	@test -n "$(PYTHON)" || { echo "make: needs Python 3.11 or newer on the PATH" >&2; exit 1; }
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/.base: .venv/.made pyproject.toml constraints.txt
	@echo "Installing Mesocosm into .venv (a minute or two, once) ..."
	@$(PIP) -e .
	@touch $@

.venv/.all: .venv/.made pyproject.toml constraints.txt
	@echo "Installing Mesocosm and its development tools into .venv (some minutes, once) ..."
	@$(PIP) -e '.[gym,pictures,runs,cuda,oracle,learn,dev]'
	@touch .venv/.base $@

.venv-peers/.peers: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "make: needs Python 3.11 or newer on the PATH" >&2; exit 1; }
	@echo "Installing Mesocosm and its peers into .venv-peers (over 1 GB, some minutes, once) ..."
	@$(PYTHON) -m venv .venv-peers
	@$(PIP:$(BIN)/%=.venv-peers/bin/%) -e '.[peers]'
	@touch $@
