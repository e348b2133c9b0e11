/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/run_mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build.h"
#include "cmd/build/dockerfile/clean.h"
#include "cmd/build/dockerfile/expand.h"
#include "cmd/build/dockerfile/mount_words.h"
#include "image/model/digest.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/spec/spec.h"

static int add(struct container_spec *spec, enum mount_kind kind, char *source, char *target,
	       const char *asked, struct mount_spec **ret, struct err *e)
{
	struct mount_spec *m = spec_add_mount(spec);

	if (!m) {
		free(source);
		free(target);
		return err_oom(e);
	}
	m->kind = kind;
	m->source = source;
	m->target = target;
	m->asked = strdup(asked);
	*ret = m;
	return m->target && m->asked ? 0 : err_oom(e);
}

/* --- RUN --mount ------------------------------------------------------------------------------ */

struct mounting {
	struct build *b;
	const struct build_stage *s;
	struct container_spec *spec;
	struct run_mounts *m;
	const char *asked;
	char *target;
};

/* A volume of the user's own, which a program inside may write to. */
static int add_cache(struct mounting *x, const struct run_mount *w, struct err *e)
{
	const char *id = w->id ? w->id : x->target;
	char name[40], lock[64];
	struct mount_spec *m;
	struct digest d;
	int r;

	if (w->from || w->source)
		return err_set(e, EOPNOTSUPP, "--mount=%s: a cache from a stage is not done",
			       x->asked);
	r = digest_of(id, strlen(id), &d, e);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "csbx-build-%.16s", d.hex);
	if (w->sharing != RUN_SHARED && x->m->n_locks < 8) {
		snprintf(lock, sizeof(lock), ".lock-%s", name);
		r = file_lock_open(x->b->cache.dirfd, lock, true);
		if (r < 0)
			return err_code(e, r, "%s/%s", x->b->cache.path, lock);
		x->m->locks[x->m->n_locks++] = r;
	}
	r = add(x->spec, MOUNT_BIND, NULL, take_ptr(x->target), x->asked, &m, e);
	if (r < 0)
		return r;
	m->readonly = w->readonly;
	m->volume = strdup(name);
	return m->volume ? 0 : err_oom(e);
}

static int add_tmpfs(struct mounting *x, const struct run_mount *w, struct err *e)
{
	struct mount_spec *m;
	int r = add(x->spec, MOUNT_TMPFS, NULL, take_ptr(x->target), x->asked, &m, e);

	if (r >= 0) {
		m->tmpfs_bytes = w->size_bytes;
		m->tmpfs_mode = w->mode_is_set ? w->mode : 0;
	}
	return r;
}

/* A directory of the context; what is named is opened beneath it, and mounted by its own path. */
static int add_bind(struct mounting *x, const struct run_mount *w, struct err *e)
{
	const struct build_context *c = &x->b->context;
	char link[40], path[4097];
	struct mount_spec *m;
	_close_ int fd = -1;
	ssize_t n;
	int r;

	if (w->from)
		return err_set(e, EOPNOTSUPP,
			       "--mount=%s: a bind from a stage or image is not done: COPY --from "
			       "takes what is needed",
			       x->asked);
	if (c->root < 0)
		return err_set(e, ENOENT, "--mount=%s: there is no context", x->asked);
	if (w->readwrite)
		return err_set(e, EOPNOTSUPP, "--mount=%s: a bind is read-only", x->asked);
	r = fd =
		path_open_in_root(c->root, w->source && *w->source ? w->source : ".", O_PATH, 0, e);
	if (r < 0)
		return err_wrap(e, "--mount=%s", x->asked);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return err_sys(e, "--mount=%s", x->asked);
	path[n] = 0;
	r = add(x->spec, MOUNT_BIND, strdup(path), take_ptr(x->target), x->asked, &m, e);
	if (r < 0)
		return r;
	m->readonly = true;
	return m->source ? 0 : err_oom(e);
}

/* --- secrets --------------------------------------------------------------------------------- */

/* The member of "id=a,src=b" with that name; caller frees, NULL: none. */
static char *member(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (; *text; text += strcspn(text, ","), text += *text == ',') {
		if (!strncmp(text, name, len) && text[len] == '=')
			return strndup(text + len + 1, strcspn(text + len + 1, ","));
	}
	return NULL;
}

/* The path of a secret's file; NULL: none was given. */
static char *secret_file(const struct build *b, const char *id)
{
	for (size_t i = 0; i < b->args->secrets.n; i++) {
		const char *item = b->args->secrets.items[i];
		_free_ char *name = member(item, "id"), *path = NULL;

		if (!name || !str_eq(name, id))
			continue;
		path = member(item, "src");
		if (!path)
			path = member(item, "source");
		return realpath(path ? path : id, NULL);
	}
	return NULL;
}

static int add_secret(struct mounting *x, const struct run_mount *w, struct err *e)
{
	const char *id = w->id ? w->id : NULL, *slash = w->target ? strrchr(w->target, '/') : NULL;
	struct mount_spec *m;
	char *path;
	int r;

	if (!id)
		id = slash ? slash + 1 : w->target;
	if (!id || !*id)
		return err_set(e, EINVAL, "--mount=%s: a secret needs an id or a target", x->asked);
	if (w->env)
		return err_set(e, EOPNOTSUPP, "--mount=%s: a secret as a variable is not done",
			       x->asked);
	path = secret_file(x->b, id);
	if (!path)
		return w->required ? err_set(e, ENOENT, "secret %s: not found", id) : 0;
	if (!x->target)
		x->target = str_printf("/run/secrets/%s", id);
	r = add(x->spec, MOUNT_BIND, path, take_ptr(x->target), x->asked, &m, e);
	if (r >= 0)
		m->readonly = true;
	return r;
}

static int add_one(struct mounting *x, const struct run_mount *w, struct err *e)
{
	if (w->target) {
		x->target = build_config_path(&x->s->config, w->target);
		if (!x->target)
			return err_oom(e);
		if (str_eq(x->target, "/"))
			return err_set(e, EINVAL, "--mount=%s: the root is no target", x->asked);
	}
	switch (w->kind) {
	case RUN_MOUNT_BIND:
		return add_bind(x, w, e);
	case RUN_MOUNT_CACHE:
		return add_cache(x, w, e);
	case RUN_MOUNT_TMPFS:
		return add_tmpfs(x, w, e);
	case RUN_MOUNT_SECRET:
		return add_secret(x, w, e);
	default:
		return err_set(e, EOPNOTSUPP, "--mount=%s: ssh is not done by csbx", x->asked);
	}
}

static int add_asked(struct mounting *x, const struct expand *values, struct err *e)
{
	struct run_mount w;
	int r = run_mount_parse(x->asked, values, &w, e);

	if (r < 0)
		return r;
	r = add_one(x, &w, e);
	free(x->target);
	x->target = NULL;
	run_mount_free(&w);
	return r;
}

int run_mounts_add(struct build *b, const struct build_stage *s, const struct instruction *i,
		   struct container_spec *spec, struct run_mounts *m, struct err *e)
{
	_strv_ struct strv values = STRV_INIT;
	const struct expand x = {.env = &values, .escape = b->dockerfile.escape};
	int r = stage_values(s, &values, e);

	if (instruction_flag(i, "device"))
		return err_set(e, EOPNOTSUPP, "RUN --device is not done by csbx");
	if (instruction_flag(i, "security") && !str_eq(instruction_flag(i, "security"), "sandbox"))
		return err_set(e, EOPNOTSUPP, "RUN --security=insecure is not done by csbx");
	for (size_t n = 0; r >= 0 && n < i->flags.n; n++) {
		struct mounting at = {b, s, spec, m, i->flags.items[n] + strlen("--mount="), NULL};

		if (str_has_prefix(i->flags.items[n], "--mount="))
			r = add_asked(&at, &x, e);
	}
	return r;
}

void run_mounts_done(struct run_mounts *m)
{
	for (unsigned i = 0; i < m->n_locks; i++)
		fd_close(&m->locks[i]);
	m->n_locks = 0;
}
