/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/create.h"

#include "cmd/engine/call/call.h"
#include "cmd/engine/call/endpoint.h"
#include "runtime/base/err.h"
#include "runtime/base/json/json.h"

const char *creation_keep(struct creation *c, char *text)
{
	strv_take(&c->words, text);
	return c->words.n && c->words.items ? c->words.items[c->words.n - 1] : NULL;
}

int creation_str(const struct json *obj, const char *key, const char **ret, struct creation *c)
{
	const char *text = NULL;
	int r = call_get_str(obj, key, &text, c->e);

	if (r >= 0 && text && *text)
		*ret = text;
	return r;
}

int creation_size(const struct json *obj, const char *key, uint64_t *ret, struct creation *c)
{
	int64_t n = 0;
	int r = call_get_int(obj, key, &n, c->e);

	if (r >= 0 && n < 0)
		return err_set(c->e, EINVAL, "invalid %s: %lld", key, (long long)n);
	if (n)
		*ret = (uint64_t)n;
	return r;
}

int creation_names(const struct json *obj, const char *key, struct strv *ret, struct creation *c)
{
	const struct json *m;
	int r = call_get_object(obj, key, &m, c->e);

	if (r < 0)
		return r;
	for (const struct json *i = json_first(m); i; i = json_next(i))
		strv_add(ret, json_name(i));
	return 0;
}

int creation_pairs(const struct json *obj, const char *key, const char *sep, struct strv *ret,
		   struct creation *c)
{
	const struct json *m;
	int r = call_get_object(obj, key, &m, c->e);

	if (r < 0)
		return r;
	for (const struct json *i = json_first(m); i; i = json_next(i)) {
		if (!json_text(i))
			return err_set(c->e, EBADMSG, "invalid JSON: %s: not a map of strings",
				       key);
		strv_take(ret, str_printf("%s%s%s", json_name(i),
					  *json_text(i) || *sep == '=' ? sep : "", json_text(i)));
	}
	return 0;
}
