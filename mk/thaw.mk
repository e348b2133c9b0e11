# csbx-thaw, by which the snippets of a batch share one start of their interpreter. No libc: it must
# leave nothing in the memory of what it becomes. It lies below every address that a linker or the
# kernel gives to others. If it is not built, csbx-tool does without.

THAW_OBJS    := $(patsubst %.c,$(O)/bare/%.o,$(call src,runtime/helpers/thaw) runtime/helpers/init/mem.c runtime/helpers/init/warm.c) \
		$(O)/bare/runtime/helpers/thaw/start_$(ARCH).o
THAW_LDFLAGS := -nostdlib -nostartfiles -static -no-pie -Wl,-Ttext-segment=0x100000,-z,noexecstack \
	-Wl,-z,noseparate-code,-z,norelro,--gc-sections,--build-id=none,--strip-all

ifeq ($(ARCH),x86_64)
all: $(O)/csbx-thaw
HELPERS += csbx-thaw
endif

$(O)/csbx-thaw: $(THAW_OBJS)
	@echo "  LINK  $@"
	$(Q)$(CC) $(THAW_LDFLAGS) -o $@ $^
