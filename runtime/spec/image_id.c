/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/image_id.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runtime/spec/spec.h"

void image_id_from_stat(struct image_id *ret, const struct stat *st)
{
	*ret = (struct image_id){.dev = st->st_dev, .ino = st->st_ino};
	if (S_ISREG(st->st_mode)) {
		ret->size_bytes = (uint64_t)st->st_size;
		ret->mtime_ns =
			(uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
	}
}

bool image_id_same(const struct image_id *a, const struct image_id *b)
{
	bool fixed_dev = major(a->dev) || major(b->dev);

	return a->ino == b->ino && a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns &&
	       (!fixed_dev || a->dev == b->dev);
}

bool rootfs_was_changed(const struct rootfs_spec *root)
{
	for (size_t i = 0; root->kind == ROOTFS_SQUASHFS && i <= root->n_lowers; i++) {
		const struct rootfs_part part = rootfs_part_at(root, i);
		struct image_id now, place;
		struct stat st;

		if (stat(part.path, &st) < 0)
			continue;
		image_id_from_stat(&now, &st);
		place = now;
		place.size_bytes = part.id.size_bytes;
		place.mtime_ns = part.id.mtime_ns;
		if (image_id_same(&place, &part.id) && !image_id_same(&now, &part.id))
			return true;
	}
	return false;
}
