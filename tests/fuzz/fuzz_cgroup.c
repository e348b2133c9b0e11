/* SPDX-License-Identifier: Apache-2.0 */

/* Text of /proc/PID/cgroup, mountinfo and of a group's files: what comes out stays in bounds. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/fd.h"
#include "runtime/cgroup/text.h"
#include "tests/fuzz/fuzz.h"

static void check_directory(const char *mounts, const char *own)
{
	size_t top = 0;
	_free_ char *dir = cgroup_find_directory(mounts, own, &top);

	FUZZ_ASSERT(!dir || (*dir == '/' && top && top <= strlen(dir)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_free_ char *text = strndup((const char *)data, size), *own = NULL;
	char words[32], cpu[48];
	uint64_t milli = 0, stalled = 1;
	unsigned set;

	if (!text)
		return 0;
	set = cgroup_parse_controllers(text);
	FUZZ_ASSERT(!(set & ~(unsigned)CGROUP_ALL));
	cgroup_print_controllers(set, words);
	FUZZ_ASSERT(strlen(words) < sizeof(words));
	(void)cgroup_parse_key(text, "oom_kill");
	(void)cgroup_parse_number(text);
	FUZZ_ASSERT(cgroup_parse_stalled(text, &stalled) || !stalled);
	memcpy(&milli, data, size < sizeof(milli) ? size : sizeof(milli));
	cgroup_print_cpu_max(milli % 65536001, cpu);
	FUZZ_ASSERT(strlen(cpu) < sizeof(cpu));

	own = cgroup_own_path(text);
	FUZZ_ASSERT(!own || (*own == '/' && !strchr(own, '\n')));
	check_directory(text, own ? own : "/a/b");
	check_directory(text, "/");
	if (own)
		FUZZ_ASSERT(cgroup_job_len(own, text) <= strlen(own));
	return 0;
}
