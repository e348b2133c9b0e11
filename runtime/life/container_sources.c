/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/life/container_sources.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

static bool is_of_host(const struct mount_spec *m)
{
	return m->source &&
	       (m->kind == MOUNT_BIND || m->kind == MOUNT_DEVICE || m->kind == MOUNT_COPY);
}

int container_sources_note(const struct container_spec *s, struct strv *ret, struct err *e)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		char link[40], path[PATH_MAX] = "";
		_close_ int fd = -1;

		if (!is_of_host(&s->mounts[i]))
			continue;
		fd = path_open_source(s->mounts[i].source, 0, NULL);
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (fd >= 0) {
			ssize_t n = readlink(link, path, sizeof(path) - 1);

			path[n > 0 ? n : 0] = 0;
		}
		strv_add(ret, s->mounts[i].source);
		strv_add(ret, path);
	}
	return strv_check(ret, e);
}

int container_sources_keep(struct container_spec *s, const struct strv *noted, struct err *e)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		struct mount_spec *m = &s->mounts[i];

		if (!is_of_host(m))
			continue;
		m->no_links = true;
		for (size_t j = 0; j + 1 < noted->n; j += 2) {
			char *real;

			if (!str_eq(noted->items[j], m->source) || !*noted->items[j + 1])
				continue;
			real = strdup(noted->items[j + 1]);
			if (!real)
				return err_oom(e);
			free(m->source);
			m->source = real;
			break;
		}
	}
	return 0;
}
