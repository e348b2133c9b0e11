/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/program_places.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/spec/spec.h"

static void add(struct path_places *p, const char *dir)
{
	struct stat st;

	if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		p->items[p->n++] = (struct path_place){st.st_dev, st.st_ino};
}

int program_places(const struct container_spec *s, struct path_places *ret, struct err *e)
{
	*ret = (struct path_places){calloc(s->n_mounts + 1, sizeof(*ret->items)), 0};
	if (!ret->items)
		return err_oom(e);
	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct mount_spec *m = &s->mounts[i];

		if (m->kind == MOUNT_BIND && !m->readonly && m->source)
			add(ret, m->source);
	}
	if (s->ns.ipc == IPC_HOST)
		add(ret, "/dev/shm");
	return 0;
}

void program_places_free(struct path_places *p)
{
	free(p->items);
	*p = (struct path_places){0};
}
