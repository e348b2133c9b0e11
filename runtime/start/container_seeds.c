/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that csbx makes are true for one start only: another one has another network, another
 * name, another user. So a kept layer never gets them. They lie in memory, below a layer that is
 * written to, where what programs made of them wins (an overlay copies a file up that is written);
 * and of a layer that is only read they leave those alone that it has itself.
 */
#include "runtime/start/container_setup.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/start/container.h"

/*
 * Directories hide what the image has: they are made in the layer, when it is first used. One whose
 * root is closed to us was used by a program.
 */
static bool upper_is_fresh(const struct container *c)
{
	struct stat st;

	return !c->has_layer || c->is_scratch ||
	       (fstatat(c->layer.upper, "etc", &st, AT_SYMLINK_NOFOLLOW) < 0 && errno != EACCES);
}

/* True if the layer that is read says something about the path: a file, a link, a whiteout. */
static bool layer_has(const struct layer *layer, const char *path)
{
	const struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	_free_ char *beneath = str_printf("upper/%s", path);
	_close_ int fd = -1;

	if (layer->dir < 0 || !beneath)
		return false;
	fd = (int)syscall(SYS_openat2, layer->dir, beneath, &how, sizeof(how));
	return fd >= 0 || errno != ENOENT;
}

static void read_host_file(const char *path, struct strbuf *out)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0 && io_read_all(fd, 65536, out, NULL) < 0)
		strbuf_reset(out);
}

static int make_own(struct container *c, struct err *e)
{
	const struct container_spec *s = c->spec;
	_strbuf_ struct strbuf resolv = STRBUF_INIT, hosts = STRBUF_INIT;
	struct etc_request q = {.uid = s->proc.uid, .gid = s->proc.gid, .hostname = s->ns.hostname};

	if (s->ns.net == NET_HOST) {
		read_host_file("/etc/resolv.conf", &resolv);
		read_host_file("/etc/hosts", &hosts);
		q.host_network = true;
		q.host_resolv = resolv.data;
		q.host_resolv_len = resolv.len;
		q.host_hosts = hosts.data;
		q.host_hosts_len = hosts.len;
	}
	return etc_files_make(&q, c->etc, e);
}

static void add_seed(struct container *c, const struct file_spec *f)
{
	bool is_kept = c->has_layer && !c->is_scratch;
	struct file_spec *seed = &c->seeds[c->n_seeds++];

	*seed = *f;
	/* One that is to win over the layer's own comes into it, but for one that is deleted. */
	if (is_kept && f->data && (!f->refresh || (c->hooks && c->hooks->removed_after)))
		seed->is_below = true;
}

/* The user's database already has the layer's lines in it, and more. */
static bool is_user_file(const struct file_spec *f)
{
	return str_eq(f->path, "etc/passwd") || str_eq(f->path, "etc/group");
}

static bool is_wanted(const struct file_spec *f, bool is_fresh, const struct layer *read)
{
	if (!f->data)
		return is_fresh || f->refresh;
	return f->refresh || is_user_file(f) || !layer_has(read, f->path);
}

int container_collect_seeds(struct container *c, struct err *e)
{
	const struct container_spec *s = c->spec;
	bool is_fresh = upper_is_fresh(c);
	const struct layer *read = &c->read_layer;
	int r;

	c->seeds = calloc(s->n_files + ETC_FILES, sizeof(*c->seeds));
	if (!c->seeds)
		return err_oom(e);
	r = make_own(c, e);
	for (int i = ETC_HOSTS; r >= 0 && i < ETC_FILES; i++) {
		const struct file_spec f = {.path = (char *)c->etc[i].path + 1,
					    .data = (char *)strbuf_str(&c->etc[i].content),
					    .len = c->etc[i].content.len};

		if (c->etc[i].wanted && !layer_has(read, f.path))
			add_seed(c, &f);
	}
	/* Last: the caller's word on a file wins. */
	for (size_t i = 0; r >= 0 && i < s->n_files; i++) {
		if (is_wanted(&s->files[i], is_fresh, read))
			add_seed(c, &s->files[i]);
	}
	return r;
}
