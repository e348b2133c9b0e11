/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/program_places.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/spec/spec.h"

/* One that is missing has no link in it. A program of another run may have closed the way to it. */
static int add(struct path_places *p, const char *dir, struct err *e)
{
	struct stat st;

	if (stat(dir, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(e, "mount %s", dir);
	if (S_ISDIR(st.st_mode))
		p->items[p->n++] = (struct path_place){st.st_dev, st.st_ino};
	return 0;
}

int program_places(const struct container_spec *s, struct path_places *ret, struct err *e)
{
	int r = 0;

	*ret = (struct path_places){calloc(s->n_mounts + 1, sizeof(*ret->items)), 0};
	if (!ret->items)
		return err_oom(e);
	for (size_t i = 0; i < s->n_mounts && r >= 0; i++) {
		const struct mount_spec *m = &s->mounts[i];

		if (m->kind == MOUNT_BIND && !m->readonly && m->source)
			r = add(ret, m->source, e);
	}
	if (s->ns.ipc == IPC_HOST && r >= 0)
		r = add(ret, "/dev/shm", e);
	if (r < 0)
		program_places_free(ret);
	return r;
}

void program_places_free(struct path_places *p)
{
	free(p->items);
	*p = (struct path_places){0};
}
