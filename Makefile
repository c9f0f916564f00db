# Needs Python 3.11 or later and make; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
INSTALL := $(PIP) install --constraint constraints.txt --editable
PYTEST := $(BIN)/python -m pytest --quiet --hypothesis-profile
WORKERS := --dist loadfile --no-loadscope-reorder -n
PROFILE := quick
COMPILED := NUMBA_DISABLE_JIT=0
# Tests start many processes, and those would compile all modules anew where this is set: twice the time for each.
export PYTHONDONTWRITEBYTECODE :=
# Name a step, then write a dot every two seconds while its command runs: nobody should wonder whether it hangs.
step = @printf '%s ' "$(1)"; (while sleep 2 && kill -0 $$$$; do printf .; done) 2> /dev/null & dots=$$!; \
	$(2); status=$$?; kill $$dots; echo; exit $$status
comma := ,

.PHONY: help demo test test-all test-bounds test-without-jit test-spark laws long kernels packages check docs page screenshots reproduce walk bench bench-tables bench-spark clean

help:
	@echo "make demo         audit a generated clinic and tell what it would give away"
	@echo "make test         run the tests that are quick, and all laws on a few examples"
	@echo "make test-all     check the code and run all tests; install Spark and OpenDP, and where that can be done Java, Chromium and PostgreSQL for them"
	@echo "make test-bounds  run the quick tests compiled, with every index of a kernel checked"
	@echo "make test-spark   run the tests on Spark alone (needs Java 17, and installs Spark)"
	@echo "make laws         run the laws on as many examples as they ask for, new ones each time; takes long"
	@echo "make long         measure which tests make test leaves out, on a machine that does nothing else"
	@echo "make check        lint (ruff, all rules), check the format and the types (mypy, strict)"
	@echo "make docs         build the documents as a site, in site/, and write the generated pages anew"
	@echo "make page         build the page that audits in the browser alone, site/discreet.html (fetches Pyodide and NumPy)"
	@echo "make screenshots  take pictures of the app and the report, in screenshots/ (needs Chromium)"
	@echo "make reproduce    list the figures of the papers; make one anew with FIGURE=NAME"
	@echo "make walk         show which files audit, block, hide and a web audit enter"
	@echo "make bench        measure against other miners (needs a C compiler, for pyfim)"
	@echo "make bench-tables measure the audit of masked counts against gconfid, and against two solvers a cell"
	@echo "make bench-spark  measure on Spark, against its FPGrowth (needs Java 17; takes long)"
	@echo "make clean        remove .venv and all caches"

demo: .venv/installed
	@$(BIN)/discreet demo

# A worker runs whole files: their tests share browsers and servers, which take seconds to start. Kernels are compiled where there
# is much to do, as they are for users. tests/conftest.py says what is long.
test: .venv/installed-test
	$(PYTEST)=$(PROFILE) $(WORKERS) 2 -m 'not long'

# Each test runs once: what is quick first, most of it without the JIT, on more examples than by hand, and beside it the code is
# checked; what the others need is compiled and fetched while pip waits. Browsers and servers are waited for: so four workers for
# two cores.
test-all: .venv/created
	@$(MAKE) --no-print-directory --jobs=4 --output-sync=target .venv/installed-test .venv/packed-spark kernels packages
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target PROFILE=ci check test
	@$(MAKE) --no-print-directory .venv/installed-all
	$(PYTEST)=ci $(WORKERS) 4 -m long

# Compiled code does not check indexes; what does is kept apart, since Numba's cache does not tell the two from each other.
test-bounds: .venv/installed-test
	NUMBA_BOUNDSCHECK=1 $(COMPILED) NUMBA_CACHE_DIR=$(CURDIR)/.venv/bounds $(PYTEST)=quick $(WORKERS) 2 -m 'not long' tests

test-without-jit: .venv/installed-test
	NUMBA_DISABLE_JIT=1 $(PYTEST)=quick -m 'nojit and not long'

laws: .venv/installed-test
	$(COMPILED) $(PYTEST)=local $(WORKERS) 2 -m nojit tests

long: .venv/installed-test
	$(PYTEST)=measured $(WORKERS) 2 -m 'not long'

kernels: .venv/installed
	@$(BIN)/discreet warm

packages:
	@.ci/packages

test-spark: .venv/installed-all
	$(COMPILED) $(PYTEST)=ci tests/test_spark*.py

check: .venv/installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# A warning ends it (strict), but only where it is heard: not with --quiet. The variable keeps the theme from announcing its
# successor in each run, which tells nothing of these pages.
docs: .venv/installed-test
	$(BIN)/python tests/test_docs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

page: .venv/installed
	$(BIN)/python docs/try/build.py site/discreet.html

screenshots: .venv/installed-test
	$(BIN)/python tests/browser/screenshots.py

reproduce: .venv/installed
	$(BIN)/python -m reproduction $(FIGURE)

walk: .venv/installed-test
	@$(BIN)/python -W ignore benchmarks/walk.py

bench: .venv/installed-bench
	$(BIN)/python benchmarks/mining.py

# gconfid brings a HiGHS of its own, and is large: it has an environment to itself, and the benchmark goes on without it.
bench-tables: .venv/installed
	@test -x .venv/gconfid/bin/python || ($(PYTHON) -m venv .venv/gconfid && \
		.venv/gconfid/bin/python -m pip --quiet --disable-pip-version-check install gconfid==2.0.4) || \
		(rm -rf .venv/gconfid; echo "gconfid cannot be installed here: the benchmark goes on without it")
	$(BIN)/python benchmarks/counts.py --gconfid .venv/gconfid/bin/python

bench-spark: .venv/installed-all
	$(BIN)/python benchmarks/spark.py

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* dist site screenshots
	find src tests benchmarks reproduction docs -type d -name __pycache__ -exec rm -rf {} +

# A stamp for each set of dependencies: the demo waits for none that only the tests need.
.venv/created: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "discreet needs Python 3.11 or later: make PYTHON=…")'
	$(call step,Creating .venv,$(PYTHON) -m venv --clear .venv)
	@touch $@

.venv/installed: .venv/created
	$(call step,Installing discreet and what it needs (about a minute),$(INSTALL) .)
	@touch $@

.venv/installed-test: .venv/installed
	$(call step,Installing what the tests need,$(INSTALL) '.[test]' --no-compile)
	@touch $@

.venv/installed-bench: .venv/installed
	$(call step,Installing what the benchmarks need,$(INSTALL) '.[bench]')
	@touch $@

# Spark comes as source, of 400 MB: packing it takes long, and disturbs nobody who uses .venv meanwhile.
.venv/packed-spark: .venv/created
	$(call step,Packing Spark,$(PIP) wheel --constraint constraints.txt --wheel-dir .venv/spark --no-deps pyspark)
	@touch $@

.venv/installed-all: .venv/installed-test .venv/packed-spark
	$(call step,Installing Spark and OpenDP (47 MB),$(INSTALL) '.[spark$(comma)dp]' --find-links .venv/spark --no-compile)
	@rm -r .venv/spark
	@touch $@
