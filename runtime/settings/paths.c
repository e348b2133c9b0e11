/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settings/paths.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/settings/bundle_self.h"
#include "runtime/settings/config.h"

#define LINGER_DEFAULT_MS 60000u
#define SCOPE_TIMEOUT_DEFAULT_MS 300u

/* A variable that names a directory: relative or empty values are as good as none (XDG basedir). */
static const char *dir_from_env(const char *name)
{
	const char *v = secure_getenv(name);

	return v && *v == '/' ? v : NULL;
}

/* From the configuration, which has read the environment, or without one from the environment. */
static const char *setting(const struct config *c, const char *name)
{
	return c ? config_get(c, name) : secure_getenv(name);
}

/* CSBX_x_PATH must be usable as given: a relative one is an error, not a silent default. */
static int own_path(const struct config *c, const char *name, const char **ret, struct err *e)
{
	const char *v = setting(c, name);

	*ret = NULL;
	if (!v || !*v)
		return 0;
	if (*v != '/')
		return err_set(e, EINVAL, "%s: '%s' is not an absolute path", name, v);
	*ret = v;
	return 0;
}

static int no_home(const char *own, struct err *e)
{
	const char *home = secure_getenv("HOME");

	if (home && *home)
		return err_set(e, EINVAL,
			       "HOME is '%s', no absolute path: set it to your home directory, "
			       "or %s to a directory of yours",
			       home, own);
	return err_set(e, ENOENT,
		       "HOME is not set: set it to your home directory, or %s to a directory of "
		       "yours",
		       own);
}

/* $own, else $xdg/csbx, else $HOME/<fallback>/csbx. */
static int home_dir(const struct config *c, const char *own, const char *xdg, const char *fallback,
		    char **ret, struct err *e)
{
	const char *v, *home;
	int r = own_path(c, own, &v, e);

	if (r < 0)
		return r;
	if (v) {
		*ret = str_printf("%s", v);
	} else if ((v = dir_from_env(xdg))) {
		*ret = str_printf("%s/csbx", v);
	} else {
		home = dir_from_env("HOME");
		/* Scripts that daemons run as root, an Epilog of SLURM's, have none. */
		if (!home && !geteuid())
			home = "/root";
		if (!home)
			return no_home(own, e);
		*ret = str_printf("%s/%s/csbx", home, fallback);
	}
	return *ret ? 0 : err_oom(e);
}

static bool has(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/csbx/%s", dir, name);

	return n > 0 && (size_t)n < sizeof(path) && !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/*
 * 1: a session directory that csbx uses: the caller's own, and closed to others. A program that has a
 * mount of one can open and close it. So one that csbx has used stays in use: it is an error where it is open, and
 * one that csbx has made only to hide it stays unused.
 */
static int is_for_sockets(const char *dir, struct err *e)
{
	struct stat st;

	if (!dir || stat(dir, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return 0;
	if (!(st.st_mode & 0077))
		return !has(dir, PATHS_SESSION_UNUSED);
	if (!has(dir, "instances"))
		return 0;
	return err_set(e, EACCES,
		       "%s has csbx's sockets and is open to others (mode %04o), which is not how "
		       "csbx found it: chmod 700 %s",
		       dir, (unsigned)st.st_mode & 07777, dir);
}

/*
 * XDG_RUNTIME_DIR must be ours and closed to others; so must the session's own directory, where the
 * variable is not set (su, cron, a service). Else a directory in /tmp, checked on opening: not one
 * in the home, which may lie on another machine and where the Epilog of a batch system cannot look.
 */
static int runtime_dir(const struct config *c, char **ret, struct err *e)
{
	const char *v;
	char session[32];
	int r = own_path(c, "CSBX_RUNTIME_PATH", &v, e);

	if (r < 0)
		return r;
	if (v) {
		*ret = str_printf("%s", v);
		return *ret ? 0 : err_oom(e);
	}
	snprintf(session, sizeof(session), "/run/user/%u", geteuid());
	r = is_for_sockets(v = dir_from_env("XDG_RUNTIME_DIR"), e);
	if (!r)
		r = is_for_sockets(v = session, e);
	if (r < 0)
		return r;
	*ret = r ? str_printf("%s/csbx", v) : str_printf("/tmp/csbx-%u", geteuid());
	return *ret ? 0 : err_oom(e);
}

static int layer_dirs(const struct config *c, struct paths *p, struct err *e)
{
	const char *v;
	int r = own_path(c, "CSBX_LAYER_PATH", &v, e);

	if (r < 0)
		return r;
	p->layers = v ? str_printf("%s", v) : str_printf("%s/layers", p->data);
	r = own_path(c, "CSBX_SCRATCH_PATH", &v, e);
	if (r < 0)
		return r;
	if (!v)
		v = dir_from_env("TMPDIR");
	if (!p->layers)
		return err_oom(e);
	p->scratch = str_printf("%s", v ? v : p->layers);
	return p->scratch ? 0 : err_oom(e);
}

/* To look costs as much as to read the configuration, and many a process needs no helper. */
const char *paths_helpers(void)
{
	static const char beside[] = "/csbx-squashd";
	static const char *found;
	static char exe[PATH_MAX];
	ssize_t n = found ? 0 : readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (found)
		return found;
	found = CSBX_LIBEXECDIR;
	exe[n > 0 ? n : 0] = 0;
	slash = strrchr(exe, '/');
	if (slash && (size_t)(slash - exe) + sizeof(beside) <= sizeof(exe)) {
		memcpy(slash, beside, sizeof(beside));
		if (!access(exe, F_OK)) {
			*slash = 0;
			found = exe;
		}
	}
	return found;
}

static int duration(const struct config *c, const char *name, uint32_t fallback_ms,
		    uint32_t *ret_ms, struct err *e)
{
	const char *v = setting(c, name);
	uint64_t ms = fallback_ms;

	if (v && *v && (num_parse_duration(v, &ms) < 0 || ms > UINT32_MAX))
		return err_set(e, EINVAL, "%s: '%s' is not a duration", name, v);
	*ret_ms = (uint32_t)ms;
	return 0;
}

/* A directory, or the word none. */
static int cgroup_parent(const struct config *c, char **ret, struct err *e)
{
	const char *v = setting(c, "CSBX_CGROUP_PARENT");

	if (!v || !*v)
		return 0;
	if (*v != '/' && !str_eq(v, "none"))
		return err_set(e, EINVAL,
			       "CSBX_CGROUP_PARENT: '%s' is neither an absolute path nor none", v);
	*ret = str_printf("%s", v);
	return *ret ? 0 : err_oom(e);
}

static int shared_cache(const struct config *c, char **ret, struct err *e)
{
	const char *v;
	int r = own_path(c, "CSBX_SHARED_CACHE_PATH", &v, e);

	*ret = v ? str_printf("%s", v) : NULL;
	return r < 0 || *ret || !v ? r : err_oom(e);
}

static const struct config_entry *told_last(const struct config *c, const char *key)
{
	for (size_t i = c->n; i--;) {
		const struct config_entry *entry = &c->entries[i];

		if (!entry->from_env && str_eq(entry->key->name, key))
			return *entry->value == '/' ? entry : NULL;
	}
	return NULL;
}

static int told_dirs(const struct config *c, struct strv *ret, struct err *e)
{
	static const char *const keys[] = {"CSBX_DATA_PATH",    "CSBX_CACHE_PATH",
					   "CSBX_RUNTIME_PATH", "CSBX_LAYER_PATH",
					   "CSBX_SCRATCH_PATH", "CSBX_SHARED_CACHE_PATH"};

	for (size_t i = 0; c && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct config_entry *told = told_last(c, keys[i]);

		if (told && str_eq(keys[i], "CSBX_SCRATCH_PATH"))
			strv_take(ret, paths_scratch(told->value));
		else if (told)
			strv_add(ret, told->value);
	}
	return strv_check(ret, e);
}

/* $TMPDIR is usually open to all users, so ours is a private directory in it. */
char *paths_scratch(const char *dir)
{
	return str_printf("%s/csbx-scratch-%u", dir, geteuid());
}

int paths_init(struct paths *p, const struct config *c, struct err *e)
{
	int r;

	memset(p, 0, sizeof(*p));
	r = home_dir(c, "CSBX_DATA_PATH", "XDG_DATA_HOME", ".local/share", &p->data, e);
	if (r >= 0)
		r = home_dir(c, "CSBX_CACHE_PATH", "XDG_CACHE_HOME", ".cache", &p->cache, e);
	if (r >= 0)
		r = shared_cache(c, &p->shared_cache, e);
	if (r >= 0)
		r = runtime_dir(c, &p->runtime, e);
	if (r >= 0)
		r = layer_dirs(c, p, e);
	if (r >= 0)
		r = duration(c, "CSBX_LINGER", LINGER_DEFAULT_MS, &p->linger_ms, e);
	if (r >= 0)
		r = duration(c, "CSBX_SCOPE_TIMEOUT", SCOPE_TIMEOUT_DEFAULT_MS,
			     &p->scope_timeout_ms, e);
	if (r >= 0)
		r = cgroup_parent(c, &p->cgroup_parent, e);
	if (r >= 0)
		r = told_dirs(c, &p->told, e);
	if (r < 0)
		paths_free(p);
	return r;
}

void paths_free(struct paths *p)
{
	free(p->data);
	free(p->cache);
	free(p->shared_cache);
	free(p->runtime);
	free(p->layers);
	free(p->scratch);
	free(p->cgroup_parent);
	strv_free(&p->told);
	memset(p, 0, sizeof(*p));
}

char *paths_helper(const struct paths *p, const char *program)
{
	return p->bundle ? bundle_self_helper(p->bundle, program)
			 : str_printf("%s/%s", paths_helpers(), program);
}

/* The setting that moves a directory, by the name of a directory in it; NULL: not known. */
static const char *setting_of(const char *sub)
{
	static const struct {
		const char *sub, *name;
	} rows[] = {
		{"containers", "CSBX_DATA_PATH"}, {"volumes", "CSBX_DATA_PATH"},
		{"networks", "CSBX_DATA_PATH"},   {"runs", "CSBX_DATA_PATH"},
		{"images", "CSBX_DATA_PATH"},     {"loading", "CSBX_DATA_PATH"},
		{"servers", "CSBX_RUNTIME_PATH"}, {"instances", "CSBX_RUNTIME_PATH"},
		{"engine", "CSBX_RUNTIME_PATH"},  {"execs", "CSBX_RUNTIME_PATH"},
		{"unpacked", "CSBX_CACHE_PATH"},  {"build", "CSBX_CACHE_PATH"},
		{"repos", "CSBX_CACHE_PATH"},     {"imports", "CSBX_CACHE_PATH"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (sub && str_eq(rows[i].sub, sub))
			return rows[i].name;
	}
	return NULL;
}

int paths_explain(int r, const char *name, struct err *e)
{
	char said[sizeof(e->msg)];

	if (!name || !e ||
	    (r != -EACCES && r != -EPERM && r != -EROFS && r != -ENOENT && r != -ENOTDIR))
		return r;
	snprintf(said, sizeof(said), "%s", e->msg);
	return err_set(e, -r, "%.400s (%s may name another directory of yours)", said, name);
}

/*
 * The base is checked before the name below it is trusted: in a world-writable /tmp somebody else
 * may have made it first, with a link to a private directory of ours in it.
 */
int paths_open(const char *base, const char *sub, struct err *e)
{
	_close_ int base_fd = path_open_private_dir(base, e);
	int r;

	if (base_fd < 0)
		return paths_explain(base_fd, setting_of(sub), e);
	if (!sub || !*sub)
		return take_fd(&base_fd);
	r = path_open_private_at(base_fd, base, sub, e);
	return r < 0 ? paths_explain(r, setting_of(sub), e) : r;
}
