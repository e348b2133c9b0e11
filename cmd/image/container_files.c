/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/container_files.h"

#include "cmd/cmd.h"
#include "cmd/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/merged_view.h"
#include "runtime/name.h"

/* spec: the container's; a copy with another root is asked for where the image is unpacked. */
static int attach(struct cmd *c, const struct container_spec *spec, struct container_files *f,
		  struct err *e)
{
	struct container_spec unpacked = *spec;
	bool needed = spec->rootfs.kind == ROOTFS_SQUASHFS && unpacked_is_needed();
	int r = needed ? -SQUASHD_NO_FUSE : squashd_attach(&c->paths, spec, &f->map, &f->link, e);

	if (r != -SQUASHD_NO_FUSE || spec->rootfs.kind == ROOTFS_DIRECTORY)
		return r;
	r = unpacked_open(&c->paths, &spec->rootfs, &f->unpacked, e);
	if (r < 0)
		return r;
	unpacked.rootfs = f->unpacked.root;
	return squashd_attach(&c->paths, &unpacked, &f->map, &f->link, e);
}

int container_files_open(struct cmd *c, const char *name, struct run_opts *o,
			 struct container_files *f, struct err *e)
{
	struct container_spec *s = &o->spec;
	int r = name_check(name, e);

	if (r >= 0)
		r = subject_open(c, name, o, &f->subject, e);
	if (r >= 0)
		r = f->is_writable ? layer_open(&c->paths, name, false, &f->layer, e)
				   : layer_read(&c->paths, name, &f->layer, e);
	if (r < 0)
		return r;
	s->rootfs.upper = f->layer.dir < 0 ? UPPER_READONLY : UPPER_KEPT;
	r = resolve_main_user(&f->subject, o, e);
	if (r >= 0)
		r = userns_map_for(s->proc.uid, s->proc.gid, s->ns.userns, &f->map, e);
	return r < 0 ? r : attach(c, s, f, e);
}

int container_files_enter(const struct container_files *f, const struct container_spec *s,
			  struct err *e)
{
	const struct rootfs_spec *root = f->unpacked.root.path ? &f->unpacked.root : &s->rootfs;
	const struct merged_view v = {
		.userns_fd = f->link.userns_fd,
		.image_fd = root->kind == ROOTFS_DIRECTORY ? -1 : f->link.image_fd,
		.directory = root->path,
		.dev = root->id.dev,
		.ino = root->id.ino,
		.layer_fd = f->layer.dir,
		.layer_path = f->layer.path,
		.is_writable = f->is_writable,
	};

	return merged_view_enter(&v, e);
}

int container_files_sync(struct container_files *f, struct err *e)
{
	return f->is_writable && f->layer.dir >= 0 ? layer_clean(&f->layer, e) : 0;
}

void container_files_close(struct container_files *f)
{
	squashd_link_close(&f->link);
	layer_close(&f->layer);
	unpacked_close(&f->unpacked);
	subject_close(&f->subject);
}
