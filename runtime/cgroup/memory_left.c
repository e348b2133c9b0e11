/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cgroup/memory_left.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/parent.h"
#include "runtime/cgroup/text.h"

#define V1_TOP "/sys/fs/cgroup/memory"
#define CGROUPS_BYTES 16384

/* 0: there is none. */
static uint64_t number_in(int dirfd, const char *name)
{
	char text[64];

	return cgroup_read(dirfd, name, text, sizeof(text)) < 0 ? 0 : cgroup_parse_number(text);
}

/* Of the group at path and of those above it, up to the first top_len bytes. */
static uint64_t left_below(char *path, size_t top_len, const char *limit, const char *usage)
{
	uint64_t least = UINT64_MAX;

	while (strlen(path) >= top_len) {
		_close_ int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		uint64_t most = fd < 0 ? 0 : number_in(fd, limit), used;
		char *slash = strrchr(path, '/');

		if (most) {
			used = number_in(fd, usage);
			most = most > used ? most - used : 0;
			least = most < least ? most : least;
		}
		if (!slash)
			break;
		*slash = 0;
	}
	return least;
}

/* The path of the line "N:memory:PATH". */
static char *path_of_v1(void)
{
	_close_ int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	char text[CGROUPS_BYTES], *at, *end;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return NULL;
	text[n] = 0;
	at = strstr(text, ":memory:");
	if (!at)
		return NULL;
	at += strlen(":memory:");
	end = strchr(at, '\n');
	return str_printf(V1_TOP "%.*s", (int)(end ? end - at : (ssize_t)strlen(at)), at);
}

uint64_t cgroup_memory_left(void)
{
	_free_ char *own = NULL, *v1 = path_of_v1();
	uint64_t least = UINT64_MAX, left;
	size_t floor = 0;

	if (cgroup_own_directory(&own, &floor, NULL) >= 0)
		least = left_below(own, floor, "memory.max", "memory.current");
	if (v1) {
		left = left_below(v1, strlen(V1_TOP), "memory.limit_in_bytes",
				  "memory.usage_in_bytes");
		least = left < least ? left : least;
	}
	return least;
}
