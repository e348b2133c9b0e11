# csbx: see `make help`. One Makefile; everything it makes lies under $(O).
MAKEFLAGS += -rR --no-print-directory
SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:

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
TOOL_MODS    := libcjson:libcjson-dev mount:libmount-dev
GEN_MODS     := libseccomp:libseccomp-dev
mods = $(foreach m,$(1),$(firstword $(subst :, ,$(m))))
pc = $(shell $(PKGCONFIG) $(1) $(call mods,$(2)) 2>/dev/null)
ALL_MODS := $(sort $(IMAGE_MODS) $(SQUASHD_MODS) $(META_MODS) $(TOOL_MODS) $(GEN_MODS))

# --- flags --------------------------------------------------------------------------------------
OPT    ?= $(if $(DEBUG),-Og,-O2) -g
WARN   := -Wall -Wextra -Wshadow -Wformat=2 -Wundef -Wpointer-arith -Wvla -Wwrite-strings -Wcast-align \
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
MUSL_LDFLAGS = -static -nostartfiles -Wl,-pie,--no-dynamic-linker,-z,text $(LD_HARDEN)
S        = $(if $(CSBX_CC),$(O)/musl,$(O))

# --- programs -----------------------------------------------------------------------------------
src  = $(sort $(wildcard $(addsuffix /*.c,$(1))))
objs = $(patsubst %.c,$(O)/%.o,$(1))

BASE_OBJS    := $(call objs,$(call src,runtime/base))
RUNTIME_OBJS := $(call objs,$(call src,runtime))
IMAGE_OBJS   := $(call objs,$(call src,image))
# What csbx itself takes of image/: libc only, so that a start finds its image by name.
NAMES_OBJS   := $(patsubst %,$(O)/image/%.o,image_name image_record image_table image_table_list \
		image_table_sweep image_table_write ref_part)
CSBX_OBJS    := $(call objs,$(call src,cmd))
TOOL_OBJS    := $(call objs,$(call src,cmd/tool cmd/eval cmd/docker/tool))
IMGCMD_OBJS  := $(call objs,$(call src,cmd/image cmd/docker/image cmd/enroot/image))
DOCKER_OBJS  := $(call objs,$(call src,cmd/docker))
ENROOT_OBJS  := $(call objs,$(call src,cmd/enroot))
STEP_OBJS    := $(call objs,$(call src,cmd/step))
SQUASHD_OBJS := $(call objs,$(call src,runtime/squashd))
META_OBJS    := $(call objs,$(call src,runtime/squashd/meta))
INIT_OBJS    := $(call objs,$(call src,runtime/init)) $(O)/runtime/init/start_$(ARCH).o

PROGRAMS := $(O)/csbx $(O)/csbx-tool $(O)/csbx-image $(O)/csbx-squashd $(O)/csbx-meta $(O)/csbx-init

.PHONY: all FORCE
all: $(PROGRAMS)

$(O)/libbase.a: $(BASE_OBJS)
# exec reads a message of init's kind: the same check, hosted (mk/init.mk).
$(O)/libruntime.a: $(RUNTIME_OBJS) $(O)/hosted/msg_check.o
$(O)/libimage.a: $(IMAGE_OBJS)
$(O)/libnames.a: $(NAMES_OBJS)
# An archive, so that csbx-tool and csbx-image take of the shared front end only what they use.
$(O)/libcmd.a: $(filter-out $(O)/cmd/main.o,$(CSBX_OBJS))
# The docker dialect: what its verbs share, and those that csbx runs.
$(O)/libdocker.a: $(DOCKER_OBJS)
# The same of the enroot dialect.
$(O)/libenroot.a: $(ENROOT_OBJS)
# What the flags of the SPANK plugin turn into.
$(O)/libstep.a: $(STEP_OBJS)
$(O)/%.a:
	@echo "  AR    $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $^

CSBX_PARTS := cmd/main.o libstep.a libdocker.a libenroot.a libcmd.a libnames.a libruntime.a libbase.a
$(O)/csbx: $(addprefix $(S)/,$(CSBX_PARTS))
	@echo "  LINK  $@"
	$(Q)$(if $(CSBX_CC),$(CSBX_CC) $(MUSL_LDFLAGS) -o $@ $(MUSL_LIB)/rcrt1.o $(MUSL_LIB)/crti.o $^ $(MUSL_LIB)/crtn.o,$(CC) $(STATIC_LDFLAGS) -o $@ $^)

# Of libimage.a it takes the strict JSON reader, nothing else.
$(O)/csbx-tool: $(TOOL_OBJS) $(O)/libdocker.a $(O)/libcmd.a $(O)/libimage.a $(O)/libruntime.a $(O)/libbase.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $^ $(call pc,--libs,$(TOOL_MODS)) -lm

$(O)/csbx-image: $(IMGCMD_OBJS) $(O)/libdocker.a $(O)/libenroot.a $(O)/libcmd.a $(O)/libimage.a $(O)/libruntime.a $(O)/libbase.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $^ $(call pc,--libs,$(IMAGE_MODS)) -pthread

# The linking of csbx-squashd and csbx-meta is in mk/squashd.mk.

# --- compile ------------------------------------------------------------------------------------
$(filter-out $(NAMES_OBJS),$(IMAGE_OBJS)) $(IMGCMD_OBJS): EXTRA_CPPFLAGS = $(call pc,--cflags,$(IMAGE_MODS))
$(SQUASHD_OBJS): EXTRA_CPPFLAGS = $(call pc,--cflags,$(SQUASHD_MODS))
$(META_OBJS): EXTRA_CPPFLAGS = $(call pc,--cflags,$(META_MODS))
$(TOOL_OBJS): EXTRA_CPPFLAGS = $(call pc,--cflags,$(TOOL_MODS))
$(O)/%.o: %.c $(O)/.flags | $(O)/.deps-ok
	@echo "  CC    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(EXTRA_CPPFLAGS) $(ALL_CFLAGS) $(PIE_CFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# The same objects for musl, whose wrapper knows no kernel headers.
KERNEL_HEADERS := $(O)/musl/include/.linked
MUSL_OBJS      := $(patsubst $(O)/%,$(O)/musl/%,$(BASE_OBJS) $(RUNTIME_OBJS) $(NAMES_OBJS) $(CSBX_OBJS) $(DOCKER_OBJS) \
		  $(ENROOT_OBJS) $(STEP_OBJS))
$(O)/musl/libbase.a:    $(patsubst $(O)/%,$(O)/musl/%,$(BASE_OBJS))
$(O)/musl/libruntime.a: $(patsubst $(O)/%,$(O)/musl/%,$(RUNTIME_OBJS) $(O)/hosted/msg_check.o)
$(O)/musl/libnames.a:   $(patsubst $(O)/%,$(O)/musl/%,$(NAMES_OBJS))
$(O)/musl/libcmd.a:     $(patsubst $(O)/%,$(O)/musl/%,$(filter-out $(O)/cmd/main.o,$(CSBX_OBJS)))
$(O)/musl/libdocker.a:  $(patsubst $(O)/%,$(O)/musl/%,$(DOCKER_OBJS))
$(O)/musl/libenroot.a:  $(patsubst $(O)/%,$(O)/musl/%,$(ENROOT_OBJS))
$(O)/musl/libstep.a:    $(patsubst $(O)/%,$(O)/musl/%,$(STEP_OBJS))
MUSL_CC = $(CSBX_CC) -isystem $(O)/musl/include $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(PIE_CFLAGS)
$(MUSL_OBJS): $(O)/musl/%.o: %.c $(O)/.flags $(KERNEL_HEADERS)
	@echo "  CC    $< (musl)"
	@mkdir -p $(@D)
	$(Q)$(MUSL_CC) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
$(O)/musl/hosted/msg_check.o: runtime/init/msg_check.c $(O)/.flags $(KERNEL_HEADERS)
	@echo "  CC    $< (musl)"
	@mkdir -p $(@D)
	$(Q)$(MUSL_CC) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
$(KERNEL_HEADERS):
	@mkdir -p $(@D)
	$(Q)for d in linux asm asm-generic; do \
	  for s in /usr/include/$$d /usr/include/$(ARCH)-linux-gnu/$$d; do \
	    [ ! -e $$s ] || ln -sfn $$s $(@D)/$$d; done; done; touch $@

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

-include mk/*.mk
-include $(shell find $(O) -name '*.d' 2>/dev/null)
