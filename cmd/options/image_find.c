/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/image_find.h"

#include <fcntl.h>
#include <string.h>

#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/settings/paths.h"

int images_open(const struct paths *p, struct err *e)
{
	return paths_open(p->data, IMAGE_TABLE_DIR, e);
}

int image_find(const struct paths *p, const char *operand, struct image_entry *ret, char **ret_path,
	       struct err *e)
{
	_image_entry_ struct image_entry x = {0};
	_close_ int dirfd = images_open(p, e);
	_free_ char *path = NULL;
	int r = dirfd < 0 ? dirfd : image_table_find(dirfd, operand, &x, e);

	if (r < 0)
		return r;
	path = str_printf("%s/" IMAGE_TABLE_DIR "/%s", p->data, x.file);
	if (!path)
		return err_oom(e);
	if (faccessat(dirfd, x.file, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return err_set(e, ENOENT, "%s: the image's file %s is gone: load or pull it again",
			       operand, path);
	*ret_path = take_ptr(path);
	*ret = x;
	x = (struct image_entry){0};
	return 0;
}

/* "./x", "/x" and "x.sqsh" are paths and nothing else. */
bool image_may_be_meant(const char *operand)
{
	return *operand != '/' && *operand != '.' && !str_has_suffix(operand, ".sqsh");
}

bool image_has_tag(const char *operand)
{
	const char *last = strrchr(operand, '/');

	return strpbrk(last ? last : operand, ":@") != NULL;
}

int image_missing(const char *operand, struct err *e)
{
	return err_set(e, ENOENT,
		       "there is no such image here: csbx docker pull %s fetches it under that "
		       "name, csbx import docker://%s makes a file of it",
		       operand, operand);
}
