/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bytes/linkmap.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"

static struct linkmap_slot *find(struct linkmap_slot *slots, size_t cap, uint64_t dev, uint64_t ino)
{
	size_t i = (size_t)(((ino + dev) * 0x9e3779b97f4a7c15ull) >> 20) & (cap - 1);

	while (slots[i].path && (slots[i].ino != ino || slots[i].dev != dev))
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static int grow(struct linkmap *m, struct err *e)
{
	size_t cap = m->cap ? m->cap * 2 : 64;
	struct linkmap_slot *slots;

	if (m->n * 4 < m->cap * 3)
		return 0;
	slots = calloc(cap, sizeof(*slots));
	if (!slots)
		return err_oom(e);
	for (size_t i = 0; i < m->cap; i++) {
		if (m->slots[i].path)
			*find(slots, cap, m->slots[i].dev, m->slots[i].ino) = m->slots[i];
	}
	free(m->slots);
	m->slots = slots;
	m->cap = cap;
	return 0;
}

int linkmap_add(struct linkmap *m, uint64_t dev, uint64_t ino, const char *path,
		const char **ret_first, struct err *e)
{
	struct linkmap_slot *slot;
	int r = grow(m, e);

	if (r < 0)
		return r;
	slot = find(m->slots, m->cap, dev, ino);
	*ret_first = slot->path;
	if (slot->path)
		return 1;
	slot->path = strdup(path);
	if (!slot->path)
		return err_oom(e);
	slot->dev = dev;
	slot->ino = ino;
	m->n++;
	return 0;
}

void linkmap_free(struct linkmap *m)
{
	for (size_t i = 0; i < m->cap; i++)
		free(m->slots[i].path);
	free(m->slots);
	*m = (struct linkmap){0};
}
