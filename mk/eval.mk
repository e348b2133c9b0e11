# Judged runs: what csbx puts beside a judged program, found beside the helper programs.
HARNESS_SRCS  := $(sort $(wildcard cmd/harness/*.py))
HARNESS_BUILT := $(patsubst cmd/%,$(O)/%,$(HARNESS_SRCS))

all: $(HARNESS_BUILT)
$(O)/harness/%.py: cmd/harness/%.py
	$(Q)mkdir -p $(@D) && cp $< $@

install: install-harness
.PHONY: install-harness
install-harness: $(HARNESS_BUILT)
	$(Q)$(INSTALL) -d $(DESTDIR)$(libexecdir)/csbx/harness
	$(Q)$(INSTALL) -m 0644 $(HARNESS_BUILT) $(DESTDIR)$(libexecdir)/csbx/harness

# --- tests --------------------------------------------------------------------------------------
# What the fuzzers of foreign words need of it. Before libbase.a of mk/tests.mk, which it calls.
EVAL_PURE := $(addprefix $(O)/cmd/eval/,$(addsuffix .o,value value_literal value_json value_out \
	compare compare_exception cases cases_judge frame))
FUZZ_EVAL := $(foreach n,eval_literal eval_cases eval_report,$(O)/tests/fuzz/replay_$(n) $(O)/tests/fuzz/fuzz_$(n))
$(FUZZ_EVAL): $(EVAL_PURE)

UNIT_EVAL := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/eval_*.c))
$(UNIT_EVAL): $(EVAL_PURE) $(O)/libbase.a
# gcc knows trunc() itself, clang does not.
$(UNIT_EVAL) $(FUZZ_EVAL): TEST_LIBS = -lm
