# The front end: tests that link it, the man pages, the shells' completions.

# --- tests --------------------------------------------------------------------------------------
# Before libruntime.a and libbase.a of mk/tests.mk, which it calls.
FUZZ_CMD := mount_spec env_file
$(foreach n,$(FUZZ_CMD),$(O)/tests/fuzz/replay_$(n) $(O)/tests/fuzz/fuzz_$(n)): $(O)/libcmd.a

UNIT_TOOL := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/tool_*.c))
$(UNIT_TOOL): $(filter-out %/main.o,$(TOOL_OBJS)) $(O)/libcmd.a $(O)/libimage.a $(O)/libruntime.a $(O)/libbase.a
$(UNIT_TOOL): TEST_LIBS = $(call pc,--libs,$(TOOL_MODS))
