/* SPDX-License-Identifier: Apache-2.0 */
#include "image/model/layer_path.h"

#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

/* Finds the beginning and end of the next component; false after the last one. */
static bool next_component(const char **p, const char **ret_start, size_t *ret_len)
{
	const char *s = *p + strspn(*p, "/");
	size_t n = strcspn(s, "/");

	*p = s + n;
	*ret_start = s;
	*ret_len = n;
	return n > 0;
}

int layer_clean_path(const char *raw, struct strbuf *out, struct err *e)
{
	const char *p = raw, *name;
	size_t len, depth = 0;

	strbuf_reset(out);
	if (strnlen(raw, LAYER_PATH_MAX + 1) > LAYER_PATH_MAX)
		return err_set(e, EBADMSG, "name of over %u bytes: %.60s...", LAYER_PATH_MAX, raw);
	while (next_component(&p, &name, &len)) {
		if (len == 1 && name[0] == '.')
			continue;
		if (len == 2 && name[0] == '.' && name[1] == '.')
			return err_set(e, EBADMSG, "name with '..': %.200s", raw);
		if (len > LAYER_NAME_MAX)
			return err_set(e, EBADMSG, "component of over %u bytes: %.60s...",
				       LAYER_NAME_MAX, name);
		if (++depth > LAYER_DEPTH_MAX)
			return err_set(e, EBADMSG, "more than %u levels deep: %.60s...",
				       LAYER_DEPTH_MAX, raw);
		if (out->len)
			strbuf_addch(out, '/');
		strbuf_add(out, name, len);
	}
	return strbuf_check(out, e);
}

bool layer_keeps_xattr(const char *name, bool keep_capabilities)
{
	size_t len = strlen(name);

	if (len > LAYER_NAME_MAX)
		return false;
	if (str_eq(name, "security.capability"))
		return keep_capabilities;
	return str_has_prefix(name, "user.") && len > 5 && !str_has_prefix(name, "user.overlay.");
}
