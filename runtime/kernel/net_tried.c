/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/net_tried.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/net_text.h"

#define SNMP_BYTES_MAX 16384u

/* A group is a line of names and a line of values, both with the group's name before them. */
static uint64_t value_of(const char *names, const char *values, const char *name)
{
	while (names && values) {
		size_t n = net_text_word(&names), k = net_text_word(&values);

		if (!n || !k)
			break;
		if (strlen(name) == n && !strncmp(names, name, n))
			return strtoull(values, NULL, 10);
		names += n;
		values += k;
	}
	return 0;
}

bool net_tried_in(const char *snmp)
{
	for (const char *line = snmp, *values; line && *line; line = net_text_line(values)) {
		values = net_text_line(line);
		if (!values)
			return false;
		if (str_has_prefix(line, "Ip:") && value_of(line, values, "OutNoRoutes"))
			return true;
		if (str_has_prefix(line, "Udp:") && value_of(line, values, "NoPorts"))
			return true;
	}
	return false;
}

int net_tried_open(pid_t pid)
{
	_free_ char *path = str_printf("/proc/%d/net/snmp", (int)pid);

	return path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* Not by read(2): the file's position may be shared with the process that it came from. */
bool net_tried(int fd)
{
	char text[SNMP_BYTES_MAX];
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = 0;
	return net_tried_in(text);
}
