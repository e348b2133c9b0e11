/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/run_mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build.h"
#include "cmd/build/dockerfile/expand.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/record/volume.h"
#include "runtime/spec/spec.h"

/* --- what there is --------------------------------------------------------------------------- */

struct mounting {
	struct build *b;
	struct run_mounts *m;
	struct container_spec *spec;
};

/* The stage or the image that the words name; its files are made when this returns. */
static int find_source(struct build *b, struct build_stage *s, struct run_mount_item *x,
		       struct err *e)
{
	const char *name = x->words.from;

	if (!name)
		return 0;
	if (!*name)
		return err_set(e, EINVAL, "--mount=%s: from names nothing", x->asked);
	if (x->words.kind != RUN_MOUNT_BIND && x->words.kind != RUN_MOUNT_CACHE)
		return err_set(e, EINVAL, "--mount=%s: from is for bind and cache", x->asked);
	x->from = stage_of(b, name, s);
	if (x->from)
		return b->make_source(b, x->from, e);
	x->from = x->image = calloc(1, sizeof(*x->image));
	return x->from ? build_base(b, x->image, name, e) : err_oom(e);
}

static int read_one(struct build *b, struct build_stage *s, const struct expand *values,
		    struct run_mount_item *x, struct err *e)
{
	int r = run_mount_parse(x->asked, values, &x->words, e);

	if (r < 0)
		return r;
	if (x->words.target) {
		x->target = build_config_path(&s->config, x->words.target);
		if (!x->target)
			return err_oom(e);
		if (str_eq(x->target, "/"))
			return err_set(e, EINVAL, "--mount=%s: the root is no target", x->asked);
	}
	return find_source(b, s, x, e);
}

static int check_flags(const struct instruction *i, struct err *e)
{
	const char *security = instruction_flag(i, "security");

	if (instruction_flag(i, "device"))
		return err_set(e, EOPNOTSUPP,
			       "RUN --device is not done by csbx: a step has no device of the "
			       "machine; docker run has --device");
	if (security && !str_eq(security, "sandbox"))
		return err_set(e, EOPNOTSUPP,
			       "RUN --security=insecure is not done by csbx: a step has no more "
			       "rights than its user");
	return 0;
}

int run_mounts_read(struct build *b, struct build_stage *s, const struct instruction *i,
		    struct run_mounts *m, struct err *e)
{
	_strv_ struct strv values = STRV_INIT;
	const struct expand x = {.env = &values, .escape = b->dockerfile.escape};
	int r = check_flags(i, e);

	if (r >= 0)
		r = stage_values(s, &values, e);
	m->items = calloc(RUN_MOUNTS_MAX + 1, sizeof(*m->items)); /* one for a script */
	if (!m->items)
		return err_oom(e);
	for (size_t n = 0; r >= 0 && n < i->flags.n; n++) {
		struct run_mount_item *item = &m->items[m->n];

		if (!str_has_prefix(i->flags.items[n], "--mount="))
			continue;
		if (m->n == RUN_MOUNTS_MAX)
			return err_set(e, E2BIG, "more than %u mounts", RUN_MOUNTS_MAX);
		m->n++;
		item->lock = -1;
		item->asked = i->flags.items[n] + strlen("--mount=");
		r = read_one(b, s, &x, item, e);
	}
	return r;
}

int run_mounts_hash(const struct build *b, struct run_mounts *m, struct strbuf *out, struct err *e)
{
	int r = 0;

	for (unsigned n = 0; r >= 0 && n < m->n; n++) {
		struct run_mount_item *x = &m->items[n];

		if (x->from)
			key_add(out, x->from->key);
		else if (x->words.kind == RUN_MOUNT_BIND)
			r = mount_tree_hash(b, x, out, e);
	}
	return r;
}

/* --- mounts of the container ----------------------------------------------------------------- */

/* A volume of the user's own, which a program inside may write to. */
static int add_cache(struct mounting *x, struct run_mount_item *item, struct err *e)
{
	struct mount_spec *m;
	int r;

	if (item->words.source && !item->from)
		return err_set(e, EINVAL, "--mount=%s: source needs from", item->asked);
	r = run_cache_fill(x->b, item, e);
	if (r >= 0)
		r = run_mount_new(x->spec, MOUNT_BIND, NULL, strdup(item->target), item->asked, &m,
				  e);
	if (r < 0)
		return r;
	m->readonly = item->words.readonly;
	m->volume = strdup(item->cache);
	return m->volume ? 0 : err_oom(e);
}

static int add_tmpfs(struct mounting *x, struct run_mount_item *item, struct err *e)
{
	struct mount_spec *m;
	int r = run_mount_new(x->spec, MOUNT_TMPFS, NULL, strdup(item->target), item->asked, &m, e);

	if (r >= 0) {
		m->tmpfs_bytes = item->words.size_bytes;
		m->tmpfs_mode = item->words.mode_is_set ? item->words.mode : 0;
	}
	return r;
}

/* Opens the named file of the context beneath the context, and mounts it by its own path. */
static int context_path(struct mounting *x, const struct run_mount_item *item, char **ret,
			struct err *e)
{
	const char *source = item->words.source;
	char link[40], path[4097];
	_close_ int fd = -1;
	ssize_t n;
	int r = fd = path_open_in_root(x->b->context.root, source && *source ? source : ".", O_PATH,
				       0, e);

	if (r < 0)
		return err_wrap(e, "--mount=%s", item->asked);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return err_sys(e, "--mount=%s", item->asked);
	path[n] = 0;
	*ret = strdup(path);
	return *ret ? 0 : err_oom(e);
}

/* A copy for this step alone, in a volume: files of a stage, and what may be written to. */
static int tree_path(struct mounting *x, struct run_mount_item *item, char **ret, struct err *e)
{
	_free_ char *path = NULL;
	_close_ int dir = -1;
	int r = volume_open_own(&x->b->cmd->paths, &item->tree, &path, e);

	if (r < 0)
		return r;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return err_sys(e, "%s", path);
	r = mount_tree_copy(x->b, item, dir, "/mount", e);
	if (r < 0)
		return r;
	*ret = str_printf("%s/mount", path);
	return *ret ? 0 : err_oom(e);
}

static int add_bind(struct mounting *x, struct run_mount_item *item, struct err *e)
{
	const struct run_mount *w = &item->words;
	const bool is_whole = !item->from && !x->b->context.ignored.patterns.n;
	struct mount_spec *m;
	char *path = NULL;
	int r = is_whole && !w->readwrite ? context_path(x, item, &path, e)
					  : tree_path(x, item, &path, e);

	if (r < 0)
		return r;
	r = run_mount_new(x->spec, MOUNT_BIND, path, strdup(item->target), item->asked, &m, e);
	if (r >= 0)
		m->readonly = !w->readwrite;
	return r;
}

/* --- all of them ---------------------------------------------------------------------------- */

static int add_one(struct mounting *x, struct run_mount_item *item, struct err *e)
{
	switch (item->words.kind) {
	case RUN_MOUNT_BIND:
		return add_bind(x, item, e);
	case RUN_MOUNT_CACHE:
		return add_cache(x, item, e);
	case RUN_MOUNT_TMPFS:
		return add_tmpfs(x, item, e);
	case RUN_MOUNT_SECRET:
		return run_secret_add(x->b, item, x->spec, e);
	default:
		return err_set(
			e, EOPNOTSUPP,
			"--mount=%s: an agent is not passed on: RUN --mount=type=secret,id=key "
			"with --secret id=key,src=FILE gives a step the key",
			item->asked);
	}
}

int run_mounts_add(struct build *b, const struct build_stage *s, struct run_mounts *m,
		   struct container_spec *spec, struct err *e)
{
	struct mounting x = {b, m, spec};
	int r = run_caches_open(b, m, e);

	for (unsigned n = 0; r >= 0 && n < m->n; n++)
		r = add_one(&x, &m->items[n], e);
	return r < 0 ? r : mount_targets_find(b, s, m, e);
}

void run_mounts_done(struct build *b, struct run_mounts *m)
{
	for (unsigned n = 0; n < m->n; n++) {
		struct run_mount_item *x = &m->items[n];

		if (x->tree)
			(void)volume_remove(&b->cmd->paths, x->tree, NULL);
		if (x->image)
			stage_free(x->image);
		free(x->image);
		free(x->tree);
		free(x->target);
		run_mount_free(&x->words);
		fd_close(&x->lock);
	}
	free(m->items);
	*m = (struct run_mounts){0};
}
