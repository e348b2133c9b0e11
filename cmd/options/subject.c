/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/image_find.h"
#include "cmd/options/image_path.h"
#include "cmd/options/resolve.h"
#include "cmd/options/run_opts.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_store.h"
#include "runtime/server/image_stack.h"
#include "runtime/server/meta_cache.h"
#include "runtime/spec/name.h"

/* Reads the image's record where the container's has none, through the cache. */
static int read_meta(struct cmd *c, int image_fd, const struct rootfs_spec *root, struct subject *s,
		     struct err *e)
{
	struct meta_source source;

	cmd_meta_source(c, &source);
	return image_stack_meta(&c->paths, image_fd, root, &source, &s->meta_record, e);
}

static int decode_meta(struct subject *s, struct err *e)
{
	const void *buf = s->record.meta ? s->record.meta : s->meta_record.data;
	size_t len = s->record.meta ? s->record.meta_len : s->meta_record.len;

	return image_meta_decode(&s->meta, buf, len, e);
}

static int take_meta(struct run_opts *o, struct subject *s, struct err *e)
{
	int r = decode_meta(s, e);

	if (r >= 0)
		o->spec.rootfs.has_user_xattrs = s->meta.has_user_xattrs;
	return r;
}

static int open_path(struct cmd *c, const char *operand, struct run_opts *o, struct subject *s,
		     struct err *e)
{
	struct rootfs_spec *root = &o->spec.rootfs;
	_close_ int fd = image_open(operand, &root->kind, &root->id, e);
	int r;

	if (fd < 0)
		return fd;
	root->path = realpath(operand, NULL);
	if (!root->path)
		return err_sys(e, "%s", operand);
	r = image_stack_find(fd, root, e);
	return r < 0 ? r : read_meta(c, fd, root, s, e);
}

/* s has its record. */
static int open_container(struct cmd *c, const char *name, struct run_opts *o, struct subject *s,
			  struct err *e)
{
	struct rootfs_spec *root = &o->spec.rootfs;
	_close_ int fd = -1;
	int r;

	fd = container_store_open_image(&c->paths, name, &s->record, &root->path, &root->id, e);
	if (fd < 0)
		return fd;
	root->kind = s->record.kind;
	o->spec.name = str_printf("%s", name);
	root->layer_path =
		str_printf("%s/%s", c->paths.layers, container_layer_name(name, &s->record));
	/* What was kept is part of the container, wherever its name is used. */
	root->reads_layer = true;
	if (!o->spec.name || !root->layer_path)
		return err_oom(e);
	r = s->record.is_stack ? image_stack_find(fd, root, e) : 0;
	return r < 0 || s->record.meta ? r : read_meta(c, fd, root, s, e);
}

static int open_name(struct cmd *c, const char *name, struct run_opts *o, struct subject *s,
		     struct err *e)
{
	int r = name_check(name, e);

	if (r >= 0)
		r = container_store_open(&c->paths, name, &s->record, e);
	return r < 0 ? r : open_container(c, name, o, s, e);
}

/*
 * A name that is neither a container nor a file may be an image that was loaded or pulled. When
 * there is no such image either, the message stays the same: r and e.
 */
static int open_image(struct cmd *c, const char *operand, struct run_opts *o, struct subject *s,
		      int r, struct err *e)
{
	_image_entry_ struct image_entry image = {0};
	_free_ char *path = NULL;
	struct err second = ERR_INIT;
	int k;

	if ((r != -ENOENT && r != -EINVAL && r != -ENOTDIR) || s->record.memory ||
	    !image_may_be_meant(operand))
		return r;
	k = image_find(&c->paths, operand, &image, &path, &second);
	if (k >= 0)
		return open_path(c, path, o, s, e);
	if (k != -EINVAL && second.origin == ERR_NO_IMAGE && image_has_tag(operand))
		return image_missing(operand, e);
	if (k == -EINVAL || second.origin == ERR_NO_IMAGE)
		return r;
	if (e)
		*e = second;
	return k;
}

/*
 * A name for which the user has no file, container or image may be an image that the site offers.
 */
static int open_site_image(struct cmd *c, const char *operand, struct run_opts *o,
			   struct subject *s, int r, struct err *e)
{
	_free_ char *path = NULL;
	struct err second = ERR_INIT;
	int k;

	if ((r != -ENOENT && r != -EINVAL) || s->record.memory)
		return r;
	k = image_path_find(c, operand, &path, &second);
	if (path)
		return open_path(c, path, o, s, e);
	if (k < 0 && e)
		*e = second;
	return k < 0 ? k : r;
}

int subject_open(struct cmd *c, const char *operand, struct run_opts *o, struct subject *ret,
		 struct err *e)
{
	int r;

	*ret = (struct subject){0};
	if (operand_kind(operand) == OPERAND_PATH)
		r = open_path(c, operand, o, ret, e);
	else
		r = open_name(c, operand, o, ret, e);
	if (r < 0)
		r = open_image(c, operand, o, ret, r, e);
	if (r < 0)
		r = open_site_image(c, operand, o, ret, r, e);
	if (r < 0 && e && e->origin == ERR_NO_CONTAINER)
		e->origin = ERR_NO_IMAGE;
	return r < 0 ? r : take_meta(o, ret, e);
}

int subject_open_read(struct cmd *c, const char *name, struct container_record *record,
		      struct run_opts *o, struct subject *ret, struct err *e)
{
	int r;

	*ret = (struct subject){.record = *record};
	*record = (struct container_record){0};
	r = open_container(c, name, o, ret, e);
	return r < 0 ? r : take_meta(o, ret, e);
}

void subject_close(struct subject *s)
{
	image_meta_free(&s->meta);
	container_record_free(&s->record);
	strbuf_free(&s->meta_record);
}
