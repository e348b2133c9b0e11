/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel's files say of memory: proc_pid_statm(5), proc_pid_smaps(5), sysvipc(5). Pure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/limit/watchdog.h"

#define KIB 1024u

bool watchdog_parse_statm(const char *text, uint64_t page_bytes, struct watchdog_statm *ret)
{
	unsigned long long size, resident, shared;

	*ret = (struct watchdog_statm){0};
	if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || shared > resident)
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

/* The two columns on the right are rss and swap; the header line has no numbers there. */
static uint64_t sysvipc_line(const char *line, unsigned long len)
{
	unsigned long end = len;
	uint64_t sum = 0;

	for (int column = 0; column < 2 && end; column++) {
		unsigned long start;

		while (end && line[end - 1] == ' ')
			end--;
		start = end;
		while (start && line[start - 1] != ' ')
			start--;
		if (end > start && start)
			sum += strtoull(line + start, NULL, 10);
		end = start;
	}
	return sum;
}

uint64_t watchdog_parse_sysvipc(const char *text, unsigned long len)
{
	uint64_t sum = 0;

	while (len) {
		const char *nl = memchr(text, '\n', len);
		unsigned long n = nl ? (unsigned long)(nl - text) : len;

		sum += sysvipc_line(text, n);
		text += n + (nl != NULL);
		len -= n + (nl != NULL);
	}
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
