# What a bundle carries: csbx-squashd, static, from the archives that its libraries' development
# packages bring. Built where they are all there; without it bundles carry the shared one.
SQUASHD_STATIC_LIBS := $(shell $(PKGCONFIG) --static --libs squashfuse fuse3 2>/dev/null) -llzo2 -llz4 -lzstd -llzma -lz
BUNDLED_OBJS := $(call objs,$(call src,runtime/squashd/bundled))

ifeq ($(SANITIZE)$(filter-out $(shell uname -m),$(ARCH))$(shell echo 'int main(void) { return 0; }' | \
  $(CC) -static-pie -x c -o /dev/null - $(SQUASHD_STATIC_LIBS) 2>/dev/null && echo yes),yes)
all: $(O)/csbx-squashd-static
HELPERS += csbx-squashd-static
endif

$(O)/csbx-squashd-static: $(BUNDLED_OBJS) $(filter-out %/main.o %/meta.o %/meta_json.o,$(SQUASHD_OBJS)) \
		$(O)/libruntime.a $(O)/libbase.a
	@echo "  LINK  $@"
	$(Q)$(CC) -static-pie $(LD_HARDEN) -Wl,--strip-all -o $@ $^ $(SQUASHD_STATIC_LIBS)
