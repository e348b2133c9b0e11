/* SPDX-License-Identifier: Apache-2.0 */

/* The config (image-spec config.md) of an image that docker import or commit makes. */

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/change.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

static void add_list(struct json_out *j, const char *key, const struct strv *v, bool wanted)
{
	if (!wanted)
		return;
	json_key(j, key);
	json_begin_array(j);
	for (size_t i = 0; i < v->n; i++)
		json_str(j, v->items[i]);
	json_end_array(j);
}

/* "name=value" each, or names alone with an empty object as value. */
static void add_map(struct json_out *j, const char *key, const struct strv *v, bool has_values)
{
	if (!v->n)
		return;
	json_key(j, key);
	json_begin_object(j);
	for (size_t i = 0; i < v->n; i++) {
		const char *item = v->items[i];
		_free_ char *name = str_printf(
			"%.*s", (int)(has_values ? strcspn(item, "=") : strlen(item)), item);

		json_key(j, name ? name : "");
		if (has_values) {
			json_str(j, strchr(item, '=') + 1);
		} else {
			json_begin_object(j);
			json_end_object(j);
		}
	}
	json_end_object(j);
}

static void add_config(struct json_out *j, const struct image_change *c)
{
	json_key(j, "config");
	json_begin_object(j);
	if (c->user)
		json_kstr(j, "User", c->user);
	add_map(j, "ExposedPorts", &c->ports, false);
	add_list(j, "Env", &c->env, c->env.n > 0);
	add_list(j, "Cmd", &c->cmd, c->has_cmd);
	add_map(j, "Volumes", &c->volumes, false);
	if (c->workdir)
		json_kstr(j, "WorkingDir", c->workdir);
	add_list(j, "Entrypoint", &c->entrypoint, c->has_entrypoint);
	add_list(j, "OnBuild", &c->on_build, c->on_build.n > 0);
	add_map(j, "Labels", &c->labels, true);
	if (c->stop_signal)
		json_kstr(j, "StopSignal", c->stop_signal);
	json_end_object(j);
}

/* A step whose layer is not here any more has none. */
static void add_old_step(struct json_out *j, const struct json *step, bool has_layers)
{
	const struct json *empty = json_is_object(step) ? json_member(step, "empty_layer") : NULL;

	if (has_layers || !json_is_object(step) || (empty && json_truth(empty) > 0)) {
		json_out_value(j, step);
		return;
	}
	json_begin_object(j);
	for (const struct json *m = json_first(step); m; m = json_next(m)) {
		if (str_eq(json_name(m), "empty_layer"))
			continue;
		json_key(j, json_name(m));
		json_out_value(j, m);
	}
	json_kbool(j, "empty_layer", true);
	json_end_object(j);
}

static int add_old_steps(struct json_out *j, const struct image_change_base *b, struct err *e)
{
	_json_ struct json *doc = NULL;
	const struct json *list = NULL;
	int r = json_parse(b->old_config, b->old_config_len, JSON_CONFIG_MAX, &doc, e);

	if (r >= 0)
		r = json_get_array(doc, "history", &list, e);
	for (const struct json *m = list ? json_first(list) : NULL; m; m = json_next(m))
		add_old_step(j, m, b->below);
	return r < 0 ? err_wrap(e, "the history of the container's image") : 0;
}

static int add_history(struct json_out *j, const struct image_change_base *b, struct err *e)
{
	int r = 0;

	json_key(j, "history");
	json_begin_array(j);
	if (b->old_config)
		r = add_old_steps(j, b, e);
	json_begin_object(j);
	json_key(j, "created");
	json_time(j, b->created_ns);
	if (b->created_by)
		json_kstr(j, "created_by", b->created_by);
	if (b->author)
		json_kstr(j, "author", b->author);
	json_kstr(j, "comment", b->comment);
	json_end_object(j);
	json_end_array(j);
	return r;
}

static void add_rootfs(struct json_out *j, const struct image_change_base *b)
{
	json_key(j, "rootfs");
	json_begin_object(j);
	json_kstr(j, "type", "layers");
	json_key(j, "diff_ids");
	json_begin_array(j);
	for (size_t i = 0; b->below && i < b->below->n; i++)
		json_str(j, b->below->items[i]);
	json_str(j, b->diff_id);
	json_end_array(j);
	json_end_object(j);
}

int image_change_config(const struct image_change *c, const struct image_change_base *b,
			struct strbuf *out, struct err *e)
{
	struct json_out j = JSON_OUT_INIT;
	int r;

	json_begin_object(&j);
	json_kstr(&j, "architecture", b->arch);
	if (*b->variant)
		json_kstr(&j, "variant", b->variant);
	if (b->author)
		json_kstr(&j, "author", b->author);
	json_kstr(&j, "comment", b->comment);
	add_config(&j, c);
	json_key(&j, "created");
	json_time(&j, b->created_ns);
	json_kstr(&j, "docker_version", DOCKER_VERSION);
	r = add_history(&j, b, e);
	json_kstr(&j, "os", b->os);
	add_rootfs(&j, b);
	json_end_object(&j);
	if (r >= 0)
		r = json_finish(&j, e);
	if (r >= 0) {
		strbuf_add(out, j.buf.data, j.buf.len);
		r = strbuf_check(out, e);
	}
	json_out_free(&j);
	return r;
}
