/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/base/json/json.h"
#include "runtime/base/str.h"
#include "runtime/server/image_meta.h"
#include "runtime/helpers/meta/meta.h"

static const char *const image_keys[] = {"architecture", "created", "config", NULL};
static const char *const config_keys[] = {"User",         "WorkingDir",  "StopSignal", "Env",
					  "Entrypoint",   "Cmd",         "Labels",     "Volumes",
					  "ExposedPorts", "Healthcheck", NULL};

static int add_str(struct flat_writer *w, uint16_t tag, const struct json *obj, const char *key,
		   struct err *e)
{
	const char *s;
	int r = json_get_str(obj, key, &s, e);

	if (r >= 0 && s && *s)
		flat_str(w, tag, s);
	return r;
}

static int add_list(struct flat_writer *w, uint16_t tag, const struct json *obj, const char *key,
		    struct err *e)
{
	_strv_ struct strv list = STRV_INIT;
	int r = json_get_strv(obj, key, &list, e);

	for (size_t i = 0; r >= 0 && i < list.n; i++)
		flat_str(w, tag, list.items[i]);
	return r;
}

/* Labels {"k":"v"} as "k=v"; a value that is null is an empty one. */
static int add_labels(struct flat_writer *w, const struct json *obj, struct err *e)
{
	const struct json *labels;
	int r = json_get_object(obj, "Labels", &labels, e);

	if (r < 0)
		return r;
	for (const struct json *m = json_first(labels); m; m = json_next(m)) {
		const char *text = json_is_null(m) ? "" : json_text(m);
		_strbuf_ struct strbuf b = STRBUF_INIT;

		if (!text)
			return err_set(e, EBADMSG, "Labels: not strings");
		strbuf_addstr(&b, json_name(m));
		strbuf_addch(&b, '=');
		strbuf_addstr(&b, text);
		r = strbuf_check(&b, e);
		if (r < 0)
			return r;
		flat_str(w, META_LABEL, strbuf_str(&b));
	}
	return 0;
}

/* Volumes and ExposedPorts {"k":{}} as "k". */
static int add_keys(struct flat_writer *w, uint16_t tag, const struct json *obj, const char *key,
		    struct err *e)
{
	const struct json *set;
	int r = json_get_object(obj, key, &set, e);

	if (r < 0)
		return r;
	for (const struct json *m = json_first(set); m; m = json_next(m))
		flat_str(w, tag, json_name(m));
	return 0;
}

/*
 * Numbers are nanoseconds, but for the retries. An object that is no check gets none of its
 * members.
 */
static int add_health(struct flat_writer *w, const struct json *c, struct err *e)
{
	static const char *const keys[][2] = {{"Interval", "interval"},
					      {"Timeout", "timeout"},
					      {"StartPeriod", "start-period"},
					      {"StartInterval", "start-interval"},
					      {"Retries", "retries"}};
	const struct json *health;
	_strv_ struct strv test = STRV_INIT;
	int r = json_get_object(c, "Healthcheck", &health, e);

	if (r < 0 || !health)
		return r;
	r = json_get_strv(health, "Test", &test, e);
	for (size_t i = 0; r >= 0 && i < test.n; i++) {
		_strbuf_ struct strbuf b = STRBUF_INIT;

		strbuf_addf(&b, "test=%s", test.items[i]);
		r = strbuf_check(&b, e);
		if (r >= 0)
			flat_str(w, META_HEALTH, strbuf_str(&b));
	}
	for (size_t i = 0; r >= 0 && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct json *m = json_member(health, keys[i][0]);
		_strbuf_ struct strbuf b = STRBUF_INIT;
		uint64_t n;

		if (!m || json_whole(m, &n) < 0 || !n)
			continue;
		strbuf_addf(&b, "%s=%llu", keys[i][1], (unsigned long long)n);
		r = strbuf_check(&b, e);
		if (r >= 0)
			flat_str(w, META_HEALTH, strbuf_str(&b));
	}
	return r;
}

static int add_runtime_part(struct flat_writer *w, const struct json *c, struct err *e)
{
	int r = json_check_keys(c, config_keys, e);

	if (r >= 0)
		r = add_str(w, META_USER, c, "User", e);
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
		r = add_labels(w, c, e);
	if (r >= 0)
		r = add_keys(w, META_VOLUME, c, "Volumes", e);
	if (r >= 0)
		r = add_keys(w, META_PORT, c, "ExposedPorts", e);
	if (r >= 0)
		r = add_health(w, c, e);
	return r;
}

static int add_document(struct flat_writer *w, const struct json *doc, struct err *e)
{
	const struct json *config;
	int r;

	if (!json_is_object(doc))
		return err_set(e, EBADMSG, "not an object");
	r = json_check_keys(doc, image_keys, e);
	if (r >= 0)
		r = add_str(w, META_ARCH, doc, "architecture", e);
	if (r >= 0)
		r = add_str(w, META_CREATED, doc, "created", e);
	if (r >= 0)
		r = json_get_object(doc, "config", &config, e);
	return r < 0 || !config ? r : add_runtime_part(w, config, e);
}

int meta_add_config(struct flat_writer *w, const char *text, size_t len, struct err *e)
{
	_json_ struct json *doc = NULL;
	int r = json_parse(text, len, JSON_CONFIG_MAX, &doc, e);

	if (r >= 0)
		r = add_document(w, doc, e);
	return r < 0 ? err_wrap(e, "image config") : 0;
}
