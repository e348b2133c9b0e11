/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/config/image_config.h"

#include <stdlib.h>

#include "image/oci/platform.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"

void build_config_free(struct build_config *c)
{
	struct strv *lists[] = {&c->env,   &c->cmd,     &c->entrypoint, &c->shell,  &c->on_build,
				&c->ports, &c->volumes, &c->labels,     &c->history};
	char *texts[] = {c->arch,    c->variant,     c->os,     c->author,      c->user,
			 c->workdir, c->stop_signal, c->health, c->inline_cache};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		strv_free(lists[i]);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	*c = (struct build_config){0};
}

int build_config_init(struct build_config *c, struct err *e)
{
	struct platform p;
	int r = platform_wanted(NULL, NULL, &p, e);

	*c = (struct build_config){0};
	if (r < 0)
		return r;
	c->arch = strdup(p.arch);
	c->variant = *p.variant ? strdup(p.variant) : NULL;
	c->os = strdup("linux");
	return c->arch && c->os ? 0 : err_oom(e);
}

/* --- a value as text again ----------------------------------------------------------------- */

/* The depth is bounded by the reader's. */
static void write_value(struct json_out *j, const struct json *v)
{
	uint64_t n;

	if (json_text(v)) {
		json_str(j, json_text(v));
	} else if (json_truth(v) >= 0) {
		json_bool(j, json_truth(v));
	} else if (json_whole(v, &n) >= 0) {
		json_u64(j, n);
	} else if (json_is_object(v)) {
		json_begin_object(j);
		for (const struct json *m = json_first(v); m; m = json_next(m)) {
			json_key(j, json_name(m));
			write_value(j, m);
		}
		json_end_object(j);
	} else if (json_is_array(v)) {
		json_begin_array(j);
		for (const struct json *m = json_first(v); m; m = json_next(m))
			write_value(j, m);
		json_end_array(j);
	} else {
		json_null(j);
	}
}

static char *value_text(const struct json *v)
{
	struct json_out j = JSON_OUT_INIT;
	char *text;

	write_value(&j, v);
	text = json_finish(&j, NULL) < 0 ? NULL : strbuf_take(&j.buf);
	json_out_free(&j);
	return text;
}

/* --- the parts ------------------------------------------------------------------------------ */

static int take_text(const struct json *o, const char *key, char **ret, struct err *e)
{
	const char *text = NULL;
	int r = json_get_str(o, key, &text, e);

	if (r < 0 || !text || !*text)
		return r;
	*ret = strdup(text);
	return *ret ? 0 : err_oom(e);
}

static int take_names(const struct json *o, const char *key, struct strv *ret, struct err *e)
{
	const struct json *map = NULL;
	int r = json_get_object(o, key, &map, e);

	for (const struct json *m = map ? json_first(map) : NULL; m; m = json_next(m))
		strv_add(ret, json_name(m));
	return r < 0 ? r : strv_check(ret, e);
}

static int take_labels(const struct json *o, struct strv *ret, struct err *e)
{
	const struct json *map = NULL;
	int r = json_get_object(o, "Labels", &map, e);

	for (const struct json *m = map ? json_first(map) : NULL; m; m = json_next(m))
		strv_take(ret, str_printf("%s=%s", json_name(m), json_text(m) ? json_text(m) : ""));
	return r < 0 ? r : strv_check(ret, e);
}

static int take_config(struct build_config *c, const struct json *o, struct err *e)
{
	const struct json *health = json_member(o, "Healthcheck");
	int r = take_text(o, "User", &c->user, e);

	if (r >= 0)
		r = take_text(o, "WorkingDir", &c->workdir, e);
	if (r >= 0)
		r = take_text(o, "StopSignal", &c->stop_signal, e);
	if (r >= 0)
		r = json_get_strv(o, "Env", &c->env, e);
	if (r >= 0)
		r = json_get_strv(o, "Cmd", &c->cmd, e);
	if (r >= 0)
		r = json_get_strv(o, "Entrypoint", &c->entrypoint, e);
	if (r >= 0)
		r = json_get_strv(o, "Shell", &c->shell, e);
	if (r >= 0)
		r = json_get_strv(o, "OnBuild", &c->on_build, e);
	if (r >= 0)
		r = take_names(o, "ExposedPorts", &c->ports, e);
	if (r >= 0)
		r = take_names(o, "Volumes", &c->volumes, e);
	if (r >= 0)
		r = take_labels(o, &c->labels, e);
	if (r < 0 || !health)
		return r;
	c->health = value_text(health);
	return c->health ? 0 : err_oom(e);
}

static int take_history(struct build_config *c, const struct json *o, struct err *e)
{
	const struct json *list = NULL;
	int r = json_get_array(o, "history", &list, e);

	for (const struct json *m = list ? json_first(list) : NULL; m; m = json_next(m))
		strv_take(&c->history, value_text(m));
	return r < 0 ? r : strv_check(&c->history, e);
}

int build_config_read(struct build_config *c, const void *text, size_t len, struct err *e)
{
	_json_ struct json *doc = NULL;
	const struct json *config = NULL;
	int r;

	*c = (struct build_config){0};
	r = json_parse(text, len, JSON_CONFIG_MAX, &doc, e);
	if (r >= 0)
		r = take_text(doc, "architecture", &c->arch, e);
	if (r >= 0)
		r = take_text(doc, "variant", &c->variant, e);
	if (r >= 0)
		r = take_text(doc, "os", &c->os, e);
	if (r >= 0)
		r = take_text(doc, "author", &c->author, e);
	if (r >= 0)
		r = json_get_object(doc, "config", &config, e);
	if (r >= 0 && config)
		r = take_config(c, config, e);
	if (r >= 0)
		r = take_history(c, doc, e);
	c->has_cmd = c->cmd.n;
	c->has_entrypoint = c->entrypoint.n;
	return r < 0 ? err_wrap(e, "the base image's configuration") : 0;
}

int build_config_copy(struct build_config *to, const struct build_config *from, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = build_config_write(from, 0, &text, e);

	if (r >= 0)
		r = build_config_read(to, text.data, text.len, e);
	if (r < 0)
		return r;
	to->has_cmd = from->has_cmd;
	to->has_entrypoint = from->has_entrypoint;
	return 0;
}
