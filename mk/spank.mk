# The SPANK plugin, where SLURM's headers are (libslurm-dev), and what its flags turn into. The
# plugin lives in SLURM's processes: position independent, nothing but its hooks visible, libc only.
SPANK_HEADER := $(firstword $(wildcard $(addsuffix /slurm/spank.h,$(SLURM_INCLUDE) /usr/include /usr/local/include /opt/slurm/include)))
SPANK_PURE   := options mounts plugstack hold_argv multi_prog
SPANK_SRCS   := $(call src,cmd/spank)
SPANK_OBJS   := $(patsubst %.c,$(O)/pic/%.o,$(SPANK_SRCS) $(addprefix runtime/base/,err.c str.c path.c))
SPANK_CPPFLAGS = -isystem $(patsubst %/slurm/spank.h,%,$(SPANK_HEADER)) -DCSBX_BINDIR='"$(bindir)"'

ifneq ($(SPANK_HEADER),)
all: $(O)/csbx_spank.so
SPANK_INSTALLED := csbx_spank.so
endif

$(O)/pic/%.o: %.c $(O)/.flags
	@echo "  CC    $< (pic)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(SPANK_CPPFLAGS) $(ALL_CFLAGS) -fPIC -fvisibility=default -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(O)/csbx_spank.so: $(SPANK_OBJS) cmd/spank/export.map
	@echo "  LINK  $@"
	$(Q)$(CC) -shared $(LD_HARDEN) -Wl,--version-script=cmd/spank/export.map -o $@ $(filter %.o,$^)

# Flags of a command line in, arguments of csbx out: no SLURM needed.
$(O)/libspank.a: $(patsubst %,$(O)/cmd/spank/%.o,$(SPANK_PURE))

# --- what a step runs ---------------------------------------------------------------------------
# csbx-hold is mounted into images, so it needs nothing of them: csbx-init's entry and calls.
HELPERS  += csbx-hold
PROGRAMS += $(O)/csbx-hold
all: $(O)/csbx-hold $(O)/csbx-join
$(O)/csbx-hold: $(addprefix $(O)/bare/runtime/helpers/,hold/hold.o init/start_$(ARCH).o)
	@echo "  LINK  $@"
	$(Q)$(CC) $(INIT_LDFLAGS) -o $@ $^
# A name of csbx's.
$(O)/csbx-join: $(O)/csbx
	$(Q)ln -sfn csbx $@

# --- install ------------------------------------------------------------------------------------
plugindir ?= $(libexecdir)/csbx
install: install-spank
.PHONY: install-spank
install-spank: all ## the SPANK plugin alone (plugindir=)
	$(Q)$(INSTALL) -d $(DESTDIR)$(libexecdir)/csbx $(DESTDIR)$(plugindir)
	$(Q)ln -sfn $(bindir)/csbx $(DESTDIR)$(libexecdir)/csbx/csbx-join
	$(Q)[ -z "$(SPANK_INSTALLED)" ] || $(INSTALL) -m 0755 $(O)/csbx_spank.so $(DESTDIR)$(plugindir)/csbx_spank.so

uninstall: uninstall-spank
.PHONY: uninstall-spank
uninstall-spank: ## remove what install-spank put there
	rm -f $(DESTDIR)$(libexecdir)/csbx/csbx-join $(DESTDIR)$(plugindir)/csbx_spank.so

# --- tests --------------------------------------------------------------------------------------
# The plugin in a host of toys, always under sanitizers: once as this SLURM has it, once as one that
# puts words before a task's command.
TOY_HOSTS := $(if $(SPANK_HEADER),$(O)/tests/slurm/toy_host $(O)/tests/slurm/toy_host_prepends)
TOY_SRCS  := tests/slurm/toy_host.c tests/slurm/toy_holder.c tests/slurm/toy_slurm.c $(SPANK_SRCS) $(addprefix runtime/base/,err.c str.c path.c)
$(O)/tests/slurm/toy_host_prepends: TOY_CPPFLAGS = -DCSBX_SPANK_PREPENDS=1
$(TOY_HOSTS): $(TOY_SRCS) $(wildcard cmd/spank/*.h) tests/slurm/toy_slurm.h $(O)/.flags
	@echo "  LINK  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(SPANK_CPPFLAGS) $(TOY_CPPFLAGS) $(filter-out -D_FORTIFY_SOURCE=3,$(ALL_CFLAGS)) \
	  -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ $(TOY_SRCS)
