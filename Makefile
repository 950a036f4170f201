# Every target makes and uses .venv by itself; all it needs is Python 3.11 or newer.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt
EQUALITY := tests/sim/targets/test_targets.py
CUDASIM := tests/sim/targets/test_cudasim.py
BENCHMARL := tests/adapters/test_benchmarl.py tests/adapters/test_torchrl.py
WORKERS ?= 2
SUDO := $(shell [ $$(id -u) -eq 0 ] || echo sudo)

# workers take neighbouring tests, so that what a file's tests share is made once
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal

# What `make demo` trains for, and where it puts what it makes
STEPS ?= 20000000
DEMO := runs/demo-$(shell date -u +%Y%m%d-%H%M%S)

# PyTorch's own index has it without CUDA, a fifth of the size: for machines without a GPU
CPU_TORCH := https://download.pytorch.org/whl/cpu
use_cpu_torch = $(shell ! command -v nvidia-smi >/dev/null && $(PYTHON) -c \
	'import urllib.request as r; r.urlopen("$(CPU_TORCH)/torch/", timeout=5)' 2>/dev/null \
	&& echo --extra-index-url $(CPU_TORCH))

.PHONY: install browser demo demo-commons test test-slow test-all check bench fuzz wheel clean

install: .venv/.all

demo: .venv/.demo
	@echo; echo "== In a small town somebody has to eat, sleep, wash, earn and see a doctor in time."
	@echo "== At random that ends after some 100 of 1,000 steps. Watch the return rise:"
	@$(BIN)/mesocosm train townlet/L3 --steps $(STEPS) --seed 1 --out $(DEMO)
	@echo; echo "== Now it plays episodes that it never saw, beside random and scripted policies."
	@$(BIN)/mesocosm report $(DEMO)
	@echo; echo "Open $(DEMO)/report/report.html in a browser: curves, lives and a film."
	@echo "Or watch it on the page: $(BIN)/pip install -e '.[web]' once, then one of these, and open the link:"
	@echo "  $(BIN)/mesocosm play townlet/L3 --watch --policy $(DEMO)/policies/best.mesop"
	@echo "  $(BIN)/mesocosm serve --runs runs     (its curve and its policy at play: #/train/$(notdir $(DEMO)))"

# A tragedy of the commons, without learning
demo-commons: .venv/.base
	@echo; echo "== Six people live on a lake. They fish only while it is more than half full."
	@$(BIN)/mesocosm run commons --policy steady --num-envs 64 --steps 1000 --seed 7
	@echo; echo "== The same lake, but everyone takes what they can."
	@$(BIN)/mesocosm run commons --policy greedy --num-envs 64 --steps 1000 --seed 7
	@echo; echo "That is the tragedy of the commons: compare the episodes, endings and returns."
	@echo "Next: $(BIN)/mesocosm describe commons, or $(BIN)/mesocosm --help"

# The page is tested in the system's Chromium
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
		echo "Installing Chromium for the tests of the page ..."; \
		$(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

# All but what is marked slow; what needs BenchMARL and its older TorchRL; equality of targets with every index checked, and simulated CUDA
test: .venv/.all .venv-benchmarl/.made browser
	$(PYTEST) -m "not slow and not bounds"
	.venv-benchmarl/bin/pytest $(BENCHMARL)
	$(call fresh_cache,NUMBA_BOUNDSCHECK=1 $(PYTEST) $(EQUALITY))
	$(call fresh_cache,NUMBA_ENABLE_CUDASIM=1 $(BIN)/pytest $(CUDASIM))

test-slow: .venv/.all browser
	$(PYTEST) -m slow

test-all: test test-slow

check: .venv/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/sizes.py mesocosm tests benchmarks tools

# PEERS=1 measures other libraries beside ours; ARGS="--quick", ARGS="--out results.json" and so on
bench: $(if $(PEERS),.venv-peers/.peers) .venv/.all
	$(if $(PEERS),.venv-peers/bin,$(BIN))/python -m benchmarks.run $(ARGS)
	$(BIN)/python -m benchmarks.adapters $(filter --quick,$(ARGS))
	$(if $(PEERS),.venv-peers/bin/python -m benchmarks.mettagrid)

# Random games in MettaGrid itself and in ours; every byte must agree
fuzz: .venv/.all
	$(BIN)/python -m tests.worlds.mettagrid.differential.run --games 500 --jobs 2

# A wheel for this Python and platform that brings compiled code: its users compile nothing
wheel: .venv/.all
	$(BIN)/python tools/wheel.py

clean:
	rm -rf .venv .venv-benchmarl .venv-peers build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
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

.venv/.demo: .venv/.made pyproject.toml constraints.txt
	@echo "Installing Mesocosm and PyTorch into .venv (some minutes, once) ..."
	@$(PIP) $(use_cpu_torch) -e '.[learn,runs,pictures]'
	@touch .venv/.base $@

.venv/.all: .venv/.made pyproject.toml constraints.txt
	@echo "Installing Mesocosm and its development tools into .venv (some minutes, once) ..."
	@$(PIP) -e '.[gym,pictures,runs,tensorboard,cuda,oracle,learn,eval,ray,sb3,torchrl,puffer,jax,web,dev]'
	@touch .venv/.base .venv/.demo $@

.venv-peers/.peers: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "make: needs Python 3.11 or newer on the PATH" >&2; exit 1; }
	@echo "Installing Mesocosm and its peers into .venv-peers (over 1 GB, some minutes, once) ..."
	@$(PYTHON) -m venv .venv-peers
	@$(PIP:$(BIN)/%=.venv-peers/bin/%) -e '.[peers]'
	@touch $@

# BenchMARL asks for an older TorchRL than our own adapter's users have
.venv-benchmarl/.made: pyproject.toml constraints-benchmarl.txt
	@test -n "$(PYTHON)" || { echo "make: needs Python 3.11 or newer on the PATH" >&2; exit 1; }
	@echo "Installing Mesocosm and BenchMARL into .venv-benchmarl (a minute or two, once) ..."
	@$(PYTHON) -m venv .venv-benchmarl
	@$(subst constraints,constraints-benchmarl,$(PIP:$(BIN)/%=.venv-benchmarl/bin/%)) \
		$(use_cpu_torch) -e '.[benchmarl,runs]' pytest hypothesis
	@touch $@
