# `make demo` sets everything up and runs the main job; `make test` sets up and runs the tests.
PYTHON ?= python3
VENV ?= .venv
QUESTION ?= how does a new generation become live

.PHONY: demo test lint types clean

demo: $(VENV)/.demo
	$(VENV)/bin/quarry search "$(QUESTION)"

test: $(VENV)/.test
	$(VENV)/bin/python -m pytest -n 2

lint: $(VENV)/.test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/.test
	$(VENV)/bin/mypy -p codequarry

$(VENV)/.demo: pyproject.toml
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --editable ".[index]"
	touch $@

$(VENV)/.test: pyproject.toml
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --editable ".[test]"
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info
