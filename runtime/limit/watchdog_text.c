/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsers of the kernel's files about memory: proc_pid_statm(5), proc_pid_smaps(5), sysvipc(5).
 * Pure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/limit/watchdog.h"

#define KIB 1024u

bool watchdog_parse_statm(const char *text, uint64_t page_bytes, struct watchdog_statm *ret)
{
	unsigned long long size, resident, shared;

	*ret = (struct watchdog_statm){0};
	if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || !size ||
	    shared > resident)
		return false;
	ret->private_bytes = (resident - shared) * page_bytes;
	ret->shared_bytes = shared * page_bytes;
	return true;
}

uint64_t watchdog_parse_kib(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, name, n) && p[n] == ':')
			return strtoull(p + n + 1, NULL, 10) * KIB;
	}
	return 0;
}

#define COLUMNS_MAX 16u

/*
 * sysvipc(5): the columns of a kind, numbered from the left, and the bytes that one of it stands
 * for.
 */
struct column {
	unsigned at;
	uint64_t bytes;
};

static const struct column columns[][2] = {
	[WATCHDOG_SHM] = {{14, 1}, {15, 1}}, /* rss, swap */
	[WATCHDOG_SEM] = {{3, 64}},          /* nsems: a cache line each */
	[WATCHDOG_MSG] = {{3, 1}, {4, 64}},  /* cbytes; qnum: the head of a message */
};

uint64_t watchdog_parse_sysv(enum watchdog_sysv kind, const char *line)
{
	uint64_t sum = 0, value[COLUMNS_MAX] = {0};
	char *end;

	for (unsigned i = 0; i < COLUMNS_MAX; i++) {
		value[i] = strtoull(line, &end, 10);
		if (end == line)
			break;
		line = end;
	}
	for (unsigned i = 0; i < 2; i++)
		sum += value[columns[kind][i].at] * columns[kind][i].bytes;
	return sum;
}

/* "7f00-7f80 rw-s 00000000 00:01 1025   /dev/zero (deleted)", then lines of "Name:   N kB". */
void watchdog_smaps_line(struct watchdog_smaps *s, const char *line)
{
	static const char zero[] = " /dev/zero (deleted)";
	const char *first_blank = strchr(line, ' ');
	bool is_mapping = first_blank && first_blank > line && first_blank[-1] != ':';

	if (is_mapping)
		s->in_zero = strstr(line, zero) != NULL;
	else if (s->in_zero && !strncmp(line, "Pss:", 4))
		s->anon_shared_bytes += strtoull(line + 4, NULL, 10) * KIB;
}
