# The seccomp filter: a generator that runs on the build machine turns runtime/helpers/seccomp/policy.c into
# a table for each architecture, so that csbx neither links libseccomp nor computes at start.
HOSTCC ?= cc
SECCOMP_GEN    := $(O)/host/seccomp_gen
SECCOMP_TABLES := $(O)/gen/seccomp_table_x86_64.h $(O)/gen/seccomp_table_aarch64.h

$(SECCOMP_GEN): $(addprefix runtime/helpers/seccomp/,gen.c code.c policy.c code.h policy.h) | $(O)/.deps-ok
	@echo "  HOSTCC $@"
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -I. -D_GNU_SOURCE -std=gnu11 $(WARN) -O1 -o $@ $(filter %.c,$^) $(call pc,--cflags --libs,$(GEN_MODS))
$(SECCOMP_TABLES): $(O)/gen/seccomp_table_%.h: $(SECCOMP_GEN)
	@echo "  GEN   $@"
	@mkdir -p $(@D)
	$(Q)$(SECCOMP_GEN) $* >$@.tmp && mv $@.tmp $@

$(O)/runtime/kernel/seccomp.o $(O)/musl/runtime/kernel/seccomp.o: $(SECCOMP_TABLES)

# The unit test reads the policy itself.
SECCOMP_NAMES := $(O)/gen/seccomp_names_x86_64.h $(O)/gen/seccomp_names_aarch64.h
$(SECCOMP_NAMES): $(O)/gen/seccomp_names_%.h: $(SECCOMP_GEN)
	$(Q)mkdir -p $(@D) && $(SECCOMP_GEN) $* names >$@.tmp && mv $@.tmp $@
$(O)/tests/unit/runtime/helpers/seccomp/seccomp.o: $(SECCOMP_TABLES) $(SECCOMP_NAMES)
$(O)/tests/unit/runtime/helpers/seccomp/seccomp: $(O)/runtime/helpers/seccomp/policy.o
