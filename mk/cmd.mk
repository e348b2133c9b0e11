# The front end: tests that link it, the man pages, the shells' completions.

# --- tests --------------------------------------------------------------------------------------
# Before libruntime.a and libbase.a of mk/tests.mk, which it calls.
FUZZ_CMD := mount_spec env_file
$(foreach n,$(FUZZ_CMD),$(O)/tests/fuzz/replay_$(n) $(O)/tests/fuzz/fuzz_$(n)): $(O)/libcmd.a
