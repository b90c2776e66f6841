# What people and CI call. `make quickstart` and `make test` do all the set-up themselves.
PYTHON ?= python3
ENV    ?= .venv
BIN    := $(ENV)/bin
CORES  ?= all
WORKERS ?= auto
LOCK   ?= requirements.lock
IMAGE  ?= aiq
BUILDER ?= $(firstword $(foreach one,podman docker buildah,$(if $(shell command -v $(one)),$(one))))
export OMP_NUM_THREADS ?= 1

EXPERIMENTS = $(basename $(notdir $(sort $(wildcard papers/experiments/f*.yaml))))

# What is quick: closed forms and other pure numbers, refusals, golden numbers, one tiny run through Snakemake.
QUICK = tests/golden tests/workflow/test_quick.py tests/contracts/test_layers.py tests/contracts/test_cycles.py \
  tests/unit/test_config.py tests/unit/test_config_refusals.py tests/unit/test_policies.py \
  $(addprefix tests/unit/,measures stats suites algorithmic anytime collectives)

.PHONY: experiments quickstart quick test check soak bench studies docs env clean lock schema image

quickstart: $(ENV)/.ready  ## the whole pipeline on embedded data, from training to AIQ, in minutes
	$(BIN)/aiq run config/quickstart.yaml --cores $(CORES)

quick: $(ENV)/.ready  ## in two minutes: linters, import contracts, pure numbers, golden numbers, one tiny run
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not slow and not soak" $(QUICK)

test: check  ## everything but `make soak`: checks, then the tests, the slowest of them named
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 25 -m "not soak"

check: $(ENV)/.ready  ## linters, types, import contracts, workflow lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check Snakefile workflow/Snakefile workflow/rules
	$(BIN)/snakemake --lint --configfile config/quickstart.yaml

soak: $(ENV)/.ready  ## long simulations, and 200 jobs on a real SLURM (as root) with a fault every few seconds
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "soak and not slurm"
	AIQ_SOAK_JOBS=200 $(BIN)/python -m pytest -s -m soak tests/slurm/test_soak.py

bench: $(ENV)/.ready  ## speed against named peers, alternating in one run
	$(BIN)/python benchmarks/controller.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/storage.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/gpu.py --if-any
	$(BIN)/python benchmarks/gpu_packed.py --if-any
	$(BIN)/python benchmarks/algorithmic.py
	$(BIN)/python benchmarks/collectives.py
	$(BIN)/python benchmarks/cartpole3d.py
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --constraint requirements.lock --editable ".[bench]"
	$(BIN)/python benchmarks/reinforcement.py
	$(BIN)/python benchmarks/volume.py
	$(BIN)/python benchmarks/leaderboards.py

experiments: $(ENV)/.ready  ## all figures of the paper at the small scale, then docs/runs/claims.md; called again it goes on
	for name in $(EXPERIMENTS); do $(BIN)/aiq experiment $$name --resume --cores $(CORES) || exit 1; done
	$(BIN)/aiq claims results --keep docs/runs/claims.csv -o docs/runs/claims.md
	$(BIN)/aiq claims results --keep docs/runs/claims.csv -o docs/runs/claims.csv

studies: $(ENV)/.ready  ## how often intervals cover, and what the defaults withstand; resumable; writes studies/results
	$(BIN)/python -m studies

docs: $(ENV)/.ready  ## the site of the documentation, in site/; no network, broken links refused
	$(BIN)/python -c 'import mkdocs' 2> /dev/null \
	  || $(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --constraint requirements.lock --editable ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

env: $(ENV)/.ready  ## the environment alone

image:  ## the image of the Containerfile, by podman, docker or buildah; LOCK=requirements-cpu.lock leaves CUDA out
	@test -n "$(BUILDER)" || { echo "this needs podman, docker or buildah; see docs/how-to/engines.md"; exit 2; }
	$(BUILDER) build --build-arg LOCK=$(LOCK) --file Containerfile --tag $(IMAGE) .

$(ENV)/.ready: pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "aiq needs Python 3.11 or newer; call make PYTHON=/path/to/python3"; exit 2; }
	$(PYTHON) -m venv $(ENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement $(LOCK)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

lock: $(ENV)/.ready  ## pin what is installed now
	$(BIN)/python envs/lock.py

schema: $(ENV)/.ready  ## write what is generated from the typed configuration and the declared products
	$(BIN)/python -m aiq.config > workflow/schemas/configuration.schema.json
	$(BIN)/python -m aiq.config --readme > config/README.md
	$(BIN)/python -m aiq.plans > docs/reference/figures.md

clean:  ## remove results of the quickstart
	rm -rf results/quickstart .snakemake
