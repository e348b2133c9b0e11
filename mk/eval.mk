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
