/* SPDX-License-Identifier: Apache-2.0 */
/* csbx's own directories: those of this start, and those of another one of the user's. */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/mount_table.h"
#include "runtime/layer/layer.h"
#include "runtime/record/step_dirs.h"
#include "runtime/settings/paths.h"
#include "runtime/start/own_dirs.h"
#include "runtime/start/own_dirs_walk.h"

/*
 * ".." may lead out again, and so may a symbolic link in the place of a directory that csbx makes
 * there. What is missing there does not: the program cannot make it. beyond: the end of path.
 */
static bool leads_elsewhere(const char *path, const char *beyond)
{
	char part[PATH_MAX];
	struct stat st;

	if (strstr(beyond, "..") || strlen(path) >= sizeof(part))
		return true;
	while (*beyond) {
		size_t n;

		beyond += strcspn(beyond, "/");
		n = (size_t)(beyond - path);
		memcpy(part, path, n);
		part[n] = 0;
		if (lstat(part, &st) < 0)
			return errno != ENOENT;
		if (S_ISLNK(st.st_mode))
			return true;
		beyond += strspn(beyond, "/");
	}
	return false;
}

static void add_once(struct strv *v, char *path)
{
	bool is_there = !path;

	for (size_t i = 0; i < v->n && !is_there; i++) {
		const char *beyond = path_beyond(v->items[i], path);

		is_there = beyond && !leads_elsewhere(path, beyond);
	}
	if (is_there && path)
		free(path);
	else
		strv_take(v, path);
}

/* Of a service HOME may not be set. */
static const char *home_of_caller(void)
{
	const char *home = getenv("HOME");
	const struct passwd *pw = home && *home ? NULL : getpwuid(geteuid());

	return pw ? pw->pw_dir : home;
}

static void add_in_variable(struct strv *v, const char *name, const char *sub)
{
	const char *dir = getenv(name);

	if (dir && *dir == '/')
		add_once(v, str_printf("%s/%s", dir, sub));
}

/* As far as can be told by paths; links and ".." may lead elsewhere. */
static bool lies_in(const char *path, const char *dir)
{
	const char *beyond = path ? path_beyond(dir, path) : NULL;

	return beyond && !leads_elsewhere(path, beyond);
}

/* Without slashes at its end; NULL: it names none. */
static char *told_path(const char *dir)
{
	char *own = dir && *dir == '/' ? strdup(dir) : NULL;
	size_t n = own ? strlen(own) : 0;

	while (n > 1 && own[n - 1] == '/')
		own[--n] = 0;
	return own;
}

/*
 * A site may have it anywhere. If the home lies in it, or volumes and clones that are there to be
 * mounted, hiding it would hide too much.
 */
static void add_told(struct strv *v, const char *dir, const struct paths *p)
{
	const char *home = home_of_caller();
	_free_ char *own = told_path(dir);

	if (own && !lies_in(home, own) && !lies_in(p->data, own) && !lies_in(p->cache, own))
		add_once(v, str_printf("%s", own));
}

/* The enroot dialect has its containers, images and sockets there, as the environment says. */
static void add_of_enroot(struct strv *v, const struct paths *p)
{
	static const char *const names[] = {
		"ENROOT_CONFIG_PATH",
		"ENROOT_DATA_PATH",
		"ENROOT_CACHE_PATH",
		"ENROOT_RUNTIME_PATH",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_told(v, getenv(names[i]), p);
}

/* The directories that another start falls back to, or has set where this one has not. */
static void add_usual(struct strv *v, const struct paths *p)
{
	static const struct {
		const char *variable, *below_home, *name;
	} usual[] = {
		{"XDG_DATA_HOME", ".local/share", "csbx"},  {"XDG_CACHE_HOME", ".cache", "csbx"},
		{"XDG_STATE_HOME", ".local/state", "csbx"}, {"XDG_CONFIG_HOME", ".config", "csbx"},
		{"XDG_CONFIG_HOME", ".config", "enroot"},
	};
	const char *home = home_of_caller();
	const unsigned uid = geteuid();

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		add_in_variable(v, usual[i].variable, usual[i].name);
		if (home && *home == '/')
			add_once(v,
				 str_printf("%s/%s/%s", home, usual[i].below_home, usual[i].name));
	}
	add_in_variable(v, "XDG_RUNTIME_DIR", "csbx");
	add_once(v, str_printf("/run/user/%u/csbx", uid));
	add_once(v, str_printf("/tmp/csbx-%u", uid));
	add_once(v, paths_scratch("/tmp")); /* TMPDIR=/tmp, where this start has another one */
	add_once(v, str_printf(STEP_DIRS_USUAL));
	add_once(v, str_printf(STEP_DIRS_OTHER));
	add_told(v, step_dirs_told(), p);
	add_of_enroot(v, p);
}

/*
 * One that another user guards is that user's matter. What is missing may be made: by whom is seen
 * when csbx tries to.
 */
static void add_if_callers(struct strv *v, const char *dir, const struct paths *p)
{
	if (dir && *dir == '/' && !own_walk_is_guarded(dir))
		add_told(v, dir, p);
}

int own_dirs_list(const struct paths *p, struct strv *ret, struct err *e)
{
	add_once(ret, str_printf("%s", p->runtime));
	add_once(ret, str_printf("%s", p->data));
	add_once(ret, str_printf("%s", p->cache));
	add_once(ret, str_printf("%s", p->layers));
	add_once(ret, scratch_root_path(p));
	for (size_t i = 0; i < p->told.n; i++)
		add_if_callers(ret, p->told.items[i], p);
	add_usual(ret, p);
	add_if_callers(ret, p->shared_cache, p);
	add_if_callers(ret, getenv("ENROOT_SYSCONF_PATH"), p); /* its hooks run outside */
	return strv_check(ret, e);
}

bool own_dirs_is_site(const char *path, const struct paths *p)
{
	_free_ char *cache = told_path(p->shared_cache);
	_free_ char *conf = told_path(getenv("ENROOT_SYSCONF_PATH"));

	return (cache && str_eq(path, cache)) || (conf && str_eq(path, conf));
}
