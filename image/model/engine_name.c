/* SPDX-License-Identifier: Apache-2.0 */
#include "image/model/engine_name.h"

#include <errno.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

#define NAME_BYTES 512u

int engine_check_name(const char *name, struct err *e)
{
	static const char first[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	static const char other[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/@-";

	if (!*name)
		return err_set(e, EINVAL, "no image name given");
	/* The name becomes part of a URL's path. */
	if (!strchr(first, *name) || strspn(name, other) != strlen(name) ||
	    strlen(name) > NAME_BYTES || strstr(name, "//") || strstr(name, "/../") ||
	    str_has_suffix(name, "/") || str_has_suffix(name, "/.."))
		return err_set(e, EINVAL, "'%.100s' is no image name", name);
	return 0;
}
