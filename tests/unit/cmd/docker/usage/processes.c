/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of /proc/PID/stat, whatever a process calls itself. */
#include <errno.h>
#include <unistd.h>

#include "cmd/docker/usage/processes.h"
#include "runtime/base/err.h"
#include "tests/unit/tap.h"

#define REST \
	" S 7 9 9 0 -1 4194304 10 11 12 13 100 20 3 4 20 0 5 0 77 1000 2 18446744073709551615 1"

static void test_names(void)
{
	static const char *const names[] = {"sh", "a b", ") S 1", "((", "", "x) R 5 5 ("};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct process p = {0};
		char line[300];

		snprintf(line, sizeof(line), "42 (%s)%s\n", names[i], REST);
		is_int(process_parse(line, &p), 0, "'%s'", names[i]);
		ok(p.pid == 42 && p.parent == 7 && p.ticks == 127 && p.threads == 5,
		   "its numbers: %d %d %llu %u", p.pid, p.parent, (unsigned long long)p.ticks,
		   p.threads);
	}
}

static void test_what_is_none(void)
{
	static const char *const bad[] = {
		"",          "42",        "42 (sh",      "42 (sh)",
		"42 (sh) S", "(sh)" REST, "x (sh)" REST, "42 (sh) S 7 9 9 0 -1 1 2 3 4 5 6"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct process p;

		is_int(process_parse(bad[i], &p), -EINVAL, "'%s'", bad[i]);
	}
}

/* This process is below its parent, and not below itself. */
static void test_descendants(void)
{
	struct process_list l;
	struct err e = ERR_INIT;
	bool found = false;

	is_int(process_list_read(&l, getppid(), &e), 0, "of the parent: %s", e.msg);
	for (size_t i = 0; i < l.n; i++)
		found |= l.items[i].pid == getpid();
	ok(found, "this one is among them");
	process_list_free(&l);
	is_int(process_list_read(&l, getpid(), &e), 0, "of this one: %s", e.msg);
	is_int((int)l.n, 0, "none");
	process_list_free(&l);
	ok(process_memory_bytes(getpid()) > 4096, "it holds memory");
	is_int((int)process_memory_bytes(0), 0, "nobody holds none");
}

int main(void)
{
	test_names();
	test_what_is_none();
	test_descendants();
	return done_testing();
}
