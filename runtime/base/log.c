/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static bool enabled;

void log_init(void)
{
	const char *v = secure_getenv("CSBX_DEBUG");

	enabled = v && *v && *v != '0';
}

void log_trace(const char *fmt, ...)
{
	int saved = errno;
	struct timespec t;
	char line[1024];
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
	dprintf(STDERR_FILENO, "%s\n", line);
	errno = saved;
}
