/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/publish_all.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/docker/frame/notes.h"
#include "cmd/docker/frame/published.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

/* "80/tcp", in ranges too. */
static bool covers(const char *published, unsigned long port, const char *protocol)
{
	char *end;
	unsigned long first = strtoul(published, &end, 10), last = first;
	const char *slash = strchr(published, '/');

	if (*end == '-')
		last = strtoul(end + 1, NULL, 10);
	return port >= first && port <= last && str_eq(slash ? slash + 1 : "tcp", protocol);
}

static bool is_published(const struct strv *notes, unsigned long port, const char *protocol)
{
	const char *note;

	for (size_t i = 0; (note = notes_get(notes, "publish", i)); i++) {
		if (covers(published_split(note).port, port, protocol))
			return true;
	}
	return false;
}

/* "8000", "8000-8010/udp": the program inside listens at that number, which is the host's. */
static void publish(const char *exposed, struct strv *notes)
{
	const char *slash = strchr(exposed, '/'), *protocol = slash ? slash + 1 : "tcp";
	char *end;
	unsigned long port = strtoul(exposed, &end, 10), last = port;

	if (*end == '-')
		last = strtoul(end + 1, NULL, 10);
	for (; port && port <= last && port <= 65535; port++) {
		_free_ char *text = NULL;

		if (is_published(notes, port, protocol))
			continue;
		text = str_printf("%lu/%s", port, protocol);
		notes_add(notes, "publish", text);
	}
}

int docker_publish_all(const struct strv *ports, const struct strv *exposed, struct strv *notes,
		       struct err *e)
{
	notes_add(notes, "publish-all", "1");
	for (size_t i = 0; i < ports->n; i++)
		publish(ports->items[i], notes);
	for (size_t i = 0; i < exposed->n; i++)
		publish(exposed->items[i], notes);
	return strv_check(notes, e);
}
