/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/container_find.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/container_index.h"
#include "runtime/record/container_store.h"
#include "runtime/record/instance.h"
#include "runtime/settings/paths.h"

struct search {
	const char *operand;
	size_t len;
	int dirfd;
	struct container_found *best;
	unsigned n;
	bool is_indexed; /* each of the records that were read */
};

/* Reads the record of one that is listed; to_index: also puts it into the index. */
static void consider(struct search *x, const char *name, bool to_index)
{
	struct container_record rec;

	if (!name_is_valid(name) || container_store_read(x->dirfd, name, &rec, NULL) < 0)
		return;
	if (to_index && rec.container_id &&
	    container_index_put(x->dirfd, rec.container_id, name, NULL) < 0)
		x->is_indexed = false;
	if (!rec.container_id || strncmp(rec.container_id, x->operand, x->len)) {
		container_record_free(&rec);
		return;
	}
	if (x->n++)
		container_record_free(&x->best->record);
	snprintf(x->best->name, sizeof(x->best->name), "%.*s", NAME_BYTES_MAX, name);
	x->best->record = rec;
}

static int decide(struct search *x, struct err *e)
{
	if (x->n > 1) {
		container_record_free(&x->best->record);
		return err_set(e, ENOTUNIQ, "%u containers have an id that begins so", x->n);
	}
	return x->n ? 0 : container_missing(e);
}

/* -EAGAIN: what the index says is not all, or not so any more. */
static int search_index(struct search *x, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	int known = container_index_find(x->dirfd, x->operand, &names, e);
	bool is_one;

	if (known < 0 && known != -EAGAIN)
		return known;
	for (size_t i = 0; i < names.n; i++)
		consider(x, names.items[i], false);
	/* No two containers have these digits in common. */
	is_one = x->n == 1 && x->len >= NAME_ID_DIGITS;
	if (is_one || (known >= 0 && x->n == names.n))
		return decide(x, e);
	if (x->n)
		container_record_free(&x->best->record);
	x->n = 0;
	return -EAGAIN;
}

static int search_ids(struct search *x, struct err *e)
{
	_close_ int list = openat(x->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);
	const struct dirent *ent;

	if (!d)
		return err_sys(e, "list containers");
	(void)take_fd(&list);
	x->is_indexed = true;
	while ((ent = readdir(d)))
		consider(x, ent->d_name, true);
	closedir(d);
	if (x->is_indexed)
		container_index_set_whole(x->dirfd);
	return decide(x, e);
}

/*
 * A whole id, or as much of it as people see, of what runs: its name is in the instance's file, and
 * no other record need be read.
 */
static bool find_running(const struct paths *p, const struct search *x)
{
	struct instance_record i;
	struct container_found *ret = x->best;
	bool found = false;

	if (x->len < NAME_ID_DIGITS || instance_read(p, x->operand, &i, NULL) < 0)
		return false;
	if (i.name && container_store_read(x->dirfd, i.name, &ret->record, NULL) >= 0) {
		found = ret->record.container_id &&
			!strncmp(ret->record.container_id, x->operand, x->len);
		snprintf(ret->name, sizeof(ret->name), "%s", i.name);
		if (!found)
			container_record_free(&ret->record);
	}
	instance_record_free(&i);
	return found;
}

int container_find_again(const struct paths *p, const char *name, const char *id,
			 struct container_found *ret, struct err *e)
{
	int r = container_find(p, name, ret, e);

	if (r >= 0 && ret->record.container_id && !strcmp(ret->record.container_id, id))
		return 0;
	if (r >= 0)
		container_record_free(&ret->record);
	return container_find(p, id, ret, e);
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
		return container_missing(e);
	if (find_running(p, &x))
		return 0;
	r = search_index(&x, e);
	return r == -EAGAIN ? search_ids(&x, e) : r;
}
