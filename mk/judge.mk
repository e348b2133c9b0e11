# Judged runs: the Python that runs inside containers lies beside the programs, in a build tree and
# installed.
HARNESS_FILES := $(patsubst cmd/harness/%,$(O)/harness/%,$(wildcard cmd/harness/*.py))

all: $(HARNESS_FILES)
$(O)/harness/%.py: cmd/harness/%.py
	@mkdir -p $(@D)
	$(Q)$(INSTALL) -m 0644 $< $@
