/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/mount_spec.h"

#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/path.h"
#include "runtime/spec/spec.h"

static bool is_absolute(const char *s)
{
	return s[0] == '/';
}

/* Without doubled and final slashes, so that one place has one name. */
static char *normal_target(const char *s)
{
	char *copy = strdup(s), *out = copy;

	if (!copy)
		return NULL;
	for (; *s; s++) {
		if (*s == '/' && (s[1] == '/' || (!s[1] && out > copy)))
			continue;
		*out++ = *s;
	}
	*out = 0;
	return copy;
}

int mount_set_target(struct mount_spec *m, const char *target, struct err *e)
{
	if (m->target)
		return err_set(e, EINVAL, "two targets");
	if (!is_absolute(target))
		return err_set(e, EINVAL, "the target '%s' must be an absolute path", target);
	m->target = normal_target(target);
	if (!m->target)
		return err_oom(e);
	if (!path_is_clean_absolute(m->target))
		return err_set(e, EINVAL, "'.' or '..' in the target '%s'", target);
	return 0;
}
