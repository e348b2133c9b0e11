# csbx-init, pid 1 of every container: no libc, so nothing to load and little to attack. Static PIE
# without a single relocation (-z text and the check below): the kernel places it at random, and
# there is no start-up code to run.

INIT_CFLAGS  := -std=gnu11 $(WARN) -O2 -g -ffreestanding -fno-builtin -fno-stack-protector -fpie \
	-fvisibility=hidden -fno-common -ffunction-sections -fno-asynchronous-unwind-tables \
	$(if $(filter clang%,$(notdir $(CC))),,-fno-tree-loop-distribute-patterns -ftrivial-auto-var-init=zero)
INIT_LDFLAGS := -nostdlib -nostartfiles -static-pie -Wl,--no-dynamic-linker,-z,text,-z,noexecstack \
	-Wl,-z,noseparate-code,-z,norelro,--gc-sections,--build-id=none,--hash-style=gnu,--strip-all

INIT_OBJS    := $(patsubst %.c,$(O)/bare/%.o,$(call src,runtime/helpers/init)) $(O)/bare/runtime/helpers/init/start_$(ARCH).o

$(O)/csbx-init: $(INIT_OBJS)
	@echo "  LINK  $@"
	$(Q)$(CC) $(INIT_LDFLAGS) -o $@ $^
	$(Q)! readelf -rW $@ | grep R_ || { rm -f $@; echo "csbx-init has relocations" >&2; exit 1; }

# Tests that start csbx-init itself.
$(call unit_of,runtime/helpers/init): | $(O)/csbx-init
