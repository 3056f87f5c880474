# Every target runs from a clean checkout with Java 17, Maven and Python 3.10+; `make` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The first that runs: 3.11 is what every supported PySpark runs on, then whatever is there.
PYTHON ?= $(shell for it in python3.11 python3 python3.12 python3.13 python3.10; do \
  $$it -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $$it && break; done)
MVN ?= mvn -B -ntp
# This collector takes less CPU time than the other tests' G1.
SIM = $(MVN) -pl committer-java test -Dgroups=sim -Dtest.gc=UseParallelGC
BIN := .venv/bin
STEPS := $(PYTHON) scripts/steps.py
# By this name, not $(MAKE): make would run such a line even when it is asked for a dry run.
STEP := $(MAKE)
VERSION := $(shell sed -n 's:.*<revision>\(.*\)</revision>.*:\1:p' pom.xml)
JAR := committer-java/target/repave-$(VERSION).jar
BENCH_JAR := benchmarks/java/target/repave-benchmarks-$(VERSION).jar
BENCH_BIN := .work/bench-venv/bin
CLIENTS_BIN := .work/clients-venv/bin
DUCKDB_DELTA_BIN := .work/duckdb-delta-venv/bin
JAVA_SOURCES := $(shell find committer-java/src/main)
PYTHON_SOURCES := python lab tests scripts hatch_build.py $(wildcard benchmarks)

# Random crash schedules of one `make sim`, and the seed to begin with (empty: drawn, printed).
SCHEDULES ?= 1000000
# The same in `make test`, which has to end in time.
CI_SCHEDULES ?= 40000
# Random sequences of writes that one `make test` compares with stock Spark, on each Spark.
CI_SEQUENCES ?= 8
# Which pairs of faults jobs meet: all, or few, as in `make test`: one of five, and of two arbitrary
# calls only dynamic overwrites on one dialect and without followers.
PAIRS ?= all
# The lines of Spark in `make test`, side by side: one line keeps one core busy.
QUICK_LINES := 4.3 3.5
# What CI runs is the same in every run of the same code; `make fuzz` draws new seeds.
SEED ?= 1
# Commits for each kind of fault of one `make faults`.
COMMITS ?= 200
# The servers that `make faults` tests.
SERVERS ?= ministack,moto
# Kills of one `make kills`, and where its tasks run (docs/testing/kills.md lists the modes).
KILLS ?= 50
MODE ?= local
# Crowds of one `make sim-crowds`, and the only kind of crowd (empty: any).
CROWDS ?= 20000
RECIPE ?=
# Parquet files of one `make facts`.
FILES ?= 5000
# Commits of one `make sim-life`.
SIM_LIFE ?= 10000
# Random lives of each kind of table of one `make sim-lives`, and the only kind.
LIVES ?= 2000
LIFE_OF ?= SnapshotLifeTest,ListingLifeTest
# The commit whose engine writes beside this one in `make sim-versions`: the last of version 0.1.
EARLIER ?= 1ca461bc
# `make sim-versions` runs 300 schedules, 10 crowds and 3 lives this many times.
MIXED ?= 40
# Commits of one `make long-life`.
LIFE ?= 20000
# Live files of one `make large`, and the heap that it runs in.
LARGE ?= 10000000
LARGE_HEAP ?= 512m
# The same for the comparison with stock Spark.
export REPAVE_SEED ?= 1
# Arguments for pytest, the demo and the benchmark: `make test-python ARGS="-k jar"`.
ARGS ?=

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: jar
jar: $(JAR) ## Build the committer's jar

$(JAR): pom.xml committer-java/pom.xml $(JAVA_SOURCES)
	$(MVN) -q package -DskipTests
	@touch $@

.PHONY: generate
generate: .venv/.ready $(JAR) ## Write the generated files: options, record shapes, docs/configuration.md, docs/cli.md, docs/python.md
	$(BIN)/python scripts/generate.py

.PHONY: venv
venv: .venv/.ready ## Create .venv with everything that development needs

.venv/.ready: pyproject.toml lab/pyproject.toml pom.xml hatch_build.py
	@[[ -n "$(PYTHON)" ]] || { echo "There is no Python 3.10 or later on the PATH." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q --upgrade 'pip>=25.1'
	$(BIN)/pip install -q --group dev -e . -e 'lab[servers]'
	@touch $@

.PHONY: fmt
fmt: .venv/.ready ## Format Java and Python
	$(MVN) -q -Pbench spotless:apply
	$(BIN)/ruff check -q --fix-only $(PYTHON_SOURCES)
	$(BIN)/ruff format -q $(PYTHON_SOURCES)

.PHONY: check
check: .venv/.ready ## Formatting, compiler warnings, style rules, lint and types (no behaviour)
	@$(STEPS) --keep-going check \
	  java-format='$(MVN) -q -Pbench spotless:check' \
	  java-compile-and-tidy='$(MVN) -Pbench test -Dtest=TidyTest -Dsurefire.failIfNoSpecifiedTests=false' \
	  python-format='$(BIN)/ruff format --check $(PYTHON_SOURCES)' \
	  python-lint='$(BIN)/ruff check $(PYTHON_SOURCES)' \
	  python-types='$(BIN)/mypy $(PYTHON_SOURCES)' \
	  python-tidy='$(BIN)/pytest -q tests/test_tidy.py'

# The longest parts run in pairs, one on each core.
.PHONY: test
test: .venv/.ready ## Every test that is not slow: Java beside Python, simulation, Spark
	@$(STEPS) test \
	  jar='$(STEP) jar' \
	  java-and-python='$(STEP) -j2 test-java-lane test-python-lane' \
	  sim='$(STEP) sim SCHEDULES=$(CI_SCHEDULES) PAIRS=few' \
	  spark='REPAVE_SEQUENCES=$(CI_SEQUENCES) $(STEP) -j2 $(QUICK_LINES:%=test-spark-%)'

.PHONY: test-java-lane
test-java-lane: .venv/.ready ## Java tests, then those over HTTP: both compile into one folder
	$(STEP) test-java
	$(STEP) test-http

.PHONY: test-python-lane
test-python-lane: .venv/.ready ## Quick Python tests, then the store's on the oldest and newest Hadoop
	$(STEP) test-python ARGS='-m "not slow"'
	scripts/hadoop-matrix.sh --compiled --without-servers 3.3.4 3.5.0

# The engine without its two long tests, and the jar; then all that needs no server and no Spark.
QUICK_JAVA := io/repave/core/**/*Test,TidyTest,SingleJobTest,!ManyWritersTest,!LongLifeTest
QUICK_PYTHON := tests/unit tests/test_*.py

.PHONY: test-quick
test-quick: .venv/.ready ## An answer within five minutes: the engine, style, Python's unit tests
	@$(STEPS) --keep-going test-quick \
	  engine='$(MVN) package -Dtest="$(QUICK_JAVA)" -Dsurefire.failIfNoSpecifiedTests=false' \
	  python='$(BIN)/pytest -q $(QUICK_PYTHON)'

.PHONY: test-java
test-java: ## Java tests without the long ones
	$(MVN) test

.PHONY: test-http
test-http: .venv/.ready ## Java tests over HTTP, on S3 servers that they start themselves
	$(MVN) -pl committer-java test -Dgroups=http

.PHONY: test-browser
test-browser: .venv/.ready ## The page of `repave report` in Chromium, where it is installed
	$(BIN)/pytest tests/browser $(ARGS)

.PHONY: faults
faults: .venv/.ready ## COMMITS commits for each kind of fault over HTTP, on two servers (docs/testing/faults.md)
	$(MVN) -pl committer-java test -Dgroups=http -Dtest=FaultsHttpTest \
	  -Dcommits=$(COMMITS) -Dseed=$(SEED) -Dserver=$(SERVERS) $(ARGS)

# Its own environment: it needs Python 3.13 and 500 MB, which nothing else here does.
.PHONY: test-localstack
test-localstack: ## The store's contract on a third, stricter server, which this installs
	[[ -d .venv-localstack ]] || python3.13 -m venv .venv-localstack
	.venv-localstack/bin/pip install -q -e . -e 'lab[localstack]'
	REPAVE_PYTHON=$(CURDIR)/.venv-localstack/bin/python \
	  $(MVN) -pl committer-java test -Dgroups=localstack

.PHONY: test-python
test-python: .venv/.ready $(JAR) ## Python tests without Spark
	$(BIN)/pytest $(foreach it,$(WITH_SPARK),--ignore=$(it)) $(ARGS)

.PHONY: facts
facts: .venv/.ready $(JAR) ## FILES generated Parquet files: the facts that the jar reads are pyarrow's
	REPAVE_FACTS_EXAMPLES=$(FILES) $(BIN)/pytest tests/facts $(ARGS)

READERS := tests/lab/test_readers_page.py tests/lab/test_snapshot_reads.py tests/unit/test_duckdb_rows.py \
  tests/unit/test_snapshot.py tests/unit/test_partition_columns.py tests/unit/test_plain_folders.py

.PHONY: test-readers
test-readers: ## Reading without Spark, with the oldest supported libraries
	[[ -d .work/readers-venv ]] || $(PYTHON) -m venv .work/readers-venv
	.work/readers-venv/bin/pip install -q -e '.[pandas,duckdb,polars]' -e 'lab[servers]' pytest pytest-timeout hypothesis \
	  -c scripts/readers-oldest.txt
	.work/readers-venv/bin/pytest $(READERS) $(ARGS)

.PHONY: test-extras
test-extras: .venv/.ready ## repave[arrow], [pandas], [duckdb] and [polars], each alone in an environment, read a table
	PYTHONPATH=tests $(BIN)/python -m campaigns.extras $(ARGS)

WITH_SPARK := tests/e2e tests/differential tests/bench tests/clients tests/delta tests/trino

.PHONY: test-spark
test-spark: .venv/.ready $(JAR) ## Real Spark, newest and 3.5, on real S3 servers; `make matrix` has the slow ones too
	$(BIN)/python scripts/matrix.py --quick $(or $(ARGS),$(QUICK_LINES))

test-spark-%: .venv/.ready $(JAR)
	$(BIN)/python scripts/matrix.py --quick $*

# Each folder has a process of its own: a JVM keeps its first session's stores for ever.
.PHONY: test-slow
test-slow: .venv/.ready $(JAR) ## All tests that are marked slow, and the kills at a metastore's calls
	@$(STEPS) --keep-going test-slow \
	  python='$(BIN)/pytest -m slow tests $(foreach it,$(WITH_SPARK),--ignore=$(it))' \
	  e2e='$(BIN)/pytest -m slow tests/e2e' \
	  metastore='PYTHONPATH=tests $(BIN)/python -m campaigns.metastore kills' \
	  bench='$(BIN)/pytest -m slow tests/bench' \
	  clients='$(STEP) test-clients' \
	  delta='$(STEP) test-delta' \
	  duckdb-delta='$(STEP) test-duckdb-delta' \
	  readers='$(STEP) test-readers' \
	  extras='$(STEP) test-extras' \
	  trino='$(STEP) test-trino'

# An environment of its own: dbt, and what a Spark Connect client needs.
.PHONY: test-clients
test-clients: $(CLIENTS_BIN)/../.ready $(JAR) ## dbt, Spark Connect, the Thrift server, Airflow's task, a notebook, standalone, YARN, Kubernetes
	$(CLIENTS_BIN)/pytest tests/clients $(ARGS)

.PHONY: test-kubernetes
test-kubernetes: $(CLIENTS_BIN)/../.ready $(JAR) ## The image of docs/kubernetes.md in pods; needs root, buildah and mmdebstrap
	$(CLIENTS_BIN)/pytest tests/clients/test_kubernetes.py $(ARGS)

$(CLIENTS_BIN)/../.ready: pyproject.toml lab/pyproject.toml pom.xml
	$(PYTHON) -m venv .work/clients-venv
	$(CLIENTS_BIN)/pip install -q --upgrade 'pip>=25.1'
	$(CLIENTS_BIN)/pip install -q --group clients -e . -e 'lab[servers]'
	@touch $@

# Spark 3.5 with the Delta of its time; conftest.py names the package.
.PHONY: test-delta
test-delta: .venv/.ready $(JAR) ## delta-spark reads the Delta log of followed tables, and cannot write to them
	$(BIN)/python scripts/matrix.py --tests tests/delta $(or $(ARGS),3.5)

# An environment of its own: DuckDB's extensions on PyPI are for one release of it. A missing one
# is an error here; elsewhere the tests leave DuckDB out.
.PHONY: test-duckdb-delta
test-duckdb-delta: $(DUCKDB_DELTA_BIN)/../.ready $(JAR) ## DuckDB's delta_scan reads followed tables, in a copy and over S3
	REPAVE_DUCKDB_DELTA=required $(DUCKDB_DELTA_BIN)/pytest \
	  tests/e2e/test_delta_log.py tests/e2e/test_delta_versions.py $(ARGS)

$(DUCKDB_DELTA_BIN)/../.ready: pyproject.toml lab/pyproject.toml pom.xml
	$(PYTHON) -m venv .work/duckdb-delta-venv
	$(DUCKDB_DELTA_BIN)/pip install -q --upgrade 'pip>=25.1'
	$(DUCKDB_DELTA_BIN)/pip install -q --group duckdb-delta -e . -e 'lab[servers]'
	@touch $@

# Trino 476 in a JVM of its own, from Maven; TRINO_POLLS=1000 reads each table so often.
.PHONY: test-trino
test-trino: .venv/.ready $(JAR) ## Trino reads plain folders, locations in Glue and symlink manifests; needs Java 24
	$(BIN)/pytest tests/trino $(ARGS)

.PHONY: sim
sim: ## Crash simulation: every schedule of a small job, then SCHEDULES random ones
	$(SIM) -Dschedules=$(SCHEDULES) -Dpairs=$(PAIRS) -Dseed=$(SEED)

.PHONY: replay
replay: ## Run the one random schedule of SEED again, with its trace
	$(SIM) -Dtest=RandomSchedulesTest -Dschedules=1 -Dseed=$(SEED)

.PHONY: sim-crowds
sim-crowds: ## CROWDS random crowds of writers in virtual time; RECIPE=MIXED for one kind
	$(SIM) -Dtest=CrowdTest \
	  -Dcrowds=$(CROWDS) -Dseed=$(SEED) -Drecipe=$(RECIPE)

.PHONY: sim-life
sim-life: ## One simulated life of SIM_LIFE commits on each kind of table, with deaths and vacuums
	$(SIM) -Dtest=CrowdLifeTest -Dlife=$(SIM_LIFE) -Dseed=$(SEED)

.PHONY: sim-lives
sim-lives: ## LIVES random lives of a table from SEED; LIFE_OF=ListingLifeTest for one kind
	$(SIM) -Dtest=$(LIFE_OF) -Dlives=$(LIVES) -Dseed=$(SEED)

.PHONY: sim-versions
sim-versions: .work/earlier/$(EARLIER)/.ready ## This engine and that of the commit EARLIER on one simulated table (docs/testing/simulation.md)
	$(SIM) -Dtest=EarlierVersionTest \
	  -Dearlier=$(CURDIR)/$(<D)/committer-java/target/classes -Dmixed=$(MIXED) -Dseed=$(SEED)

.work/earlier/%/.ready:
	mkdir -p $(@D)
	git archive $* | tar -x -C $(@D)
	$(MVN) -q -f $(@D)/pom.xml -pl committer-java compile
	@touch $@

.PHONY: replay-crowd
replay-crowd: ## Run the one crowd of SEED (and RECIPE) again, with its trace
	$(SIM) -Dtest=CrowdTest \
	  -Dcrowds=1 -Dseed=$(SEED) -Drecipe=$(RECIPE)

.PHONY: heap
heap: ## The driver's memory with 1,000,000 pending files, an executor's with 32 writing tasks
	$(MVN) -pl committer-java test -Dgroups=heap -Dtest.heap=264m

.PHONY: large
large: ## Adopt, checkpoint, read and vacuum LARGE files within LARGE_HEAP (docs/testing/large.md)
	$(MVN) -pl committer-java test -Dgroups=large -Dtest=LargeTableTest \
	  -Dtest.heap=$(LARGE_HEAP) -Dlarge.files=$(LARGE)
	$(MVN) -pl committer-java test -Dgroups=large -Dtest=MillionFilesTest -Dtest.heap=1g

.PHONY: crowd
crowd: ## A hundred writers on one table, behind a store with latency (docs/testing/crowds.md)
	$(MVN) -pl committer-java test -Dtest=ManyWritersTest

.PHONY: long-life
long-life: ## LIFE commits with a vacuum every week (docs/testing/crowds.md)
	$(MVN) -pl committer-java test -Dtest=LongLifeTest -Dlife.commits=$(LIFE)

# From tests/, where its modules are; `make spark-crowd ARGS="long --seconds 600"`.
.PHONY: spark-crowd
spark-crowd: .venv/.ready $(JAR) ## Restart, crowd and a long commit with real Spark (docs/testing/crowds.md)
	PYTHONPATH=tests $(BIN)/python -m campaigns.crowd $(ARGS)

.PHONY: order
order: .venv/.ready $(JAR) ## What sorted files cost (docs/testing/order.md)
	PYTHONPATH=tests $(BIN)/python -m campaigns.order $(ARGS)

.PHONY: costs
costs: .venv/.ready $(JAR) ## Compare `repave costs` with the proxy's journal (docs/testing/costs.md)
	$(BIN)/python -m benchmarks.costs $(ARGS)

.PHONY: polls
polls: .venv/.ready $(JAR) ## Poll tables with every reader while a job overwrites them (docs/testing/polls.md)
	PYTHONPATH=tests $(BIN)/python -m campaigns.polls $(ARGS)

.PHONY: metastore
metastore: .venv/.ready $(JAR) ## Kill drivers at each call of a Hive metastore, and time its moves (docs/testing/metastore.md)
	PYTHONPATH=tests $(BIN)/python -m campaigns.metastore kills
	PYTHONPATH=tests $(BIN)/python -m campaigns.metastore locations

.PHONY: long-session
long-session: .venv/.ready $(JAR) ## One Spark session that makes 500 writes to 100 tables (docs/testing/sessions.md)
	PYTHONPATH=tests $(BIN)/python -m campaigns.long_session $(ARGS)

.PHONY: spark-life
spark-life: .venv/.ready $(JAR) ## Random lives of tables with real Spark, seen by many readers (docs/testing/life.md)
	PYTHONPATH=tests $(BIN)/python -m campaigns.life $(ARGS)

.PHONY: warm-writes
warm-writes: .venv/.ready $(JAR) ## The CPU time of a write in a warm session (docs/testing/cpu.md)
	PYTHONPATH=tests $(BIN)/python -m campaigns.warm_writes $(ARGS)

# A Spark Connect client needs the clients' environment.
KILLS_BIN = $(if $(filter connect,$(MODE)),$(CLIENTS_BIN),$(BIN))
KILLS_READY = $(if $(filter connect,$(MODE)),$(CLIENTS_BIN)/../.ready,.venv/.ready)

.PHONY: kills
kills: $(KILLS_READY) $(JAR) ## Kill drivers, executors and nodes KILLS times at random moments (docs/testing/kills.md)
	PYTHONPATH=tests $(KILLS_BIN)/python -m campaigns.kills --kills $(KILLS) --mode $(MODE) --seed $(SEED) $(ARGS)

.PHONY: model
model: .venv/.ready ## Explore the protocol's explicit-state model and its mutants
	cd tests && ../$(BIN)/python -m model $(ARGS)

.PHONY: fuzz
fuzz: .venv/.ready $(JAR) ## Five times the simulation and the comparison with stock Spark, from new seeds
	@$(STEP) sim SCHEDULES=$$(( 5 * $(SCHEDULES) )) SEED=$$(date +%s)
	REPAVE_SEED= REPAVE_SEQUENCES=2000 $(BIN)/pytest tests/differential $(ARGS)

.PHONY: matrix
matrix: .venv/.ready $(JAR) ## The end-to-end tests on every supported Spark
	$(BIN)/python scripts/matrix.py $(ARGS)

.PHONY: matrix-hadoop
matrix-hadoop: .venv/.ready ## The store's tests on every supported Hadoop, from 3.3.4 to 3.5.0
	scripts/hadoop-matrix.sh $(ARGS)

.PHONY: demo
demo: .venv/.ready $(JAR) ## A driver killed in the middle of an overwrite, on a local S3 server
	$(BIN)/repave demo $(ARGS)

.PHONY: bench
bench: $(BENCH_BIN)/../.ready $(BENCH_JAR) ## The benchmark: Repave and its peers on the same work
	$(BENCH_BIN)/python -m benchmarks $(ARGS)

# A Spark of its own: the newest for which Delta, Iceberg and Spark's cloud module are published.
$(BENCH_BIN)/../.ready: pyproject.toml lab/pyproject.toml pom.xml
	$(PYTHON) -m venv .work/bench-venv
	$(BENCH_BIN)/pip install -q --upgrade 'pip>=25.1'
	$(BENCH_BIN)/pip install -q --group bench-spark -e . -e 'lab[servers]'
	@touch $@

$(BENCH_JAR): $(JAR) $(shell find benchmarks/java/src) benchmarks/java/pom.xml
	$(MVN) -q -Pbench package -DskipTests
	@touch $(JAR) $@

.PHONY: wheel
wheel: .venv/.ready $(JAR) ## Build dist/*.whl and dist/*.tar.gz
	$(BIN)/python -m build -q

.PHONY: maven-bundle
maven-bundle: ## Build and check target/*-bundle.zip for a Maven repository (uploads nothing)
	rm -rf target/maven-bundle
	$(MVN) -q -Ppublish -pl committer-java deploy -Dmaven.test.skip \
	  -DaltDeploymentRepository=bundle::file://$(CURDIR)/target/maven-bundle $(ARGS)
	$(PYTHON) scripts/maven_bundle.py target/maven-bundle

.PHONY: clean
clean: ## Remove what was built; `rm -r .venv` is yours
	$(MVN) -q -Pbench clean
	rm -rf dist .work .pytest_cache .mypy_cache .ruff_cache python/repave/jars/repave.jar
