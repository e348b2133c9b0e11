# Judged runs: what csbx puts beside a judged program, found beside the helper programs.
HARNESS_SRCS  := $(sort $(wildcard cmd/harness/*.py))
HARNESS_BUILT := $(patsubst cmd/%,$(O)/%,$(HARNESS_SRCS))

# The bytecode of what csbx test imports, by the Python that is here: a container with the same one does not compile it at each run. Python
# compares the hash of the source that a file of bytecode has with the source.
HARNESS_CODE  := $(O)/harness/__pycache__
PYTHON3       ?= python3

all: $(HARNESS_BUILT) $(O)/gen/harness_code
$(O)/harness/%.py: cmd/harness/%.py
	$(Q)mkdir -p $(@D) && cp $< $@
$(O)/gen/harness_code: $(filter $(O)/harness/csbx_%,$(HARNESS_BUILT))
	$(Q)rm -rf $(HARNESS_CODE) && mkdir -p $(@D)
	$(Q)! command -v $(PYTHON3) >/dev/null || $(PYTHON3) -m compileall -q --invalidation-mode checked-hash $^
	$(Q)touch $@

install: install-harness
.PHONY: install-harness
install-harness: $(HARNESS_BUILT) $(O)/gen/harness_code
	$(Q)$(INSTALL) -d $(DESTDIR)$(libexecdir)/csbx/harness
	$(Q)$(INSTALL) -m 0644 $(HARNESS_BUILT) $(DESTDIR)$(libexecdir)/csbx/harness
	$(Q)! [ -d $(HARNESS_CODE) ] || { $(INSTALL) -d $(DESTDIR)$(libexecdir)/csbx/harness/__pycache__ && \
	  $(INSTALL) -m 0644 $(HARNESS_CODE)/*.pyc $(DESTDIR)$(libexecdir)/csbx/harness/__pycache__; }
