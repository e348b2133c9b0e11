/* SPDX-License-Identifier: Apache-2.0 */
#include <cJSON.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/server/image_meta.h"
#include "runtime/helpers/meta/meta.h"

/* The one member of that exact name, or NULL; null is as good as absent. Twice is an error. */
static int member(const cJSON *obj, const char *key, const cJSON **ret, struct err *e)
{
	*ret = NULL;
	for (const cJSON *c = obj->child; c; c = c->next) {
		if (strcmp(c->string, key) != 0)
			continue;
		if (*ret)
			return err_set(e, EBADMSG, "'%s' is there twice", key);
		*ret = c;
	}
	if (*ret && cJSON_IsNull(*ret))
		*ret = NULL;
	return 0;
}

static int add_str(struct flat_writer *w, uint16_t tag, const cJSON *obj, const char *key,
		   struct err *e)
{
	const cJSON *v;
	int r = member(obj, key, &v, e);

	if (r < 0 || !v)
		return r;
	if (!cJSON_IsString(v))
		return err_set(e, EBADMSG, "'%s' is no string", key);
	if (*v->valuestring)
		flat_str(w, tag, v->valuestring);
	return 0;
}

static int add_list(struct flat_writer *w, uint16_t tag, const cJSON *obj, const char *key,
		    struct err *e)
{
	const cJSON *v;
	int r = member(obj, key, &v, e);

	if (r < 0 || !v)
		return r;
	if (!cJSON_IsArray(v))
		return err_set(e, EBADMSG, "'%s' is no list", key);
	for (const cJSON *c = v->child; c; c = c->next) {
		if (!cJSON_IsString(c))
			return err_set(e, EBADMSG, "'%s' has something else than strings", key);
		flat_str(w, tag, c->valuestring);
	}
	return 0;
}

/* Labels {"k":"v"} as "k=v"; Volumes and ExposedPorts {"k":{}} as "k". */
static int add_keys(struct flat_writer *w, uint16_t tag, const cJSON *obj, const char *key,
		    bool with_value, struct err *e)
{
	const cJSON *v;
	int r = member(obj, key, &v, e);

	if (r < 0 || !v)
		return r;
	if (!cJSON_IsObject(v))
		return err_set(e, EBADMSG, "'%s' is no object", key);
	for (const cJSON *c = v->child; c; c = c->next) {
		_strbuf_ struct strbuf b = STRBUF_INIT;

		if (with_value && !cJSON_IsString(c))
			return err_set(e, EBADMSG, "'%s' has something else than strings", key);
		strbuf_addstr(&b, c->string);
		if (with_value) {
			strbuf_addch(&b, '=');
			strbuf_addstr(&b, c->valuestring);
		}
		r = strbuf_check(&b, e);
		if (r < 0)
			return r;
		flat_str(w, tag, strbuf_str(&b));
	}
	return 0;
}

static int add_runtime_part(struct flat_writer *w, const cJSON *c, struct err *e)
{
	int r = add_str(w, META_USER, c, "User", e);

	if (r >= 0)
		r = add_str(w, META_WORKDIR, c, "WorkingDir", e);
	if (r >= 0)
		r = add_str(w, META_STOP_SIGNAL, c, "StopSignal", e);
	if (r >= 0)
		r = add_list(w, META_ENV, c, "Env", e);
	if (r >= 0)
		r = add_list(w, META_ENTRYPOINT, c, "Entrypoint", e);
	if (r >= 0)
		r = add_list(w, META_CMD, c, "Cmd", e);
	if (r >= 0)
		r = add_keys(w, META_LABEL, c, "Labels", true, e);
	if (r >= 0)
		r = add_keys(w, META_VOLUME, c, "Volumes", false, e);
	if (r >= 0)
		r = add_keys(w, META_PORT, c, "ExposedPorts", false, e);
	return r;
}

static int add_document(struct flat_writer *w, const cJSON *root, struct err *e)
{
	const cJSON *config;
	int r;

	if (!cJSON_IsObject(root))
		return err_set(e, EBADMSG, "not an object");
	r = add_str(w, META_ARCH, root, "architecture", e);
	if (r >= 0)
		r = add_str(w, META_CREATED, root, "created", e);
	if (r >= 0)
		r = member(root, "config", &config, e);
	if (r < 0 || !config)
		return r;
	if (!cJSON_IsObject(config))
		return err_set(e, EBADMSG, "'config' is no object");
	return add_runtime_part(w, config, e);
}

/* cJSON ends a string at an escaped NUL without a word: what follows would be lost. */
static bool has_escaped_nul(const char *text, size_t len)
{
	for (const char *p = text; (p = memmem(p, len - (size_t)(p - text), "\\u0000", 6));
	     p += 6) {
		size_t slashes = 0;

		while (p - slashes > text && p[-1 - (ptrdiff_t)slashes] == '\\')
			slashes++;
		if (slashes % 2 == 0)
			return true;
	}
	return false;
}

int meta_add_config(struct flat_writer *w, const char *text, size_t len, struct err *e)
{
	const char *end = NULL;
	cJSON *root;
	int r;

	if (len > META_CONFIG_MAX)
		return err_set(e, EFBIG, "image config: larger than %u bytes", META_CONFIG_MAX);
	if (memchr(text, 0, len) || !str_is_utf8(text, len) || has_escaped_nul(text, len))
		return err_set(e, EBADMSG, "image config: not UTF-8 text");
	root = cJSON_ParseWithLengthOpts(text, len, &end, 0);
	if (!root)
		return err_set(e, EBADMSG, "image config: not JSON");
	while (end < text + len && strchr(" \t\r\n", *end))
		end++;
	if (end < text + len)
		r = err_set(e, EBADMSG, "something follows the object");
	else
		r = add_document(w, root, e);
	cJSON_Delete(root);
	return r < 0 ? err_wrap(e, "image config") : 0;
}
