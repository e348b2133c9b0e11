/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/record/container_index.h"
#include "runtime/record/container_store.h"
#include "runtime/record/image_pin.h"
#include "runtime/record/instance.h"
#include "runtime/layer/layer.h"
#include "runtime/server/image_stack.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/flat.h"
#include "runtime/spec/image_id.h"
#include "runtime/kernel/temp_dir.h"

struct build {
	const struct paths *paths;
	const struct container_create *how;
	int dirfd;  /* containers/ */
	int temp;   /* the shared lock */
	int tmp_fd; /* the directory being built */
	int image_fd;
	struct rootfs_spec root; /* the parts of the image */
	char tmp[TEMP_NAME_BYTES], id[NAME_CONTAINER_ID_DIGITS + 1];
	struct strbuf spec;
	struct container_record record;
};

/*
 * A stack's files stay or go together: those below are in place first, and without a link there is
 * nothing to be shared with other images of the same base.
 */
static int pin_stack(struct build *b, struct err *e)
{
	struct container_record *rec = &b->record;
	char name[32];

	for (size_t i = 0; i < b->root.n_lowers; i++) {
		snprintf(name, sizeof(name), "image.%zu", i);
		if (linkat(AT_FDCWD, b->root.lowers[i].path, b->tmp_fd, name, 0) < 0)
			return err_sys(e, "link %s", b->root.lowers[i].path);
	}
	rec->is_stack = true;
	rec->pin = image_pin_cheaply(b->image_fd, b->tmp_fd, &rec->id);
	return rec->pin == PIN_PATH
		       ? err_set(e, EXDEV, "link %s: not on the same file system", b->root.path)
		       : 0;
}

static int pin(struct build *b, struct err *e)
{
	const struct container_create *how = b->how;
	struct container_record *rec = &b->record;

	rec->pin = PIN_PATH;
	if (rec->kind == ROOTFS_DIRECTORY)
		return 0;
	if (b->root.n_lowers)
		return pin_stack(b, e);
	if (how->always_pin)
		return image_pin_always(b->image_fd, b->tmp_fd, how->pin_view, &rec->id, &rec->pin,
					e);
	rec->pin = image_pin_cheaply(b->image_fd, b->tmp_fd, &rec->id);
	return 0;
}

/* --- build -------------------------------------------------------------------------------- */

static int write_record(struct build *b, struct err *e)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_close_ int fd = -1;
	int r = container_record_encode(&b->record, &bytes, e);

	if (r < 0)
		return r;
	/* One that was made ahead is empty. */
	fd = openat(b->tmp_fd, "record", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "make record");
	r = io_write_all(fd, bytes.data, bytes.len, e);
	return r < 0 ? err_wrap(e, "record") : 0;
}

static bool takes_ahead(const struct build *b)
{
	return b->how->traits && b->how->traits->auto_remove && temp_take_ahead(b->dirfd, b->tmp);
}

static int build(struct build *b, struct err *e)
{
	int r;

	b->temp = temp_begin(b->dirfd, e);
	if (b->temp < 0)
		return b->temp;
	r = temp_name(b->tmp, e);
	if (r < 0)
		return r;
	if (!takes_ahead(b) && mkdirat(b->dirfd, b->tmp, 0700) < 0)
		return err_sys(e, "make directory");
	b->tmp_fd = openat(b->dirfd, b->tmp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b->tmp_fd < 0)
		return err_sys(e, "open directory");
	r = pin(b, e);
	return r < 0 ? r : write_record(b, e);
}

static bool fill_ahead(int dir)
{
	_close_ int record =
		openat(dir, "record", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return record >= 0 && mkdirat(dir, "run", 0700) == 0;
}

void container_store_make_ahead(int dirfd)
{
	_close_ int temp = -1, dir = -1;
	char tmp[TEMP_NAME_BYTES];

	if (faccessat(dirfd, TEMP_AHEAD, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return;
	temp = temp_begin(dirfd, NULL);
	if (temp < 0 || temp_name(tmp, NULL) < 0 || mkdirat(dirfd, tmp, 0700) < 0)
		return;
	dir = openat(dirfd, tmp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || !fill_ahead(dir) || !temp_put_ahead(dirfd, tmp))
		(void)path_remove_tree_at(dirfd, tmp, NULL);
}

/* --- into place --------------------------------------------------------------------------- */

/* One that stays is never replaced: -f is for the others. */
static int name_is_taken(const struct build *b, struct err *e)
{
	if (b->how->spec)
		return err_set(e, EEXIST,
			       "a container of that name exists (csbx remove %s gives the name "
			       "back, --name gives another)",
			       b->how->name);
	return err_set(e, EEXIST, "a container of that name exists (-f replaces it)");
}

/* rename(2): a directory that is not empty is never replaced. */
static int move_in(struct build *b, struct err *e)
{
	if (!renameat(b->dirfd, b->tmp, b->dirfd, b->how->name))
		return 0;
	/* ENOTDIR: a file, which is a damaged container too. */
	if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR)
		return name_is_taken(b, e);
	return err_sys(e, "rename");
}

/*
 * The old container leaves under the name the new one was built by, in one step where the file
 * system can exchange names. The old layer lies on another image and goes first.
 */
static int replace(struct build *b, struct err *e)
{
	char old[TEMP_NAME_BYTES];
	int r;

	for (;;) {
		r = move_in(b, e);
		if (r != -EEXIST)
			return r;
		if (!renameat2(b->dirfd, b->tmp, b->dirfd, b->how->name, RENAME_EXCHANGE)) {
			return path_remove_tree_at(b->dirfd, b->tmp, e);
		} else if (errno == EINVAL || errno == ENOSYS) {
			r = temp_move_away(b->dirfd, b->how->name, old, e);
			if (r >= 0)
				r = path_remove_tree_at(b->dirfd, old, e);
			if (r < 0 && r != -ENOENT)
				return r;
		} else if (errno != ENOENT) {
			return err_sys(e, "rename");
		}
	}
}

static int replace_recipe(struct build *b, struct err *e)
{
	struct layer layer;
	int r = b->how->while_running ? 0 : instance_refuse_running(b->paths, b->how->name, e);

	if (r >= 0)
		r = layer_hold(b->paths, b->how->name, &layer, e);
	if (r < 0)
		return r;
	r = layer_destroy(&layer, e);
	if (r >= 0)
		r = replace(b, e);
	layer_close(&layer);
	return r;
}

static int replace_idle(struct build *b, struct err *e)
{
	struct container_record old = {0};
	int r = container_store_read(b->dirfd, b->how->name, &old, NULL);

	/* One that stays has locks, a layer and volumes of its own: it goes first. */
	if (r >= 0 && old.spec)
		r = b->how->recipes_only ? name_is_taken(b, e)
					 : container_store_remove(b->paths, b->how->name, e);
	else
		r = 0;
	if (r >= 0 || r == -ENOENT)
		r = replace_recipe(b, e);
	if (r >= 0 && old.container_id)
		container_index_remove(b->dirfd, old.container_id);
	container_record_free(&old);
	return r;
}

/* --- all of it ---------------------------------------------------------------------------- */

static bool was_read(const struct build *b)
{
	const struct rootfs_spec *root = b->how->read_root;

	return root && root->path && !root->n_lowers && root->kind == ROOTFS_SQUASHFS &&
	       b->record.kind == ROOTFS_SQUASHFS && b->how->read_meta->len &&
	       image_id_same(&root->id, &b->record.id);
}

static void take_read(struct build *b)
{
	b->record.image = b->how->read_root->path;
	b->record.meta = b->how->read_meta->data;
	b->record.meta_len = b->how->read_meta->len;
}

static int open_source(struct build *b, struct strbuf *meta, char **ret_path, struct err *e)
{
	struct container_record *rec = &b->record;
	int r;

	b->image_fd = image_open(b->how->image, &rec->kind, &rec->id, e);
	if (b->image_fd < 0)
		return b->image_fd;
	if (was_read(b)) {
		take_read(b);
		return 0;
	}
	*ret_path = realpath(b->how->image, NULL);
	if (!*ret_path)
		return err_sys(e, "%s", b->how->image);
	rec->image = *ret_path;
	if (rec->kind == ROOTFS_DIRECTORY)
		return 0;
	b->root = (struct rootfs_spec){.path = *ret_path, .kind = rec->kind, .id = rec->id};
	r = image_stack_find(b->image_fd, &b->root, e);
	if (r < 0)
		return r;
	if (image_stack_meta(b->paths, b->image_fd, &b->root, b->how->meta, meta, e) < 0)
		return err_wrap(e, "%s", b->how->image);
	rec->meta = meta->data;
	rec->meta_len = meta->len;
	return 0;
}

/* Id, specification, and what else was asked for; the pointers are the caller's and the build's. */
static int set_life(struct build *b, struct err *e)
{
	const struct container_record *t = b->how->traits;
	struct container_record *rec = &b->record;
	char instance[NAME_ID_DIGITS + 1];
	int r = name_new_id(instance, e);

	if (r >= 0)
		r = name_new_container_id(b->how->spec ? b->how->spec->id : instance, b->id, e);
	if (r < 0)
		return r;
	rec->container_id = b->id;
	if (t) {
		rec->dialect = t->dialect;
		rec->labels = t->labels;
		rec->notes = t->notes;
		rec->image_ref = t->image_ref;
		rec->image_digest = t->image_digest;
		rec->owner = t->owner;
		rec->auto_remove = t->auto_remove;
		rec->open_stdin = t->open_stdin;
	}
	if (!b->how->spec)
		return 0;
	r = spec_flat_write(b->how->spec, &b->spec, e);
	rec->spec = b->spec.data;
	rec->spec_len = b->spec.len;
	return r;
}

static int create(struct build *b, struct err *e)
{
	int r = build(b, e);

	if (r >= 0)
		r = container_index_put(b->dirfd, b->id, b->how->name, e);
	if (r >= 0)
		r = b->how->replace ? replace_idle(b, e) : move_in(b, e);
	if (r < 0)
		container_index_remove(b->dirfd, b->id);
	if (r < 0 && *b->tmp)
		(void)path_remove_tree_at(b->dirfd, b->tmp, NULL);
	return r;
}

int container_store_create_id(const struct paths *p, const struct container_create *how,
			      enum image_pin *ret_pin, char ret_id[NAME_CONTAINER_ID_DIGITS + 1],
			      struct err *e)
{
	struct build b = {
		.paths = p, .how = how, .dirfd = -1, .temp = -1, .tmp_fd = -1, .image_fd = -1};
	_strbuf_ struct strbuf meta = STRBUF_INIT;
	_free_ char *path = NULL;
	int r = name_check(how->name, e);

	b.record.created_ns = clock_realtime_ns();
	if (r >= 0)
		r = b.dirfd = container_store_open_dir(p, e);
	/* A name that is taken is said before the image is looked at. */
	if (r >= 0 && !how->replace && !faccessat(b.dirfd, how->name, F_OK, AT_SYMLINK_NOFOLLOW))
		r = name_is_taken(&b, e);
	if (r >= 0)
		r = open_source(&b, &meta, &path, e);
	if (r >= 0)
		r = set_life(&b, e);
	if (r >= 0)
		r = create(&b, e);
	strbuf_free(&b.spec);
	rootfs_free_lowers(&b.root);
	fd_close(&b.image_fd);
	fd_close(&b.tmp_fd);
	fd_close(&b.temp);
	fd_close(&b.dirfd);
	if (r >= 0 && ret_pin)
		*ret_pin = b.record.pin;
	if (r >= 0 && ret_id)
		memcpy(ret_id, b.id, sizeof(b.id));
	return r < 0 ? r : 0;
}

int container_store_create(const struct paths *p, const struct container_create *how,
			   enum image_pin *ret_pin, struct err *e)
{
	return container_store_create_id(p, how, ret_pin, NULL, e);
}
