# Tests: what is built from tests/, and the check targets. docs/testing.md says what each tier is.

# --- unit tests ---------------------------------------------------------------------------------
# tests/unit/ROOM/NAME.c links the archive of its layer and of those below: an upward call fails to link.
$(call unit_of,cmd):      $(O)/libspank.a $(addprefix $(O)/,$(LAYERS))
$(call unit_of,image):    $(addprefix $(O)/,libimage.a libbase.a)
$(call unit_of,runtime/helpers): $(O)/libsquashd.a
$(filter-out $(call unit_of,runtime/base),$(call unit_of,runtime)): $(O)/libruntime.a
$(call unit_of,runtime):  $(O)/libbase.a
$(call unit_of,cmd) $(call unit_of,image): TEST_LIBS = $(call pc,--libs,$(IMAGE_MODS)) -lm
$(call unit_of,runtime):  TEST_LIBS = $(call pc,--libs,$(META_MODS) $(SQUASHD_MODS))
$(UNIT_PROGRAMS): $(O)/%: $(O)/%.o
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $< $(filter-out $<,$^) $(TEST_LIBS) -pthread

# --- fuzz targets -------------------------------------------------------------------------------
# Pure functions over (buf, len). Those of the image server link its library, the others csbx's.
FUZZ_SRCS     := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_NAMES    := $(patsubst tests/fuzz/fuzz_%.c,%,$(FUZZ_SRCS))
FUZZ_SERVER   := $(patsubst tests/fuzz/fuzz_%.c,%,$(shell grep -l '"runtime/helpers/\(squashd\|meta\)/' $(FUZZ_SRCS)))
FUZZ_REPLAYS  := $(addprefix $(O)/tests/fuzz/replay_,$(FUZZ_NAMES))
FUZZ_PROGRAMS := $(addprefix $(O)/tests/fuzz/fuzz_,$(FUZZ_NAMES))
FUZZ_SECONDS  ?= 60
fuzz_of = $(addprefix $(O)/tests/fuzz/replay_,$(1)) $(addprefix $(O)/tests/fuzz/fuzz_,$(1))

$(call fuzz_of,$(FUZZ_SERVER)): $(addprefix $(O)/,libsquashd.a libruntime.a libbase.a)
$(call fuzz_of,$(FUZZ_SERVER)): TEST_LIBS = $(call pc,--libs,$(META_MODS) $(SQUASHD_MODS))
$(call fuzz_of,$(filter-out $(FUZZ_SERVER),$(FUZZ_NAMES))): $(addprefix $(O)/,$(LAYERS))
$(call fuzz_of,$(filter-out $(FUZZ_SERVER),$(FUZZ_NAMES))): TEST_LIBS = $(call pc,--libs,$(IMAGE_MODS)) -lm
$(FUZZ_REPLAYS): $(O)/tests/fuzz/replay_%: $(O)/tests/fuzz/fuzz_%.o $(O)/tests/fuzz/replay.o
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TEST_LIBS) -pthread
$(FUZZ_PROGRAMS): $(O)/tests/fuzz/fuzz_%: $(O)/tests/fuzz/fuzz_%.o
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TEST_LIBS) -pthread

# --- tools the tests run -------------------------------------------------------------------------
KILLAT := $(O)/tests/tools/killat
$(KILLAT): $(O)/tests/tools/killat.o
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $^

# Runs inside containers, so it is static (a sanitizer's build cannot be: it is left out there).
RAW_CALLS := $(if $(SANITIZE),,$(O)/tests/tools/raw_calls)
$(O)/tests/hostile/raw_calls.o: $(SECCOMP_NAMES)
$(RAW_CALLS): $(O)/tests/hostile/raw_calls.o $(O)/runtime/helpers/seccomp/policy.o
	@echo "  LINK  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(STATIC_LDFLAGS) -o $@ $^

# --- targets ------------------------------------------------------------------------------------
.PHONY: setup demo check check-layers check-install check-unit check-fuzz check-integration check-hostile \
	check-judge check-build check-docker check-engine docker-answers check-cpython check-cpython-sample cpython-answers \
	check-programs check-programs-sample programs-answers check-slurm check-vm check-oracle check-crash fuzz fuzz-programs test-programs bench bench-plots

# What a machine without the packages lacks; quiet otherwise.
setup: ## install the packages that building and testing need
	@tests/tools/setup

demo: ## from nothing to a script running in a container
	@tests/tools/setup && $(MAKE) all && tests/tools/demo "$(O)"

check: ## every test this machine can run
	@tests/tools/setup && tests/tools/check "$(O)" layers install unit fuzz integration hostile judge build docker engine cpython-sample programs-sample slurm vm oracle crash-sample

check-layers: all ## who may include what; no circles of files; every header compiles alone
	@CHECK_CC='$(CC) $(ALL_CPPFLAGS) -std=gnu11 $(WARN)' tests/tools/tap_summary.py tests/tools/check_layers.py \
	  tests/tools/check_circles.py:$(O)

check-install: all ## what `make install` installs is what was built
	@tests/tools/tap_summary.py tests/tools/check_install.py:$(O)

test-programs: $(UNIT_PROGRAMS) $(FUZZ_REPLAYS) $(KILLAT) $(RAW_CALLS)

check-unit: $(UNIT_PROGRAMS) $(TOY_HOSTS) ## unit tests (C, TAP)
	@tests/tools/tap_summary.py --as-user $(UNIT_PROGRAMS) $(TOY_HOSTS) \
	  --as-root $(addprefix $(O)/tests/unit/runtime/helpers/init/init_,exec life) $(TOY_HOSTS)

check-fuzz: $(FUZZ_REPLAYS) ## replay the fuzzers' corpora with any compiler
	@tests/tools/tap_summary.py $(foreach n,$(FUZZ_NAMES),$(O)/tests/fuzz/replay_$(n):tests/fuzz/corpus/$(n))

fuzz: ## fuzz each parser for FUZZ_SECONDS (clang, libFuzzer, ASan, UBSan)
	@tests/tools/setup build lint
	@$(MAKE) CC=clang SANITIZE=fuzzer-no-link,address,undefined O=build/fuzz fuzz-programs
	@tests/tools/fuzz build/fuzz $(FUZZ_SECONDS) $(FUZZ_NAMES)
fuzz-programs: $(FUZZ_PROGRAMS)

check-integration: all ## the commands as an ordinary user sees them
	@tests/tools/run_pytest "$(O)" tests/integration

check-docker: all ## docker as scripts call it, against Docker itself
	@tests/tools/run_pytest "$(O)" tests/docker $(PYTEST_ARGS)

# What Docker answers to the rows of the table, for those who change rows (PYTEST_ARGS="-k show").
docker-answers: all ## ask a real dockerd what the rows of check-docker give
	@CSBX_DOCKER_RECORD=$(abspath tests/docker/answers) tests/tools/run_pytest "$(O)" tests/docker $(PYTEST_ARGS)

check-engine: all ## clients of the Docker Engine API
	@tests/tools/run_pytest "$(O)" tests/engine $(PYTEST_ARGS)

check-cpython: all ## CPython's own tests of the system, against Docker
	@CSBX_TEST_SESSION_TIMEOUT_S=5400 tests/tools/run_pytest "$(O)" tests/cpython $(PYTEST_ARGS)

check-cpython-sample: all
	@tests/tools/run_pytest "$(O)" tests/cpython -k "not whole and not live" $(PYTEST_ARGS)

# What they give in Docker, for who changes the list of modules or gets a newer suite (MODULES="test_os test_io").
cpython-answers: ## ask a real dockerd what CPython's tests give
	@tests/cpython/record.py $(MODULES)

check-programs: all ## git, pip, tmux, node, gcc, SQLite and PostgreSQL, against Docker
	@CSBX_TEST_SESSION_TIMEOUT_S=5400 tests/tools/run_pytest "$(O)" tests/programs $(PYTEST_ARGS)

check-programs-sample: all
	@tests/tools/run_pytest "$(O)" tests/programs -k "not whole and not live" $(PYTEST_ARGS)

# What they say in Docker, for who changes a script (SCRIPTS="git node").
programs-answers: ## ask a real dockerd what the scripts of tests/programs print
	@tests/programs/record.py $(SCRIPTS)

check-build: all ## Dockerfiles built here, against Docker's builder
	@tests/tools/run_pytest "$(O)" tests/build $(PYTEST_ARGS)

check-hostile: all $(RAW_CALLS) ## images and programs that attack
	@tests/tools/run_pytest "$(O)" tests/hostile

check-judge: all ## generated code and test suites get the verdict they deserve
	@tests/tools/run_pytest "$(O)" tests/judge $(PYTEST_ARGS)

check-slurm: all ## job steps of a real SLURM: slurmctld, two slurmds and munged, started here
	@tests/tools/run_pytest "$(O)" tests/slurm $(PYTEST_ARGS)

# The guest is made by the caller of make, so that root's lies where the test users find it.
check-vm: all ## limits and odd machines in an emulated Debian 12 with control groups
	@$(MAKE) -s install DESTDIR=$(abspath $(O))/tests/vm/tree
	@tests/vm/mkguest >/dev/null || true
	@tests/tools/run_pytest "$(O)" tests/vm $(PYTEST_ARGS)

check-oracle: all ## import of 4,000 random layer stacks against a model, 2,000 against umoci
	@tests/tools/random_stacks.py --build "$(O)" --count 4000

check-crash: all $(KILLAT) ## SIGKILL at every system call of import, create, start
	@tests/tools/crash_sweep.py --build "$(O)"

check-crash-sample: all $(KILLAT)
	@tests/tools/crash_sweep.py --build "$(O)" --seconds 150

bench: all ## ratios against bwrap, ch-run, crun, umoci
	@tests/tools/setup build check bench
	@tests/bench/run "$(O)"

PLOT ?= build/bench.svg
bench-plots: ## a picture of the last `make bench`: start times and rates (PLOT=docs/bench.svg: the one of README)
	@tests/bench/plots.py build/bench.json "$(PLOT)"
	@echo "  PLOT  $(PLOT)"
