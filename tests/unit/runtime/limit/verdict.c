/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of an end when several things happened at once. */
#include "runtime/limit/verdict.h"

#include <errno.h>
#include <signal.h>

#include "runtime/cgroup/cgroup.h"
#include "runtime/limit/watchdog.h"
#include "tests/unit/tap.h"

static const struct cgroup no_cgroup = CGROUP_INIT;

static void test_limits_come_before_an_exit_told_late(void)
{
	static const enum run_status limits[] = {RUN_OOM, RUN_OUTPUT_LIMIT, RUN_PIDS_LIMIT,
						 RUN_KILLED};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct run_result r = {.status = RUN_EXITED, .exit_code = 3};
		struct ending end = {.by = limits[i], .started = true, .exited = true};

		is_int(verdict_reach(&end, NULL, &no_cgroup, &r, NULL), 0, "a verdict");
		is_int(r.status, limits[i], "%s", run_status_name(limits[i]));
		is_int(r.exit_code, -1, "has no exit code of its own");
		is_int(r.signal, SIGKILL, "and the signal that ends all");
		is_int(run_exit_code(&r), 137, "137");
	}
}

static void test_a_timeout_keeps_the_exit(void)
{
	struct run_result r = {.status = RUN_EXITED, .exit_code = 3};
	struct ending end = {.by = RUN_TIMEOUT, .started = true, .exited = true};

	verdict_reach(&end, NULL, &no_cgroup, &r, NULL);
	ok(r.status == RUN_TIMEOUT && r.timed_out, "a timeout");
	ok(r.exit_code == 3 && !r.signal, "what it said on SIGTERM stays");
	is_int(run_exit_code(&r), 124, "124");
}

static void test_a_failed_sandbox_blames_nobody(void)
{
	struct watchdog w = {.limit_bytes = 1 << 20};
	struct run_result r = {.exit_code = -1, .maxrss_bytes = 1 << 30};
	struct ending end = {.by = RUN_EXITED, .started = true, .failed = true};

	err_set(&end.error, EIO, "the image server died");
	verdict_reach(&end, &w, &no_cgroup, &r, NULL);
	ok(r.status == RUN_SANDBOX_ERROR && r.exit_code == 125, "a sandbox error");
	ok(!r.oom_killed && !r.detected && !r.signal, "and no word of memory");
}

static void test_a_peak_is_found_at_the_exit(void)
{
	struct watchdog w = {.limit_bytes = 1 << 20, .shared_bytes = 1 << 20};
	struct run_result r = {.status = RUN_EXITED, .maxrss_bytes = 3 << 20};
	struct ending end = {.by = RUN_EXITED, .started = true, .exited = true};

	verdict_reach(&end, &w, &no_cgroup, &r, NULL);
	is_int(r.status, RUN_OOM, "past the limit by its own pages");
	is_str(r.detected, "at_exit", "found at the exit");
}

/* `docker update -m` may lower the limit below what was right when it was used. */
static void test_a_peak_under_an_earlier_limit_is_none(void)
{
	struct watchdog w = {.limit_bytes = 1 << 20, .most_limit_bytes = 4 << 20};
	struct run_result r = {.status = RUN_EXITED, .maxrss_bytes = 3 << 20};
	struct ending end = {.by = RUN_EXITED, .started = true, .exited = true};

	verdict_reach(&end, &w, &no_cgroup, &r, NULL);
	ok(r.status == RUN_EXITED && !r.oom_killed, "it was within the limit of its time");
	is_int(r.memory_peak_bytes, 3 << 20, "and is told as the peak it was");
	r.maxrss_bytes = 5 << 20;
	verdict_reach(&end, &w, &no_cgroup, &r, NULL);
	ok(r.status == RUN_OOM && r.oom_killed, "past every limit there was it is told");
}

static void test_one_that_died_for_its_memory(void)
{
	struct watchdog w = {.limit_bytes = 1 << 20};
	struct run_result r = {
		.status = RUN_EXITED, .exit_code = 3, .maxrss_bytes = 3 << 20, .oom_killed = true};
	struct ending end = {.by = RUN_EXITED, .started = true, .exited = true, .oom_single = true};

	verdict_reach(&end, &w, &no_cgroup, &r, NULL);
	ok(r.status == RUN_EXITED && r.exit_code == 3 && r.oom_killed,
	   "a child's death is the child's");
	r.oom_killed = false;
	verdict_reach(&end, &w, &no_cgroup, &r, NULL);
	ok(r.status == RUN_OOM, "a peak of nobody who was killed is the main process's");
	r = (struct run_result){
		.status = RUN_SIGNALED, .signal = 9, .oom_killed = true, .detected = "tick"};
	end = (struct ending){.by = RUN_EXITED,
			      .started = true,
			      .exited = true,
			      .oom_single = true,
			      .oom_of_main = true};
	verdict_reach(&end, &w, &no_cgroup, &r, NULL);
	ok(r.status == RUN_OOM, "the main process's own");
	is_str(r.detected, "tick", "as it was found");
}

static const char *code_of(enum err_origin origin, const char *msg)
{
	struct run_result r = {.status = RUN_SANDBOX_ERROR, .exit_code = 125};

	err_from(origin, &r.error, err_set(&r.error, EIO, "%s", msg));
	err_wrap(&r.error, "i.sqsh");
	return run_error_code(&r);
}

static void test_codes_are_not_read_from_texts(void)
{
	struct run_result r = {.status = RUN_SANDBOX_ERROR};

	is_str(code_of(ERR_IMAGE_SERVER, "it is gone"), "image_server", "the server, wrapped");
	is_str(code_of(ERR_LIMIT, "refused"), "limit", "a limit");
	is_str(code_of(ERR_PLAIN, "the image server died"), "sandbox", "a text");
	err_from(ERR_LIMIT, &r.error, err_set(&r.error, EPERM, "refused"));
	err_code(&r.error, EIO, "read it");
	is_str(run_error_code(&r), "sandbox", "another error in its place");
	is_int(err_from(ERR_LIMIT, NULL, err_set(NULL, EPERM, "x")), -EPERM, "nobody reads it");
}

int main(void)
{
	test_codes_are_not_read_from_texts();
	test_limits_come_before_an_exit_told_late();
	test_a_timeout_keeps_the_exit();
	test_a_failed_sandbox_blames_nobody();
	test_a_peak_is_found_at_the_exit();
	test_a_peak_under_an_earlier_limit_is_none();
	test_one_that_died_for_its_memory();
	return done_testing();
}
