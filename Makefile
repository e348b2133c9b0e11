# csbx: see `make help`. One Makefile; everything it makes lies under $(O).
MAKEFLAGS += -rR --no-print-directory
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

VERSION   := 0.1.0
CC        := cc
AR        := ar
PKGCONFIG ?= pkg-config
prefix    ?= /usr/local
bindir    ?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec
mandir    ?= $(prefix)/share/man
sysconfdir ?= /etc
comma     := ,
ARCH      := $(shell $(CC) -dumpmachine | cut -d- -f1)
O         ?= build/$(or $(subst $(comma),-,$(SANITIZE)),$(if $(DEBUG),debug,release))$(if $(filter-out $(shell uname -m),$(ARCH)),-$(ARCH))
Q         := $(if $(V),,@)

# --- dependencies -------------------------------------------------------------------------------
# module:Debian package. Only the programs that need a library link it (docs/architecture.md 1).
IMAGE_MODS   := libarchive:libarchive-dev libsquashfs1:libsquashfs-dev libcjson:libcjson-dev \
		libcrypto:libssl-dev libcurl:libcurl4-openssl-dev libzstd:libzstd-dev zlib:zlib1g-dev
SQUASHD_MODS := squashfuse:libsquashfuse-dev fuse3:libfuse3-dev libzstd:libzstd-dev
META_MODS    := squashfuse:libsquashfuse-dev libzstd:libzstd-dev libcjson:libcjson-dev
TOOL_MODS    := libcjson:libcjson-dev
GEN_MODS     := libseccomp:libseccomp-dev
mods = $(foreach m,$(1),$(firstword $(subst :, ,$(m))))
pc = $(shell $(PKGCONFIG) $(1) $(call mods,$(2)) 2>/dev/null)
ALL_MODS := $(sort $(IMAGE_MODS) $(SQUASHD_MODS) $(META_MODS) $(TOOL_MODS) $(GEN_MODS))

# --- flags --------------------------------------------------------------------------------------
OPT    ?= $(if $(DEBUG),-Og,-O2) -g
WARN   := -Wall -Wextra -Werror=implicit-function-declaration -Wshadow -Wformat=2 -Wundef -Wpointer-arith -Wvla -Wwrite-strings -Wcast-align \
	  -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wimplicit-fallthrough \
	  -Wno-missing-field-initializers $(if $(WERROR),-Werror)
HARDEN := -fstack-protector-strong -fno-common \
	  $(if $(filter clang%,$(notdir $(CC))),,-ftrivial-auto-var-init=zero -fstack-clash-protection) \
	  $(if $(SANITIZE)$(DEBUG),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
SAN    := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
ALL_CPPFLAGS = -I. -I$(O)/gen -D_GNU_SOURCE -DCSBX_VERSION='"$(VERSION)"' \
	  -DCSBX_LIBEXECDIR='"$(libexecdir)/csbx"' -DCSBX_SYSCONFDIR='"$(sysconfdir)/csbx"' $(CPPFLAGS)
ALL_CFLAGS   = -std=gnu11 $(WARN) $(OPT) $(HARDEN) $(SAN) $(CFLAGS)
LD_HARDEN    = -Wl,-z,relro,-z,now,-z,noexecstack,--as-needed $(SAN) $(LDFLAGS)
PIE_CFLAGS   = -fPIE
PIE_LDFLAGS  = -pie $(LD_HARDEN)
# csbx itself is static: the dynamic loader costs more than the container's namespaces. A sanitizer
# needs the shared libc.
STATIC_LDFLAGS = $(if $(SANITIZE),-pie,-static-pie) $(LD_HARDEN)
# With musl where it is installed: before main(), glibc asks the CPU for its caches by some hundred
# CPUID instructions, and each leaves a virtual machine, which takes longer than the rest of a small
# program's life (docs/performance.md). CSBX_CC= links it with $(CC)'s C library.
CSBX_CC ?= $(if $(SANITIZE)$(DEBUG)$(filter-out $(shell uname -m),$(ARCH)),,$(shell command -v musl-gcc))
# The wrapper knows no -static-pie.
MUSL_LIB     = /usr/lib/$(ARCH)-linux-musl
MUSL_LDFLAGS = -static -nostartfiles -Wl,-pie,--no-dynamic-linker,-z,text $(LD_HARDEN) \
	$(foreach f,malloc calloc realloc aligned_alloc free,-Wl,--wrap=$(f))
S        = $(if $(CSBX_CC),$(O)/musl,$(O))

# --- archives -----------------------------------------------------------------------------------
# One archive a layer, made of the rooms below it (mk/rooms is their order). A program or a unit test
# takes of an archive only what it calls, so a call that goes up fails to link.
src  = $(sort $(shell find $(1) -name '*.c'))
objs = $(patsubst %.c,$(O)/%.o,$(1))
MAINS        := $(addprefix cmd/program/,csbx.c csbx_tool.c csbx_image.c csbx_engine.c first_memory.c)
BASE_SRCS    := $(call src,runtime/base)
RUNTIME_SRCS := $(filter-out runtime/base/% runtime/helpers/%,$(call src,runtime)) runtime/helpers/init/abi/msg_check.c \
	runtime/helpers/init/abi/msg_bounds.c
IMAGE_SRCS   := $(call src,image)
CMD_SRCS     := $(filter-out cmd/spank/% $(MAINS),$(call src,cmd))
# What csbx has of them in musl's archives: all that it calls is there, nothing needs another library.
BASE_MUSL    := $(filter-out %/base/json/tree.c,$(BASE_SRCS))
RUNTIME_MUSL := $(RUNTIME_SRCS)
IMAGE_MUSL   := $(call src,image/table)
CMD_MUSL     := $(filter-out cmd/judge/% cmd/image/% cmd/build/% cmd/engine/%,$(CMD_SRCS))

# archive LAYER,name
define archive
$(O)/lib$(2).a: $(call objs,$($(1)_SRCS))
$(O)/musl/lib$(2).a: $(patsubst %.c,$(O)/musl/%.o,$($(1)_MUSL))
endef
$(eval $(call archive,BASE,base))
$(eval $(call archive,RUNTIME,runtime))
$(eval $(call archive,IMAGE,image))
$(eval $(call archive,CMD,cmd))
$(O)/%.a:
	@echo "  AR    $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# --- programs -----------------------------------------------------------------------------------
PROGRAMS := $(O)/csbx $(O)/csbx-tool $(O)/csbx-image $(O)/csbx-engine $(O)/csbx-squashd $(O)/csbx-meta $(O)/csbx-init
LAYERS   := libcmd.a libimage.a libruntime.a libbase.a

.PHONY: all FORCE
all: $(PROGRAMS) ## all programs; what make without a target does

$(O)/csbx: $(addprefix $(S)/,cmd/program/csbx.o $(if $(CSBX_CC),cmd/program/first_memory.o) $(LAYERS))
	@echo "  LINK  $@"
	$(Q)$(if $(CSBX_CC),$(CSBX_CC) $(MUSL_LDFLAGS) -o $@ $(MUSL_LIB)/rcrt1.o $(MUSL_LIB)/crti.o $^ $(MUSL_LIB)/crtn.o,$(CC) $(STATIC_LDFLAGS) -o $@ $^)

$(O)/csbx-tool: $(addprefix $(O)/,cmd/program/csbx_tool.o $(LAYERS))
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $^ $(call pc,--libs,$(TOOL_MODS)) -lm

$(O)/csbx-image: $(addprefix $(O)/,cmd/program/csbx_image.o $(LAYERS))
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $^ $(call pc,--libs,$(IMAGE_MODS)) -pthread

$(O)/csbx-engine: $(addprefix $(O)/,cmd/program/csbx_engine.o $(LAYERS))
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $^ $(call pc,--libs,$(TOOL_MODS)) -lm

# --- compile ------------------------------------------------------------------------------------
FOREIGN_CPPFLAGS = $(call pc,--cflags,$(ALL_MODS))
$(call objs,$(call src,image) $(call src,runtime/base/json)): EXTRA_CPPFLAGS = $(FOREIGN_CPPFLAGS)
$(call objs,$(call src,runtime/helpers/squashd) $(call src,runtime/helpers/meta)): EXTRA_CPPFLAGS = $(FOREIGN_CPPFLAGS)
$(O)/%.o: %.c $(O)/.flags | $(O)/.deps-ok
	@echo "  CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(EXTRA_CPPFLAGS) $(ALL_CFLAGS) $(PIE_CFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# The same for musl, whose wrapper knows no kernel headers.
KERNEL_HEADERS := $(O)/musl/include/.linked
$(O)/musl/%.o: %.c $(O)/.flags $(KERNEL_HEADERS) | $(O)/.deps-ok
	@echo "  CC    $< (musl)"
	@mkdir -p $(@D)
	$(Q)$(CSBX_CC) -isystem $(O)/musl/include $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(PIE_CFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
$(KERNEL_HEADERS):
	@mkdir -p $(@D)
	$(Q)for d in linux asm asm-generic; do \
	  for s in /usr/include/$$d /usr/include/$(ARCH)-linux-gnu/$$d; do \
	    [ ! -e $$s ] || ln -sfn $$s $(@D)/$$d; done; done; touch $@

# For programs without a libc: csbx-init, csbx-hold, csbx-thaw (mk/init.mk).
$(O)/bare/%.o: %.c $(O)/.flags | $(O)/.deps-ok
	@echo "  CC    $< (bare)"
	@mkdir -p $(@D)
	$(Q)$(CC) -I. $(INIT_CFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
$(O)/bare/%.o: %.S $(O)/.flags | $(O)/.deps-ok
	@echo "  AS    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) -I. -c -o $@ $<

# Rewritten only when the compiler or the flags change: a changed flag rebuilds everything.
$(O)/.flags: FORCE
	@mkdir -p $(O)
	@echo '$(CC) $(CSBX_CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(INIT_CFLAGS) $(LDFLAGS)' >$@.$$$$ && \
	{ cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@; }
FORCE:

# One clear line for each missing library, with the package that brings it.
$(O)/.deps-ok:
	@mkdir -p $(O); bad=; for m in $(ALL_MODS); do \
	  $(PKGCONFIG) --exists $${m%%:*} || { echo "missing library $${m%%:*}: apt-get install $${m##*:}" >&2; bad=1; }; done; \
	[ -z "$$bad" ] || { echo "or run tests/tools/setup, which installs all that is needed" >&2; exit 1; }
	@touch $@

# The programs of the unit tests, those of a room.
UNIT_SRCS     := $(call src,tests/unit)
UNIT_PROGRAMS := $(patsubst %.c,$(O)/%,$(UNIT_SRCS))
unit_of = $(filter $(O)/tests/unit/$(1)/%,$(UNIT_PROGRAMS))

-include mk/*.mk
-include $(shell find $(O) -name '*.d' 2>/dev/null)
