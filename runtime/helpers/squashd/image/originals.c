/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/image/originals.h"

#include <string.h>
#include <sys/stat.h>

#include "runtime/base/str.h"
#include "runtime/helpers/squashd/image/sqimage.h"
#include "runtime/helpers/squashd/image/sqpath.h"

static const char *const names[ORIGINALS_MAX] = {"rc", "environment", "fstab", "rc.local"};

/* No symlinks here: csbx made directories. */
static bool find_child(struct sqimage *img, const struct sqnode *dir, const char *name,
		       struct sqnode *ret)
{
	uint64_t id;

	return sqimage_lookup(img, dir, name, &id) > 0 && sqimage_node(img, id, ret) >= 0;
}

static void find_file(struct sqimage *img, const struct sqnode *etc, const struct sqnode *orig,
		      const char *name, struct original *ret)
{
	struct sqnode now, was;

	/* enroot's file never took the place of a directory. */
	if (!find_child(img, etc, name, &now) || S_ISDIR(now.mode))
		return;
	ret->how = ORIGINAL_NONE;
	if (!find_child(img, orig, name, &was) || S_ISDIR(was.mode))
		return;
	*ret = (struct original){.how = ORIGINAL_SERVED,
				 .id = was.id,
				 .ino = was.ino,
				 .type = was.mode & S_IFMT,
				 .has_two_names = was.id == now.id};
}

void originals_find(struct sqimage *img, struct originals *ret)
{
	struct sqnode root, csbx, orig, orig_etc, etc;

	*ret = (struct originals){.is_active = false};
	if (sqimage_node(img, sqimage_root(img), &root) < 0 ||
	    !find_child(img, &root, ".csbx", &csbx) || !find_child(img, &csbx, "orig", &orig) ||
	    !find_child(img, &orig, "etc", &orig_etc) || !S_ISDIR(orig_etc.mode) ||
	    sqpath_resolve(img, "/etc", &etc) < 0 || !S_ISDIR(etc.mode))
		return;
	ret->is_active = true;
	ret->csbx = csbx.id;
	ret->etc = etc.id;
	for (unsigned i = 0; i < ORIGINALS_MAX; i++)
		find_file(img, &etc, &orig_etc, names[i], &ret->files[i]);
}

bool originals_has(const struct originals *o, const char *name)
{
	for (unsigned i = 0; i < ORIGINALS_MAX; i++) {
		if (str_eq(name, names[i]))
			return o->files[i].how != ORIGINAL_NONE;
	}
	return true;
}

bool originals_apply(const struct originals *o, uint64_t dir, struct sqentry *ent)
{
	if (!o->is_active)
		return true;
	if (dir == o->csbx && str_eq(ent->name, "orig"))
		return false;
	for (unsigned i = 0; dir == o->etc && i < ORIGINALS_MAX; i++) {
		const struct original *f = &o->files[i];

		if (f->how == ORIGINAL_AS_IT_IS || !str_eq(ent->name, names[i]))
			continue;
		ent->id = f->id;
		ent->ino = f->ino;
		ent->type = f->type;
		return f->how == ORIGINAL_SERVED;
	}
	return true;
}

int originals_lookup(const struct originals *o, struct sqimage *img, const struct sqnode *dir,
		     const char *name, uint64_t *ret_id)
{
	struct sqentry ent;
	int r = sqimage_lookup(img, dir, name, ret_id);

	if (r <= 0 || !o->is_active || (dir->id != o->etc && dir->id != o->csbx))
		return r;
	memcpy(ent.name, name, strlen(name) + 1); /* it was found, so it is no longer than a name */
	ent.id = *ret_id;
	if (!originals_apply(o, dir->id, &ent))
		return 0;
	*ret_id = ent.id;
	return 1;
}

int originals_node(const struct originals *o, struct sqimage *img, uint64_t id, struct sqnode *ret)
{
	int r = sqimage_node(img, id, ret);
	bool is_short = false;

	if (r < 0 || !o->is_active)
		return r;
	is_short = id == o->csbx; /* the ".." of a directory that is not seen */
	for (unsigned i = 0; i < ORIGINALS_MAX; i++)
		is_short |= o->files[i].has_two_names && id == o->files[i].id;
	if (is_short && ret->nlink > 1)
		ret->nlink--;
	return r;
}
