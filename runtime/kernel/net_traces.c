/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/net_traces.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/net_text.h"

#define TEXT_BYTES_MAX 16384u

static const char *const files[NET_TRACES] = {
	[NET_TRACE_SNMP] = "snmp",
	[NET_TRACE_DEV] = "dev",
	[NET_TRACE_SOCKSTAT] = "sockstat",
	[NET_TRACE_SNMP6] = "snmp6",
	[NET_TRACE_FLOWLABEL] = "ip6_flowlabel",
};

static bool needs_ipv6(enum net_trace which)
{
	return which == NET_TRACE_SNMP6 || which == NET_TRACE_FLOWLABEL;
}

static bool are_zeros(const char *p)
{
	for (size_t n; (n = net_text_word(&p)) > 0; p += n) {
		if (n != 1 || *p != '0')
			return false;
	}
	return true;
}

/* RFC 2011, 2012: how the protocols are set, which is no count. */
static bool is_setting(const char *name, size_t n)
{
	static const char *const settings[] = {"Forwarding", "DefaultTTL", "RtoAlgorithm",
					       "RtoMin",     "RtoMax",     "MaxConn"};

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		if (strlen(settings[i]) == n && !strncmp(settings[i], name, n))
			return true;
	}
	return false;
}

/* A group is a line of names and a line of values, both with the group's name before them. */
static bool is_group_unused(const char *names, const char *values)
{
	size_t n = net_text_word(&names), k = net_text_word(&values);

	if (!n || n != k || strncmp(names, values, n) != 0)
		return false;
	do {
		names += n;
		values += k;
		n = net_text_word(&names);
		k = net_text_word(&values);
		if (!n || !k)
			return !n && !k;
	} while (is_setting(names, n) || (k == 1 && *values == '0'));
	return false;
}

static bool is_snmp_unused(const char *text)
{
	for (const char *line = text, *values; line; line = net_text_line(values)) {
		values = net_text_line(line);
		if (!values || !is_group_unused(line, values))
			return false;
	}
	return true;
}

/*
 * Two lines of heading, then one for each interface: lo, and tunnels where the kernel makes some in
 * every namespace.
 */
static bool is_dev_unused(const char *text)
{
	const char *line = net_text_line(text);

	line = line ? net_text_line(line) : NULL;
	if (!line)
		return false;
	for (; line; line = net_text_line(line)) {
		size_t n = net_text_word(&line);

		if (!n || line[n - 1] != ':' || line[n] != ' ' || !are_zeros(line + n))
			return false;
	}
	return true;
}

/* The line `NAME: key value ...` must be there, have that key, and 0 behind it. */
static bool is_zero(const char *text, const char *name, const char *key)
{
	for (const char *line = text; line; line = net_text_line(line)) {
		const char *p = line;
		size_t n = net_text_word(&p);

		if (strlen(name) != n || strncmp(p, name, n) != 0)
			continue;
		for (p += n; (n = net_text_word(&p)) > 0; p += n) {
			bool is_key = strlen(key) == n && !strncmp(p, key, n);

			p += n;
			n = net_text_word(&p);
			if (is_key)
				return n == 1 && *p == '0';
		}
	}
	return false;
}

/* The other words of the file (alloc, mem) are the whole machine's. */
static bool is_sockstat_unused(const char *text)
{
	return is_zero(text, "sockets:", "used") && is_zero(text, "TCP:", "inuse") &&
	       is_zero(text, "TCP:", "orphan") && is_zero(text, "TCP:", "tw") &&
	       is_zero(text, "FRAG:", "inuse");
}

/* Lines of a name and a value. */
static bool is_snmp6_unused(const char *text)
{
	for (const char *line = text; line; line = net_text_line(line)) {
		size_t n = net_text_word(&line);

		if (!n || line[n] == '\n' || !are_zeros(line + n))
			return false;
	}
	return true;
}

bool net_trace_is_none(enum net_trace which, const char *text)
{
	if (!*text)
		return false;
	switch (which) {
	case NET_TRACE_SNMP:
		return is_snmp_unused(text);
	case NET_TRACE_DEV:
		return is_dev_unused(text);
	case NET_TRACE_SOCKSTAT:
		return is_sockstat_unused(text);
	case NET_TRACE_SNMP6:
		return is_snmp6_unused(text);
	case NET_TRACE_FLOWLABEL:
		return str_has_prefix(text, "Label ") && !net_text_line(text);
	case NET_TRACES:
		break;
	}
	return false;
}

void net_traces_open(struct net_traces *t)
{
	_close_ int dir = open("/proc/self/net", O_PATH | O_DIRECTORY | O_CLOEXEC);

	*t = NET_TRACES_INIT;
	if (dir < 0)
		return;
	for (int i = 0; i < NET_TRACES; i++) {
		t->fds[i] = openat(dir, files[i], O_RDONLY | O_CLOEXEC);
		if (t->fds[i] < 0 && !(errno == ENOENT && needs_ipv6((enum net_trace)i)))
			return;
	}
	t->ns_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

void net_traces_close(struct net_traces *t)
{
	fd_close(&t->ns_fd);
	for (int i = 0; i < NET_TRACES; i++)
		fd_close(&t->fds[i]);
}

bool net_traces_are_none(const struct net_traces *t)
{
	char text[TEXT_BYTES_MAX];

	if (!net_traces_are_open(t))
		return false;
	for (int i = 0; i < NET_TRACES; i++) {
		ssize_t n;

		if (t->fds[i] < 0) /* a kernel without IPv6 */
			continue;
		n = pread(t->fds[i], text, sizeof(text) - 1, 0);
		if (n <= 0 || (size_t)n == sizeof(text) - 1)
			return false;
		text[n] = 0;
		if (!net_trace_is_none((enum net_trace)i, text))
			return false;
	}
	return true;
}
