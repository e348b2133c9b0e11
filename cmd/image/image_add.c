/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/image_add.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cmd/image/interrupt.h"
#include "image/import/image_describe.h"
#include "image/import/import.h"
#include "image/model/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define TRIES 8

static bool have(int dirfd, const char *id)
{
	char file[IMAGE_FILE_BYTES];
	struct image_record rec;

	image_table_file(id, file);
	if (faccessat(dirfd, file, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (image_table_read(dirfd, id, &rec, NULL) < 0)
		return false;
	image_record_free(&rec);
	return true;
}

static int import(int dirfd, const struct image_source *src, const struct import_options *options,
		  const char *id, struct import_result *ret, struct err *e)
{
	struct import_options o = *options;
	struct interrupt interrupt;
	char file[IMAGE_FILE_BYTES];
	int r = interrupt_catch(&interrupt, e);

	if (r < 0)
		return r;
	/* No enroot will ever look at it: only its content and csbx's own notes. */
	o.force = o.no_enroot_files = true;
	o.cancel = &interrupt.caught;
	image_table_file(id, file);
	r = import_image(src, dirfd, file, &o, ret, e);
	interrupt_release(&interrupt);
	return r;
}

/* The lower files are there before the record that names them. */
static int link_lowers(int dirfd, const char *id, const char *const *paths, unsigned n,
		       struct err *e)
{
	char file[IMAGE_FILE_BYTES];

	for (unsigned i = 0; i < n; i++) {
		image_table_lower_file(id, i, file);
		(void)unlinkat(dirfd, file, 0);
		if (linkat(AT_FDCWD, paths[i], dirfd, file, 0) < 0)
			return errno == EXDEV || errno == EPERM || errno == EMLINK ||
					       errno == EOPNOTSUPP
				       ? err_code(e, EOPNOTSUPP, "link %s", paths[i])
				       : err_sys(e, "link %s", paths[i]);
	}
	return 0;
}

static int put(int dirfd, const struct image_source *src, const struct import_result *res,
	       const struct image_add_names *n, uint64_t lower_size_bytes, struct err *e)
{
	struct image_record rec;
	struct timespec now;
	_close_ int lock = -1;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	r = image_describe(src, res, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
			   &rec, e);
	if (r < 0)
		return r;
	rec.n_lowers = n->options->n_lowers;
	rec.size_bytes += lower_size_bytes;
	r = lock = image_table_lock(dirfd, e);
	if (r >= 0)
		r = image_table_put(dirfd, &rec, e);
	image_record_free(&rec);
	return r;
}

/*
 * Many may bring one image: one process imports it, and the others find it there when they get the
 * lock.
 */
static int add(int dirfd, const struct image_source *src, const struct image_add_names *n,
	       const char *id, bool *ret_new, struct err *e)
{
	uint64_t lower_size_bytes = n->lower_size_bytes;
	struct import_result res = {0};
	int lock, r = 0;

	*ret_new = false;
	if (have(dirfd, id))
		return 0;
	lock = image_table_import_begin(dirfd, id, e);
	if (lock < 0)
		return lock;
	if (!have(dirfd, id)) {
		r = link_lowers(dirfd, id, n->lower_paths, n->n_lower_paths, e);
		if (r >= 0 && n->make_lowers)
			r = n->make_lowers(n->make_arg, id, &lower_size_bytes, e);
		if (r >= 0)
			r = import(dirfd, src, n->options, id, &res, e);
		if (r >= 0)
			r = put(dirfd, src, &res, n, lower_size_bytes, e);
		*ret_new = r >= 0;
	}
	image_table_import_done(dirfd, id, &lock);
	return r;
}

static int add_described(int dirfd, const struct image_source *src, const struct image_add_names *n,
			 char ret_id[IMAGE_ID_BYTES], bool *ret_new, struct err *e)
{
	_free_ char *id = NULL;
	bool is_new;
	int r = image_describe_id(src, &id, e);

	if (r < 0)
		return r;
	snprintf(ret_id, IMAGE_ID_BYTES, "%s", id);
	return add(dirfd, src, n, id, ret_new ? ret_new : &is_new, e);
}

int image_add(int dirfd, const struct image_source *src, const struct import_options *o,
	      char ret_id[IMAGE_ID_BYTES], bool *ret_new, struct err *e)
{
	const struct image_add_names n = {.options = o};

	return add_described(dirfd, src, &n, ret_id, ret_new, e);
}

static int name_all(int dirfd, const char *id, const struct image_add_names *n, struct err *e)
{
	_close_ int lock = image_table_lock(dirfd, e);
	int r = lock < 0 ? lock : 0;

	for (size_t i = 0; r >= 0 && i < n->names->n; i++) {
		char old[IMAGE_ID_BYTES];

		r = image_table_tag(dirfd, n->names->items[i], id, old, e);
		if (r >= 0 && *old && n->moved)
			n->moved(n->arg, n->names->items[i], old);
	}
	return r;
}

/* Somebody may delete the image between its coming and its getting a name. */
int image_add_named(int dirfd, const struct image_source *src, const struct image_add_names *n,
		    char ret_id[IMAGE_ID_BYTES], bool *ret_new, struct err *e)
{
	int r = -ENOENT;

	for (int i = 0; r == -ENOENT && i < TRIES; i++) {
		r = add_described(dirfd, src, n, ret_id, ret_new, e);
		if (r >= 0)
			r = name_all(dirfd, ret_id, n, e);
	}
	return r;
}
