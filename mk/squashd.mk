# The image server's test driver: static like csbx, because it stands for it in measurements.
SQUASHD_PROBE := $(O)/tests/tools/squashd_probe
$(SQUASHD_PROBE): $(O)/tests/tools/squashd_probe.o $(O)/libruntime.a $(O)/libbase.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(STATIC_LDFLAGS) -o $@ $^
test-programs: $(SQUASHD_PROBE)
check-integration check-hostile: $(SQUASHD_PROBE)

# Parsers that are part of the server, not of a library.
SQUASHD_FUZZ = $(addprefix $(O)/tests/fuzz/,fuzz_$(1) replay_$(1))
$(call SQUASHD_FUZZ,image_config): $(O)/runtime/squashd/meta_json.o
$(call SQUASHD_FUZZ,squashfs): $(patsubst %.c,$(O)/%.o,$(wildcard runtime/squashd/sq*.c)) $(O)/runtime/squashd/originals.o
$(call SQUASHD_FUZZ,image_config) $(call SQUASHD_FUZZ,squashfs): TEST_LIBS = $(call pc,--libs,$(SQUASHD_MODS))
