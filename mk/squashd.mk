# The image server's test driver: static like csbx, because it stands for it in measurements.
SQUASHD_PROBE := $(O)/tests/tools/squashd_probe
$(SQUASHD_PROBE): $(O)/tests/tools/squashd_probe.o $(O)/libruntime.a $(O)/libbase.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(STATIC_LDFLAGS) -o $@ $^
test-programs: $(SQUASHD_PROBE)
check-integration: $(SQUASHD_PROBE)

# The config parser is part of the server, not of a library.
$(O)/tests/fuzz/fuzz_image_config $(O)/tests/fuzz/replay_image_config: $(O)/runtime/squashd/meta_json.o
$(O)/tests/fuzz/fuzz_image_config $(O)/tests/fuzz/replay_image_config: TEST_LIBS = $(call pc,--libs,libcjson:libcjson-dev)
