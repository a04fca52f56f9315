# What people, the README and CI run. Every target makes and reuses `.venv` in this checkout; `make` alone lists them.

# The first of these that is Python 3.11 or newer makes the environment: `make PYTHON=/path/to/python test` for another.
PYTHON ?= python3 python3.13 python3.12 python3.11
# Further arguments for `test` (which then skips the coverage gate), `bench` and `demo`: `make test ARGS="-k regions"`.
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements/dev.txt
# The policy pack's environment lies in its folder, where the pack's own `virtualenv` option finds it.
PACK := policies/pack/.venv
PACK_LOCK := policies/pack/requirements.txt
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

# Held at full branch coverage: what decides about a topic must not hold an untried case.
PURE := reconciler/model/*,reconciler/orgpolicy/*,reconciler/rules/*,reconciler/reconcile/*,reconciler/hedging/*,reconciler/preview/*
IMPURE := reconciler/hedging/publisher/*

# An environment survives neither the removal of its Python nor a move of the checkout: its commands hold full paths.
$(shell for venv in $(VENV) $(PACK); do \
	[ -x $$venv/bin/python ] && [ "$$(cat $$venv/locked 2>/dev/null)" = "$(CURDIR)" ] || rm -f $$venv/locked; done)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test clients engine pack lint bench wheel lock clean

help:
	@echo 'make demo    the whole story in one minute, against a local Google Cloud'
	@echo 'make test    all tests, in parallel, with the coverage gate; ARGS="-k x" runs some, without the gate'
	@echo 'make clients builds clients/ and examples/ in Java, Go and Rust, for `make test` to run against; minutes at first'
	@echo 'make engine  builds the Pulumi CLI, for `make test` to run the program in; 8 minutes at first'
	@echo 'make pack    the environment of the policy pack, in its folder; `make test` makes it too'
	@echo 'make lint    ruff, formatting, types, import contracts'
	@echo 'make bench   every benchmark as a ratio against its counterpart; ARGS="start-up" runs one'
	@echo 'make wheel   builds the wheel and tries it in an empty environment'
	@echo 'make lock    pins what pyproject.toml asks for (needs uv); UPGRADE=1 takes the newest versions'
	@echo 'make clean   removes the environments and everything that was built'

demo: $(VENV)/installed
	@$(BIN)/hedgerow demo $(ARGS)

test: $(VENV)/installed $(PACK)/installed
ifeq ($(strip $(ARGS)),)
	@$(BIN)/coverage erase
	@$(BIN)/python -m pytest -n auto --maxprocesses 8 --cov --cov-report=
	@echo "branch coverage of everything: $$($(BIN)/coverage report --format=total) %; of the pure rooms, which must be 100 %:"
	@$(BIN)/coverage report --include='$(PURE)' --omit='$(IMPURE)' --fail-under=100
else
	@$(BIN)/python -m pytest $(ARGS)
endif

# Into a cache outside the checkout, by lock file; does nothing where nothing has changed.
clients: $(VENV)/installed
	@$(BIN)/python -m tests.clients.toolchains

# Into the same cache, by `tools/pulumi/go.sum`; does nothing where a `pulumi` with its Python host is on the path.
engine: $(VENV)/installed
	@$(BIN)/python -m tests.engine.cli

pack: $(PACK)/installed

lint: $(VENV)/installed
	@status=0; \
	$(BIN)/ruff check . || status=1; \
	$(BIN)/ruff format --check . || status=1; \
	$(BIN)/mypy || status=1; \
	$(BIN)/lint-imports --no-logo || status=1; \
	exit $$status

bench: $(VENV)/installed $(PACK)/installed
	@$(BIN)/python -m benchmarks $(ARGS)

wheel: $(VENV)/installed
	@rm -f dist/*.whl
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist . >/dev/null
	@ls dist/*.whl
	@$(BIN)/python -m pytest -m wheel tests/test_wheel.py

# The base lock is cut from the same versions as the whole one. `requirements/README.md` says what each file is for.
lock:
	@command -v uv >/dev/null || { echo 'error: `make lock` needs uv, which nothing else does' >&2; exit 1; }
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --extra dev --output-file $(LOCK) pyproject.toml
	@$(COMPILE) --constraint $(LOCK) --output-file requirements/base.txt pyproject.toml
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --constraint requirements/base.txt --extra pack --output-file $(PACK_LOCK) pyproject.toml
	@git --no-pager diff --stat -- requirements $(PACK_LOCK)

clean:
	rm -rf $(VENV) $(PACK) build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# Finds a Python that can make environments, makes one in the folder of the target, and installs the lock into it.
define MAKE_ENVIRONMENT
@python=; for candidate in $(PYTHON); do \
	if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		python=$$candidate; break; \
	fi; \
done; \
if [ -z "$$python" ]; then \
	echo 'error: hedgerow needs Python 3.11 or newer, and none of these is: $(PYTHON)' >&2; \
	echo '  hint: install one, or name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)' >&2; \
	exit 1; \
fi; \
if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	package=$$("$$python" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])'); \
	echo "error: \`$$python\` cannot make virtual environments: its \`ensurepip\` module is missing" >&2; \
	echo "  hint: on Debian and Ubuntu, apt-get install $$package" >&2; \
	exit 1; \
fi; \
echo "making $(@D) with $$("$$python" --version) from $<"; \
"$$python" -m venv --clear $(@D)
@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r $<
@printf '%s\n' "$(CURDIR)" > $@
endef

$(VENV)/locked: $(LOCK)
	$(MAKE_ENVIRONMENT)

$(PACK)/locked: $(PACK_LOCK)
	$(MAKE_ENVIRONMENT)

# The checkout itself is put on the path: building it would need a build backend there, which the pack does not.
$(PACK)/installed: $(PACK)/locked
	@$(@D)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' | \
		xargs -I{} sh -c 'printf "%s\n" "$(CURDIR)" > "{}/hedgerow.pth"'
	@touch $@

$(VENV)/installed: $(VENV)/locked pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
