/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/str.h"

static bool enabled;

void log_init(void)
{
	const char *v = secure_getenv("CSBX_DEBUG");

	enabled = v && *v && *v != '0';
}

/*
 * As strbuf_add_escaped(), without malloc(3): a child of a process with threads traces as well. out
 * has room for four bytes of each.
 */
static void show(const char *s, size_t len, char *out, size_t room)
{
	char *const end = out + room;

	*out = 0;
	while (len) {
		uint32_t cp;
		size_t n = str_utf8_next(s, len, &cp);
		bool is_plain = n && !str_is_display_control(cp);

		n = n ? n : 1;
		for (size_t i = 0; i < n; i++)
			out += snprintf(out, (size_t)(end - out), is_plain ? "%c" : "\\x%02x",
					(unsigned char)s[i]);
		s += n;
		len -= n;
	}
}

void log_trace(const char *fmt, ...)
{
	int saved = errno;
	struct timespec t;
	char line[1024], shown[4 * sizeof(line)];
	va_list ap;
	int n;

	if (!enabled)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	n = snprintf(line, sizeof(line), "csbx[%d] %5ld.%06ld ", getpid(), (long)t.tv_sec % 100000,
		     t.tv_nsec / 1000);
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
	va_end(ap);
	show(line, strlen(line), shown, sizeof(shown));
	dprintf(STDERR_FILENO, "%s\n", shown);
	errno = saved;
}
