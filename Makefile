# Two commands: `make lab` opens the lessons, `make test` checks everything. `make help` lists the rest.
# Needs GNU make 3.81 or newer and Python 3.11 or newer. Another Python, in an environment of its own:
#     make test PYTHON=python3.13 VENV=.venv-3.13

# Expanded where an environment is made and nowhere else: the first Python that is new enough.
PYTHON ?= $(shell for p in python3 python python3.14 python3.13 python3.12 python3.11; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)
VENV ?= .venv
LESSON ?= my_lessons/01_slopes_by_measuring.ipynb
TESTS ?= tests

# A virtual environment on Windows keeps its programs elsewhere.
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
RUN := "$(BIN)/python"

# The file browser begins at the project, so that the engine can be read beside the lessons.
# Jupyter refuses to run as root, as one does in a container, unless it is told.
# The hook leaves the pictures of widgets in a saved notebook, for when the widgets are gone.
LAB_FLAGS := --ServerApp.root_dir=. --ContentsManager.pre_save_hook=minigrad_widgets.saving.keep_pictures $(if $(filter 0,$(shell id -u)),--allow-root)

.PHONY: help lab test coverage lint format notebooks site bench clean

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-16s%s\n", $$1, $$2 }'

# The lesson is part of the address that is printed, for who opens it by hand.
lab: $(VENV)/installed-lab ## open JupyterLab on your copy of the lessons (another: make lab LESSON=my_lessons/...)
	@$(RUN) -m minigrad_widgets.lesson copy my_lessons # what is missing; it takes nothing that was written
	$(RUN) -m jupyterlab $(LAB_FLAGS) --LabApp.default_url=/lab/tree/$(LESSON)

# Each worker has a browser and a JupyterLab of its own: more than four would wait for each other.
test: lint ## lint, then every test: engine, widgets, notebooks, browser
	$(RUN) -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

coverage: $(VENV)/installed-dev ## which lines and branches of the engine no test runs; TESTS= names some tests
	$(RUN) -m coverage run -m pytest --ignore=tests/browser $(TESTS)
	$(RUN) -m coverage report

lint: $(VENV)/installed-dev ## formatting, lint rules, types, the CI workflow
	$(RUN) -m ruff format --check
	$(RUN) -m ruff check
	$(RUN) -m mypy
	$(RUN) -m check_jsonschema --builtin-schema vendor.github-workflows .github/workflows/test.yml

format: $(VENV)/installed-dev ## rewrite the code as ruff formats it
	$(RUN) -m ruff check --fix
	$(RUN) -m ruff format

notebooks: $(VENV)/installed-dev ## build and run the lessons from lessons/source
	$(RUN) lessons/source/build.py

site: $(VENV)/installed-dev ## export the lessons as pages that need no Jupyter, into site/
	$(RUN) lessons/source/make_site.py

bench: $(VENV)/installed-dev ## compare with hand-written numpy and HIPS autograd
	$(RUN) benchmarks/run.py

clean: ## remove the environment and everything that was built
	rm -rf "$(VENV)" build dist site *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An empty file says which extra of pyproject.toml is installed; a newer pyproject.toml installs again.
$(VENV)/installed-%: pyproject.toml
	@test -n "$(PYTHON)" || { echo "minigrad needs Python 3.11 or newer and found none;" \
		"if you have one, name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Installing minigrad[$*] into $(VENV): a minute or two, the first time only."
	@$(RUN) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv "$(VENV)" || { echo "$(PYTHON) could not make" \
		"a virtual environment; on Debian and Ubuntu, first: apt install python3-venv" >&2; exit 1; }
	@$(RUN) -m pip install --quiet --upgrade pip
	@PYTHONWARNINGS="ignore:Editable installation" $(RUN) -m pip install --quiet --editable ".[$*]" # hides a banner
	@touch $@
