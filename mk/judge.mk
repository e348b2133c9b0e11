# Tests of what csbx-tool reads from judged containers.
FUZZ_TOOL := test_report
$(foreach n,$(FUZZ_TOOL),$(O)/tests/fuzz/replay_$(n) $(O)/tests/fuzz/fuzz_$(n)): $(O)/libtool.a $(O)/libcmd.a $(O)/libimage.a
$(foreach n,$(FUZZ_TOOL),$(O)/tests/fuzz/replay_$(n) $(O)/tests/fuzz/fuzz_$(n)): TEST_LIBS = $(call pc,--libs,$(TOOL_MODS)) -lm
$(O)/libtool.a: $(filter-out %/main.o,$(TOOL_OBJS))
