/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/container_find.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/container_store.h"
#include "runtime/paths.h"

struct search {
	const char *operand;
	size_t len;
	int dirfd;
	struct container_found *best;
	unsigned n;
};

static void consider(struct search *x, const char *name)
{
	struct container_record rec;

	if (!name_is_valid(name) || container_store_read(x->dirfd, name, &rec, NULL) < 0)
		return;
	if (!rec.container_id || strncmp(rec.container_id, x->operand, x->len)) {
		container_record_free(&rec);
		return;
	}
	if (x->n++)
		container_record_free(&x->best->record);
	snprintf(x->best->name, sizeof(x->best->name), "%.*s", NAME_BYTES_MAX, name);
	x->best->record = rec;
}

static int search_ids(struct search *x, struct err *e)
{
	_close_ int list = openat(x->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);
	const struct dirent *ent;

	if (!d)
		return err_sys(e, "list containers");
	(void)take_fd(&list);
	while ((ent = readdir(d)))
		consider(x, ent->d_name);
	closedir(d);
	if (x->n > 1) {
		container_record_free(&x->best->record);
		return err_set(e, ENOTUNIQ, "%u containers have an id that begins so", x->n);
	}
	return x->n ? 0 : err_set(e, ENOENT, "no such container");
}

int container_find(const struct paths *p, const char *operand, struct container_found *ret,
		   struct err *e)
{
	_close_ int dirfd = container_store_open_dir(p, e);
	struct search x = {.operand = operand, .len = strlen(operand), .dirfd = dirfd, .best = ret};
	int r;

	*ret = (struct container_found){0};
	if (dirfd < 0)
		return dirfd;
	if (name_is_valid(operand)) {
		r = container_store_read(dirfd, operand, &ret->record, e);
		snprintf(ret->name, sizeof(ret->name), "%s", operand);
		if (r != -ENOENT)
			return r;
	}
	if (!x.len || x.len > NAME_CONTAINER_ID_DIGITS ||
	    strspn(operand, "0123456789abcdef") != x.len)
		return err_set(e, ENOENT, "no such container");
	return search_ids(&x, e);
}
