/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/mount_flag.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/docker/daemon/run_mounts.h"
#include "cmd/docker/frame/names.h"
#include "cmd/docker/show/events.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/settings/paths.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/spec.h"
#include "runtime/record/volume.h"
#include "runtime/start/own_dirs.h"

/* "." and "./x" are of the directory docker is called in; the rest of a path stays. */
char *docker_absolute_source(const char *source)
{
	_free_ char *cwd = NULL;

	if (*source != '.' || (source[1] && source[1] != '/' && source[1] != '.'))
		return strdup(source);
	cwd = getcwd(NULL, 0);
	return cwd ? str_printf("%s/%s", str_eq(cwd, "/") ? "" : cwd, source) : NULL;
}

static void note(const struct paths *p, const char *action, const char *name)
{
	_strv_ struct strv driver = STRV_INIT;

	strv_add(&driver, "driver=local");
	if (!driver.failed)
		docker_event(p, "volume", action, name, &driver);
}

void docker_volumes_note_gone(const struct paths *p, const struct container_spec *s)
{
	uint64_t created_ns;

	for (size_t i = 0; i < s->n_mounts; i++) {
		_free_ char *path = NULL;

		if (volume_is_own(&s->mounts[i]) &&
		    volume_look(p, s->mounts[i].volume, &created_ns, &path, NULL) == -ENOENT)
			note(p, "destroy", s->mounts[i].volume);
	}
}

int docker_mount_volume(const struct paths *p, const char *name, struct mount_spec *m,
			struct err *e)
{
	int r;

	m->copy_up = true;
	if (name && name[0] && !name[1])
		return err_set(e, EINVAL,
			       "create %s: volume name is too short, names should be at least two "
			       "alphanumeric characters",
			       name);
	if (name && *name && !docker_name_is_valid(name))
		return err_set(e, EINVAL,
			       "create %s: \"%s\" includes invalid characters for a local volume "
			       "name, only \"[a-zA-Z0-9][a-zA-Z0-9_.-]\" are allowed. If you "
			       "intended to pass a host directory, use absolute path",
			       name, name);
	/* Before it is made. */
	r = policy_check(FORBID_BIND, e);
	if (r < 0)
		return r;
	r = name && *name ? volume_open(p, name, &m->volume, &m->source, e)
			  : volume_open_own(p, &m->volume, &m->source, e);
	/* Docker tells it also of one that is there. */
	if (r >= 0)
		note(p, "create", m->volume);
	return r;
}

static int refuse(const char *path, int code, const char *name, struct err *e)
{
	return err_set(e, code, "error while creating mount source path '%s': mkdir %s: %s", path,
		       name, code == EACCES ? "permission denied" : err_text(code));
}

/* One name; another process may have made it meanwhile, but no link is entered. */
static int make_one(int dir, const char *path, const char *name, const char *shown, struct err *e)
{
	int fd;

	if (str_is_dots(name))
		return refuse(path, ENOENT, shown, e);
	if (mkdirat(dir, name, 0755) < 0 && errno != EEXIST)
		return refuse(path, errno, shown, e);
	fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? refuse(path, errno, shown, e) : fd;
}

int docker_make_source(const struct paths *p, const char *path, struct err *e)
{
	char rest[PATH_MAX], *save = NULL;
	_close_ int dir = path_open_source(path, 0, NULL);
	struct err why = ERR_INIT;
	bool is_rest;
	size_t len;
	int r;

	if (dir >= 0)
		return 0;
	dir = path_open_nearest(path, rest, &why);
	/* A file is a source too; the start reports a path behind a file, or one that is closed. */
	if (dir < 0)
		return dir == -ELOOP ? err_set(e, ELOOP, "%s", why.msg)
				     : refuse(path, why.code, path, e);
	is_rest = str_has_suffix(path, rest);
	len = strlen(rest);
	r = policy_check(FORBID_BIND, e);
	if (r >= 0)
		r = own_dirs_check_new(p, dir, rest, path, e);
	for (char *name = strtok_r(rest, "/", &save); r >= 0 && name;
	     name = strtok_r(NULL, "/", &save)) {
		/* As far as the path is, where no link has changed the rest of it. */
		_free_ char *shown =
			is_rest ? str_printf("%.*s",
					     (int)(strlen(path) - len + (size_t)(name - rest) +
						   strlen(name)),
					     path)
				: strdup(name);
		int below = make_one(dir, path, name, shown ? shown : name, e);

		if (below < 0)
			return below;
		fd_close(&dir);
		dir = below;
	}
	return r;
}
