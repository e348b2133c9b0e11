# --- csbx-squashd -------------------------------------------------------------------------------
# Static, from the archives that its libraries' development packages bring, where they are all there:
# the first start of an image waits for it, loading nine libraries takes it 1 ms, and a bundle carries
# it to machines that have none of them. SQUASHD_STATIC= links it with the shared ones.
SQUASHD_OBJS := $(call objs,$(call src,runtime/helpers/squashd))
META_OBJS    := $(call objs,$(call src,runtime/helpers/meta))
SQUASHD_STATIC_LIBS := $(shell $(PKGCONFIG) --static --libs squashfuse fuse3 2>/dev/null) -llzo2 -llz4 -lzstd -llzma -lz
SQUASHD_STATIC ?= $(if $(SANITIZE)$(DEBUG)$(filter-out $(shell uname -m),$(ARCH)),,$(shell \
  echo 'int main(void) { return 0; }' | $(CC) -static-pie -x c -o /dev/null - $(SQUASHD_STATIC_LIBS) 2>/dev/null && echo yes))

$(O)/csbx-squashd: $(if $(SQUASHD_STATIC),$(SQUASHD_OBJS),$(filter-out %/no_cuse.o,$(SQUASHD_OBJS))) $(O)/libruntime.a $(O)/libbase.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(if $(SQUASHD_STATIC),-static-pie $(LD_HARDEN) -Wl$(comma)--strip-all,$(PIE_LDFLAGS)) -o $@ $^ \
	  $(if $(SQUASHD_STATIC),$(SQUASHD_STATIC_LIBS),$(call pc,--libs,$(SQUASHD_MODS)) -pthread)

# csbx-meta takes the readers and the confinement of the server.
$(O)/libsquashd.a: $(filter-out %/main.o %/no_cuse.o,$(SQUASHD_OBJS) $(META_OBJS))
$(O)/csbx-meta: $(O)/runtime/helpers/meta/main.o $(addprefix $(O)/,libsquashd.a libruntime.a libbase.a)
	@echo "  LINK  $@"
	$(Q)$(CC) $(PIE_LDFLAGS) -o $@ $^ $(call pc,--libs,$(META_MODS))

# --- its tests ----------------------------------------------------------------------------------
# The image server's test driver: static like csbx, because it stands for it in measurements.
SQUASHD_PROBE := $(O)/tests/tools/squashd_probe
$(SQUASHD_PROBE): $(O)/tests/tools/squashd_probe.o $(O)/libruntime.a $(O)/libbase.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(STATIC_LDFLAGS) -o $@ $^
test-programs: $(SQUASHD_PROBE)
check-integration check-hostile: $(SQUASHD_PROBE)
