/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/volume_dir.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/docker/names.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/name.h"
#include "runtime/paths.h"

static int new_name(char **ret, struct err *e)
{
	char instance[NAME_ID_DIGITS + 1], id[NAME_CONTAINER_ID_DIGITS + 1];
	int r = name_new_id(instance, e);

	if (r >= 0)
		r = name_new_container_id(instance, id, e);
	if (r < 0)
		return r;
	*ret = strdup(id);
	return *ret ? 0 : err_set(e, ENOMEM, "out of memory");
}

int docker_volume_dir(const struct paths *p, const char *name, char **ret_name, char **ret_path,
		      struct err *e)
{
	_close_ int volumes = paths_open(p->data, "volumes", e);
	_free_ char *data = NULL, *made = NULL;
	int r = volumes < 0 ? volumes : 0;

	if (r >= 0 && name && !docker_name_is_valid(name))
		return err_set(e, EINVAL,
			       "create %s: \"%s\" includes invalid characters for a local volume "
			       "name, only \"[a-zA-Z0-9][a-zA-Z0-9_.-]\" are allowed. If you "
			       "intended to pass a host directory, use absolute path",
			       name, name);
	if (r >= 0 && name)
		made = strdup(name);
	else if (r >= 0)
		r = new_name(&made, e);
	if (r < 0)
		return r;
	data = made ? str_printf("%s/_data", made) : NULL;
	if (!data)
		return err_set(e, ENOMEM, "out of memory");
	if ((mkdirat(volumes, made, 0700) < 0 && errno != EEXIST) ||
	    (mkdirat(volumes, data, 0755) < 0 && errno != EEXIST))
		return err_sys(e, "volume %s", made);
	*ret_path = str_printf("%s/volumes/%s", p->data, data);
	*ret_name = take_ptr(made);
	return *ret_path ? 0 : err_set(e, ENOMEM, "out of memory");
}
