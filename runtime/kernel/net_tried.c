/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/net_tried.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/kernel/net_text.h"

#define SNMP_BYTES_MAX 65536u

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

bool net_tried(int fd)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	return fd >= 0 && io_read_all(fd, SNMP_BYTES_MAX, &text, NULL) >= 0 &&
	       net_tried_in(strbuf_str(&text));
}
