/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/mount_flag.h"

#include "cmd/docker/frame/names.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/spec.h"
#include "runtime/record/volume.h"

/* "." and "./x" are of the directory docker is called in; the rest of a path stays. */
char *docker_absolute_source(const char *source)
{
	_free_ char *cwd = NULL;

	if (*source != '.' || (source[1] && source[1] != '/' && source[1] != '.'))
		return strdup(source);
	cwd = getcwd(NULL, 0);
	return cwd ? str_printf("%s/%s", str_eq(cwd, "/") ? "" : cwd, source) : NULL;
}

int docker_mount_volume(const struct paths *p, const char *name, struct mount_spec *m,
			struct err *e)
{
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
	return name && *name ? volume_open(p, name, &m->volume, &m->source, e)
			     : volume_open_own(p, &m->volume, &m->source, e);
}
