# Programs of the benchmarks; the target itself is in mk/tests.mk. docs/performance.md says how to
# measure.
BENCH_PROGRAMS := $(addprefix $(O)/tests/bench/,stopwatch floor readall)

$(O)/tests/bench/stopwatch: $(O)/tests/bench/stopwatch.o $(O)/tests/bench/script.o
$(O)/tests/bench/floor: $(O)/tests/bench/floor.o
$(O)/tests/bench/readall: $(O)/tests/bench/readall.o
# Static: a loader of our own in the clock would be measured with what is measured.
$(BENCH_PROGRAMS):
	@echo "  LINK  $@"
	$(Q)$(CC) $(STATIC_LDFLAGS) -o $@ $^

.PHONY: bench-programs
bench-programs: $(BENCH_PROGRAMS)
bench: bench-programs
