/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image/table/table.h"
#include "image/table/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static int last_first(const void *a, const void *b)
{
	const struct image_record *x = &((const struct image_item *)a)->record;
	const struct image_record *y = &((const struct image_item *)b)->record;

	if (x->created_s != y->created_s)
		return x->created_s < y->created_s ? 1 : -1;
	return strcmp(x->id, y->id);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct image_item *image_list_get(struct image_list *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++) {
		if (str_eq(l->items[i].record.id, id))
			return &l->items[i];
	}
	return NULL;
}

static int read_names(int dirfd, struct strv *images, struct strv *tags, struct err *e)
{
	int list = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);
	const struct dirent *ent;

	if (!d) {
		fd_close(&list);
		return err_sys(e, "list " IMAGE_TABLE_DIR);
	}
	while ((ent = readdir(d))) {
		if (ent->d_name[0] == TAG_PREFIX)
			strv_add(tags, ent->d_name);
		else if (strlen(ent->d_name) == IMAGE_RECORD_FILE_LEN &&
			 str_has_suffix(ent->d_name, ".image"))
			strv_addn(images, ent->d_name, strlen(ent->d_name) - strlen(".image"));
	}
	closedir(d);
	return strv_check(images, e) < 0 ? -ENOMEM : strv_check(tags, e);
}

/* An image that has gone meanwhile is not listed; one that cannot be read is counted. */
static int add_images(int dirfd, const struct strv *images, struct image_list *l, struct err *e)
{
	l->items = calloc(images->n + 1, sizeof(*l->items));
	if (!l->items)
		return err_oom(e);
	for (size_t i = 0; i < images->n; i++) {
		int r = image_table_read(dirfd, images->items[i], &l->items[l->n].record, e);

		if (r == -ENOMEM || r == -EACCES)
			return r;
		if (r < 0)
			l->n_damaged += r != -ENOENT;
		else
			l->n++;
	}
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), last_first);
	return 0;
}

static int add_tags(int dirfd, const struct strv *tags, struct image_list *l, struct err *e)
{
	for (size_t i = 0; i < tags->n; i++) {
		struct image_item *item;
		struct image_tag tag;
		int r = image_table_read_tag(dirfd, tags->items[i], &tag, e);

		if (r == -ENOMEM || r == -EACCES)
			return r;
		if (r < 0) {
			l->n_damaged += r != -ENOENT;
			continue;
		}
		item = image_list_get(l, tag.id);
		if (item) {
			strv_add(&item->names, tag.name);
			if (tag.tagged_ns > item->tagged_ns)
				item->tagged_ns = tag.tagged_ns;
		}
		image_tag_free(&tag);
		if (item && strv_check(&item->names, e) < 0)
			return -ENOMEM;
	}
	return 0;
}

int image_table_list(int dirfd, struct image_list *ret, struct err *e)
{
	_image_list_ struct image_list l = {0};
	_strv_ struct strv images = STRV_INIT, tags = STRV_INIT;
	int r = read_names(dirfd, &images, &tags, e);

	if (r >= 0)
		r = add_images(dirfd, &images, &l, e);
	if (r >= 0)
		r = add_tags(dirfd, &tags, &l, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l.n; i++) {
		struct strv *names = &l.items[i].names;

		if (names->n)
			qsort(names->items, names->n, sizeof(*names->items), by_name);
	}
	*ret = l;
	l = (struct image_list){0};
	return 0;
}

void image_list_free(struct image_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		image_record_free(&l->items[i].record);
		strv_free(&l->items[i].names);
	}
	free(l->items);
	*l = (struct image_list){0};
}
