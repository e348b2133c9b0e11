# csbx-scope asks the systemd user manager for a delegated scope: the only program that links
# libsystemd, and one that csbx can do without. Built where libsystemd-dev is installed.
SCOPE_MODS := libsystemd:libsystemd-dev
SCOPE_OBJS := $(call objs,$(call src,runtime/helpers/scope))

ifeq ($(shell $(PKGCONFIG) --exists $(call mods,$(SCOPE_MODS)) && echo yes),yes)
all: $(O)/csbx-scope
HELPERS += csbx-scope
endif

$(SCOPE_OBJS): EXTRA_CPPFLAGS = $(call pc,--cflags,$(SCOPE_MODS))
$(O)/csbx-scope: $(SCOPE_OBJS) $(O)/libbase.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $^ $(call pc,--libs,$(SCOPE_MODS))
