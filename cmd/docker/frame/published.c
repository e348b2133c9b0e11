/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/published.h"

#include <stdio.h>
#include <string.h>

static void copy(char *to, size_t size, const char *from, const char *end)
{
	size_t n = (size_t)(end - from);

	n = n < size ? n : size - 1;
	memcpy(to, from, n);
	to[n] = 0;
}

struct published published_split(const char *text)
{
	const char *last = strrchr(text, ':'), *host = last;
	struct published p = {0};

	/* An address may be in brackets and have colons of its own: from the right. */
	while (host && host > text && host[-1] != ':')
		host--;
	if (host && host > text)
		copy(p.ip, sizeof(p.ip), text, host - 1);
	if (last)
		copy(p.host, sizeof(p.host), host, last);
	text = last ? last + 1 : text;
	snprintf(p.port, sizeof(p.port), "%.32s%s", text, strchr(text, '/') ? "" : "/tcp");
	return p;
}
