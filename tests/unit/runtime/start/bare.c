/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/start/bare.h"
#include "runtime/base/err.h"
#include "runtime/kernel/process_id.h"
#include "runtime/spec/spec.h"
#include "tests/unit/tap.h"

static struct container_spec bare_spec(void)
{
	struct container_spec s;

	spec_init(&s);
	s.ns.pid = PID_HOST;
	s.ns.userns = USERNS_ONE;
	s.limits.pids = UINT64_MAX;
	return s;
}

#define REFUSED(change, word)                                         \
	do {                                                          \
		struct container_spec s = bare_spec();                \
		const char *why;                                      \
		change;                                               \
		why = bare_refusal(&s);                               \
		ok(why && !strcmp(why, word), "%s", why ? why : "-"); \
		spec_free(&s);                                        \
	} while (0)

static void test_acceptance(void)
{
	struct container_spec s = bare_spec();

	ok(!bare_refusal(&s), "nobody is needed");
	spec_free(&s);
}

static void test_refusal(void)
{
	REFUSED(s.limits.memory_bytes = 1, "--memory");
	REFUSED(s.limits.cpus_milli = 1, "--cpus");
	REFUSED(s.limits.pids = 7, "--pids-limit");
	REFUSED(s.limits.timeout_ms = 1, "--timeout");
	REFUSED(s.limits.output_kill_bytes = 1, "--max-output");
	REFUSED(s.limits.strict = true, "--limits strict");
	REFUSED(s.ns.pid = PID_PRIVATE, "process ids of its own");
	REFUSED(s.ns.userns = USERNS_AUTO, "more than one user id");
	REFUSED(s.proc.tty = TTY_YES, "--tty");
	REFUSED(s.capture_output = true, "a result");
}

static void test_mounts(void)
{
	struct container_spec s = bare_spec();
	struct err e = ERR_INIT;

	s.ns.net = NET_HOST;
	is_int(bare_system_mounts(&s, &e), 0, "mounts");
	ok(s.ns.host_dev && s.ns.host_sys, "/dev and /sys of the host");
	for (size_t i = 0; i < s.n_mounts; i++)
		ok(s.mounts[i].kind == MOUNT_TMPFS ||
			   (s.mounts[i].readonly && s.mounts[i].optional),
		   "%s", s.mounts[i].target);
	spec_free(&s);
	s = bare_spec();
	s.ns.net = NET_NONE;
	is_int(bare_system_mounts(&s, &e), 0, "mounts");
	ok(!s.ns.host_sys, "a network of its own has a /sys of its own");
	spec_free(&s);
}

static void test_process(void)
{
	uint64_t ticks = 0;

	is_int(process_start_ticks(getpid(), &ticks), 0, "we live");
	ok(ticks && process_is(getpid(), ticks), "and are we");
	ok(!process_is(getpid(), ticks + 1), "and no other of that number");
	ok(process_start_ticks(0x7ffffff0, &ticks) < 0, "no such process");
}

int main(void)
{
	test_acceptance();
	test_refusal();
	test_mounts();
	test_process();
	return done_testing();
}
