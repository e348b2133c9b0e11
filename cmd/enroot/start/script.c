/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cmd/enroot/conf/script.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/start/args.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* One "ENROOT_X=value", with the value in the language of enroot.conf. */
static int set(struct enroot *x, const char *text, const char *path, struct err *e)
{
	const struct enroot_conf_env env = enroot_conf_environment();
	_strbuf_ struct strbuf value = STRBUF_INIT;
	const char *equals = strchr(text, '=');
	const struct enroot_setting *before;
	_free_ char *key = strndup(text, (size_t)(equals - text));
	_free_ char *place = key ? str_printf("%s: #%s", path, key) : NULL;
	int r;

	if (!place)
		return err_oom(e);
	before = enroot_conf_find(&x->conf, key);
	/* batch reads it for its image, and start again. */
	if (!enroot_conf_key_is_known(key, strlen(key)) &&
	    (!before || !str_eq(before->place, path)))
		enroot_warn("%s: unknown key, passed over", place);
	r = enroot_conf_expand(&env, place, equals + 1, strlen(equals + 1), &value, e);
	return r < 0 ? r : enroot_conf_set(&x->conf, key, strbuf_str(&value), path, e);
}

int enroot_script_read(struct enroot *x, const char *path, struct conf_script *ret, struct err *e)
{
	int r = conf_script_read(path, ret, e);

	if (r == -ENOENT)
		return err_set(e, ENOENT, "No such file or directory: %s", path);
	for (size_t i = 0; r >= 0 && i < ret->settings.n; i++)
		r = set(x, ret->settings.items[i], ret->path, e);
	return r;
}
