/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/container_files.h"

#include "cmd/frame/cmd.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_find.h"
#include "runtime/record/container_store.h"
#include "runtime/layer/merged_view.h"
#include "runtime/spec/name.h"
#include "runtime/spec/flat.h"
#include "runtime/start/own_dirs_view.h"

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

/* A container that stays says itself who its main user is, and what is mounted; a recipe's user is
 * the image's. */
static int set_own(struct container_files *f, struct run_opts *o, struct err *e)
{
	const struct container_record *rec = &f->subject.record;
	struct container_spec kept;
	int r;

	if (!rec->spec)
		return resolve_main_user(&f->subject, o, e);
	r = spec_flat_read(&kept, rec->spec, rec->spec_len, e);
	if (r < 0)
		return r;
	o->spec.proc.uid = kept.proc.uid;
	o->spec.proc.gid = kept.proc.gid;
	o->spec.ns.userns = kept.ns.userns;
	o->spec.mounts = take_ptr(kept.mounts);
	o->spec.n_mounts = kept.n_mounts;
	kept.n_mounts = 0;
	spec_free(&kept);
	return 0;
}

/* Its name, whatever it was found by. A name that only an image has is no container's. */
static int find_name(struct cmd *c, const char *operand, char name[NAME_BYTES_MAX + 1],
		     struct err *e)
{
	struct container_found found;
	int r = container_find(&c->paths, operand, &found, e);

	if (r < 0)
		return r;
	container_record_free(&found.record);
	memcpy(name, found.name, NAME_BYTES_MAX + 1);
	return 0;
}

int container_files_open(struct cmd *c, const char *operand, struct run_opts *o,
			 struct container_files *f, struct err *e)
{
	struct container_spec *s = &o->spec;
	const char *layer;
	int r = find_name(c, operand, f->name, e);

	f->paths = &c->paths;
	if (r >= 0)
		r = subject_open(c, f->name, o, &f->subject, e);
	if (r < 0)
		return r;
	layer = container_layer_name(f->name, &f->subject.record);
	if (f->only_looks)
		r = layer_look(&c->paths, layer, &f->layer, e);
	else
		r = f->is_writable ? layer_open(&c->paths, layer, 0, &f->layer, e)
				   : layer_read(&c->paths, layer, &f->layer, e);
	if (r < 0)
		return r;
	s->rootfs.upper = f->layer.dir < 0 ? UPPER_READONLY : UPPER_KEPT;
	r = set_own(f, o, e);
	if (r >= 0)
		r = userns_map_for(s->proc.uid, s->proc.gid, s->ns.userns, &f->map, e);
	return r < 0 ? r : attach(c, s, f, e);
}

int container_files_of_image(struct cmd *c, const char *path, struct run_opts *o,
			     struct container_files *f, struct err *e)
{
	struct container_spec *s = &o->spec;
	int r = subject_open(c, path, o, &f->subject, e);

	f->paths = &c->paths;
	s->rootfs.upper = UPPER_READONLY;
	if (r >= 0)
		r = userns_map_for(s->proc.uid, s->proc.gid, s->ns.userns, &f->map, e);
	return r < 0 ? r : attach(c, s, f, e);
}

int container_files_check(struct cmd *c, struct container_files *f, struct err *e)
{
	const char *id = f->subject.record.container_id;
	struct container_found found;
	int r = id ? container_find_again(&c->paths, f->name, id, &found, e)
		   : container_find(&c->paths, f->name, &found, e);

	if (r >= 0)
		container_record_free(&found.record);
	else if (r == -ENOENT && f->is_writable && f->layer.dir >= 0)
		(void)layer_destroy(&f->layer, NULL);
	return r;
}

int container_files_enter(const struct container_files *f, const struct container_spec *s,
			  struct err *e)
{
	const struct rootfs_spec *root = f->unpacked.root.path ? &f->unpacked.root : &s->rootfs;
	struct own_view *own = NULL;
	struct merged_view v = {
		.userns_fd = f->link.userns_fd,
		.root = root,
		.image_fds = f->link.image_fds,
		.layer_fd = f->layer.dir,
		.layer_path = f->layer.path,
		.is_writable = f->is_writable,
		.mounts = s->mounts,
		.n_mounts = s->n_mounts,
		.hide = own_view_hide,
	};
	int r = own_view_open(f->paths, s->mounts, s->n_mounts, &own, e);

	v.hide_arg = own;
	if (r >= 0)
		r = merged_view_enter(&v, e);
	own_view_close(&own);
	return r;
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
