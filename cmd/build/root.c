/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/root.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/build/cache.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/layer/merged_view.h"
#include "runtime/server/user_files.h"

#define EMPTY "empty" /* the root of FROM scratch */

void build_root_free(struct build_root *r)
{
	free(r->image);
	strv_free(&r->layers);
	*r = (struct build_root){0};
}

int build_root_copy(struct build_root *to, const struct build_root *from, struct err *e)
{
	*to = (struct build_root){.image = from->image ? strdup(from->image) : NULL};
	memcpy(to->image_id, from->image_id, sizeof(to->image_id));
	for (size_t i = 0; i < from->layers.n; i++)
		strv_add(&to->layers, from->layers.items[i]);
	if (from->image && !to->image)
		return err_oom(e);
	return strv_check(&to->layers, e);
}

static int empty_path(const struct build_cache *cache, char **ret, struct err *e)
{
	if (mkdirat(cache->dirfd, EMPTY, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "%s/" EMPTY, cache->path);
	*ret = str_printf("%s/" EMPTY, cache->path);
	return *ret ? 0 : err_oom(e);
}

int build_root_open(struct cmd *c, const struct build_cache *cache, const struct build_root *r,
		    struct run_opts *o, struct subject *ret, struct err *e)
{
	_free_ char *empty = NULL;
	int got = r->image ? 0 : empty_path(cache, &empty, e);

	*ret = (struct subject){0};
	if (got >= 0)
		got = subject_open(c, r->image ? r->image : empty, o, ret, e);
	for (size_t i = 0; got >= 0 && i < r->layers.n; i++)
		strv_add(&o->spec.rootfs.layers, r->layers.items[i]);
	if (got >= 0 && r->layers.n > SPEC_LAYERS_MAX)
		return err_set(
			e, E2BIG,
			"more than %u steps change files; join some of them, or build a base "
			"image first",
			SPEC_LAYERS_MAX);
	return got < 0 ? got : strv_check(&o->spec.rootfs.layers, e);
}

/* The topmost step that has the file. */
static bool read_layers(const struct build_root *r, const char *name, struct strbuf *out)
{
	for (size_t i = r->layers.n; i-- > 0;) {
		_close_ int fd =
			open(r->layers.items[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0 && user_file_read(fd, name, out))
			return true;
	}
	return false;
}

void build_root_users(const struct build_root *r, const struct subject *s, struct strbuf memory[2],
		      struct user_db *ret)
{
	const struct image_meta *m = &s->meta;

	*ret = (struct user_db){m->passwd, m->group, m->passwd_len, m->group_len};
	if (read_layers(r, "etc/passwd", &memory[0])) {
		ret->passwd = strbuf_str(&memory[0]);
		ret->passwd_len = memory[0].len;
	}
	if (read_layers(r, "etc/group", &memory[1])) {
		ret->group = strbuf_str(&memory[1]);
		ret->group_len = memory[1].len;
	}
}

/* --- seen from inside ------------------------------------------------------------------------ */

static int attach(struct cmd *c, struct build_view *v, struct err *e)
{
	const struct container_spec *spec = &v->opts.spec;
	struct container_spec unpacked = *spec;
	bool needed = spec->rootfs.kind == ROOTFS_SQUASHFS && unpacked_is_needed();
	int r = needed ? -SQUASHD_NO_FUSE : squashd_attach(&c->paths, spec, &v->map, &v->link, e);

	if (r != -SQUASHD_NO_FUSE || spec->rootfs.kind == ROOTFS_DIRECTORY)
		return r;
	r = unpacked_open(&c->paths, &spec->rootfs, &v->unpacked, e);
	if (r < 0)
		return r;
	unpacked.rootfs = v->unpacked.root;
	return squashd_attach(&c->paths, &unpacked, &v->map, &v->link, e);
}

int build_view_open(struct cmd *c, const struct build_cache *cache, const struct build_root *r,
		    const struct build_step *step, struct build_view *v, struct err *e)
{
	int got;

	*v = (struct build_view){
		.layer = LAYER_INIT, .unpacked = UNPACKED_INIT, .link = SQUASHD_LINK_INIT};
	run_opts_init(&v->opts);
	got = build_root_open(c, cache, r, &v->opts, &v->subject, e);
	if (got >= 0 && step) {
		v->is_writable = true;
		got = layer_open(&cache->paths, step->name, LAYER_GOES, &v->layer, e);
	}
	v->opts.spec.rootfs.upper = step ? UPPER_KEPT : UPPER_READONLY;
	if (got >= 0)
		got = userns_map_for(0, 0, v->opts.spec.ns.userns, &v->map, e);
	return got < 0 ? got : attach(c, v, e);
}

int build_view_enter(const struct build_view *v, struct err *e)
{
	const struct merged_view m = {
		.userns_fd = v->link.userns_fd,
		.root = v->unpacked.root.path ? &v->unpacked.root : &v->opts.spec.rootfs,
		.image_fds = v->link.image_fds,
		.layer_fd = v->layer.dir,
		.layer_path = v->layer.path,
		.is_writable = v->is_writable,
	};

	return merged_view_enter(&m, e);
}

void build_view_close(struct build_view *v)
{
	squashd_link_close(&v->link);
	layer_close(&v->layer);
	unpacked_close(&v->unpacked);
	subject_close(&v->subject);
	run_opts_done(&v->opts);
}
