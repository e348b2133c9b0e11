# csbx-doze, which a process of csbx-engine becomes while its stream is idle: csbx-init's entry and
# calls, a few pages in all. If it is not built, the streams wait in csbx-engine.

DOZE_OBJS := $(addprefix $(O)/bare/runtime/helpers/,doze/doze.o init/start_$(ARCH).o)
HELPERS   += csbx-doze
PROGRAMS  += $(O)/csbx-doze
all: $(O)/csbx-doze

$(O)/csbx-doze: $(DOZE_OBJS)
	@echo "  LINK  $@"
	$(Q)$(CC) $(INIT_LDFLAGS) -o $@ $^
	$(Q)! readelf -rW $@ | grep R_ || { rm -f $@; echo "csbx-doze has relocations" >&2; exit 1; }
