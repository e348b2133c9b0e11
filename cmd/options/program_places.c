/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/program_places.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/spec/spec.h"

int program_places(const struct container_spec *s, struct path_places *ret, struct err *e)
{
	*ret = (struct path_places){calloc(s->n_mounts + 1, sizeof(*ret->items)), 0};
	if (!ret->items)
		return err_oom(e);
	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct mount_spec *m = &s->mounts[i];
		struct stat st;

		if (m->kind == MOUNT_BIND && !m->readonly && m->source &&
		    stat(m->source, &st) == 0 && S_ISDIR(st.st_mode))
			ret->items[ret->n++] = (struct path_place){st.st_dev, st.st_ino};
	}
	return 0;
}

void program_places_free(struct path_places *p)
{
	free(p->items);
	*p = (struct path_places){0};
}
