# The man pages.

# --- man pages ----------------------------------------------------------------------------------
# Hand-written prose in docs/man/*.in; what the option tables know is filled in by csbx itself, so
# there are none in a build for another machine.
MAN_SOURCES := $(sort $(wildcard docs/man/*.in))
MAN_BUILT   := $(patsubst docs/man/%.in,$(O)/man/%,$(MAN_SOURCES))
man_verb = $(patsubst csbx-%,%,$(basename $(notdir $(1))))

.PHONY: man lint-man
man: $(MAN_BUILT) ## the man pages, from docs/man and the option tables
ifeq ($(ARCH),$(shell uname -m))
all: $(MAN_BUILT)
endif

$(O)/man/%: docs/man/%.in $(PROGRAMS)
	@echo "  MAN   $@"
	@mkdir -p $(@D)
	$(Q)$(O)/csbx __man $(if $(filter csbx-%.1,$*),$(call man_verb,$*),$(if $(filter csbx.conf%,$*),run)) <$< >$@

lint: lint-man
lint-man: $(MAN_BUILT) ## mandoc's opinion of the man pages
	@if command -v mandoc >/dev/null; then mandoc -T lint -W warning $(MAN_BUILT) $(wildcard docs/man/*.[1-8]); fi
