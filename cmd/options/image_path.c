/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/image_path.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/settings/config.h"

static bool is_file(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && S_ISREG(st.st_mode);
}

int image_path_find(const struct cmd *c, const char *operand, char **ret, struct err *e)
{
	const char *dirs = c->config ? config_get(c->config, "CSBX_IMAGE_PATH") : NULL;
	const char *suffix = str_has_suffix(operand, ".sqsh") ? "" : ".sqsh";

	*ret = NULL;
	if (!*operand || strchr(operand, '/'))
		return 0;
	while (dirs && *dirs) {
		int n = (int)strcspn(dirs, ":");
		_free_ char *path = str_printf("%.*s/%s%s", n, dirs, operand, suffix);

		if (!path)
			return err_oom(e);
		if (n && *dirs != '/')
			return err_set(e, EINVAL, "CSBX_IMAGE_PATH: '%.*s' is not an absolute path",
				       n, dirs);
		if (n && is_file(path)) {
			*ret = take_ptr(path);
			return 0;
		}
		dirs += n + (dirs[n] == ':');
	}
	return 0;
}
