/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The places where the dialect keeps things. All dialects work on one store unless ENROOT_*_PATH
 * puts enroot's elsewhere: a variable of the environment wins over the files, and CSBX_* over
 * ENROOT_* where both are variables, or both in files.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/settings/config.h"
#include "runtime/record/container_store.h"
#include "runtime/spec/name.h"

/* 0: not set; 1: in a file; 2: in the environment. */
static int set_where(const struct config *c, const char *key)
{
	const struct config_key *k = config_key_find(key);
	int where = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (c->entries[i].key == k)
			where = c->entries[i].from_env ? 2 : 1;
	}
	return where;
}

/*
 * A runtime directory that a site names for every user may not be there on this node, or be
 * somebody else's: then it is csbx's own, as if none had been named.
 */
static bool is_usable(const char *key, const char *path)
{
	_close_ int fd = -1;

	if (!str_eq(key, "CSBX_RUNTIME_PATH"))
		return true;
	fd = path_open_private_dir(path, NULL);
	return fd >= 0;
}

static int translate(struct enroot *x, const char *from, const char *to, struct err *e)
{
	const struct enroot_setting *s = enroot_conf_find(&x->conf, from);
	bool from_env = s && str_eq(s->place, "the environment");

	if (!s || !*s->value || set_where(x->cmd.config, to) >= (from_env ? 2 : 1))
		return 0;
	if (*s->value != '/')
		return err_set(e, EINVAL, "%s: %s=%s: must be an absolute path", s->place, from,
			       s->value);
	if (!is_usable(to, s->value))
		return 0;
	if (config_add(x->cmd.config, config_key_find(to), s->value, strlen(s->value),
		       str_printf("%s", s->place), true) < 0)
		return err_oom(e);
	return 0;
}

int enroot_load_state(struct enroot *x, struct err *e)
{
	static const char *const keys[][2] = {
		{"ENROOT_DATA_PATH", "CSBX_DATA_PATH"},
		{"ENROOT_CACHE_PATH", "CSBX_CACHE_PATH"},
		{"ENROOT_RUNTIME_PATH", "CSBX_RUNTIME_PATH"},
	};
	int r;

	x->cmd.config = calloc(1, sizeof(*x->cmd.config));
	if (!x->cmd.config)
		return err_oom(e);
	r = config_load(x->cmd.config, e);
	if (r >= 0)
		r = enroot_conf_load(&x->conf, e);
	for (size_t i = 0; r >= 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
		r = translate(x, keys[i][0], keys[i][1], e);
	for (size_t i = 0; r >= 0 && i < x->conf.warnings.n; i++)
		enroot_warn("%s", x->conf.warnings.items[i]);
	return r < 0 ? r : paths_init(&x->cmd.paths, x->cmd.config, e);
}

void enroot_free_state(struct enroot *x)
{
	cmd_free_state(&x->cmd);
	enroot_conf_free(&x->conf);
}

enum enroot_name enroot_name_look(const struct enroot *x, const char *name)
{
	_close_ int dirfd = container_store_open_dir(&x->cmd.paths, NULL);
	struct container_record rec = {0};
	enum enroot_name ret = ENROOT_NAME_MINE;

	if (!name_is_valid(name) || dirfd < 0 || faccessat(dirfd, name, F_OK, 0) < 0)
		return ENROOT_NAME_FREE;
	/* One that cannot be read can be replaced and removed at least. */
	if (container_store_read(dirfd, name, &rec, NULL) >= 0 && rec.spec)
		ret = ENROOT_NAME_OTHERS;
	container_record_free(&rec);
	return ret;
}
