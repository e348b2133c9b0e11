/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/config/image_config.h"

#include "cmd/build/config/inline_cache.h"
#include "image/oci/config_layers.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

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

static void add_names(struct json_out *j, const char *key, const struct strv *v)
{
	if (!v->n)
		return;
	json_key(j, key);
	json_begin_object(j);
	for (size_t i = 0; i < v->n; i++) {
		json_key(j, v->items[i]);
		json_begin_object(j);
		json_end_object(j);
	}
	json_end_object(j);
}

static void add_labels(struct json_out *j, const struct strv *v)
{
	if (!v->n)
		return;
	json_key(j, "Labels");
	json_begin_object(j);
	for (size_t i = 0; i < v->n; i++) {
		size_t len = strcspn(v->items[i], "=");
		_free_ char *name = strndup(v->items[i], len);

		json_kstr(j, name ? name : "", v->items[i] + len + (v->items[i][len] == '='));
	}
	json_end_object(j);
}

static void add_config(struct json_out *j, const struct build_config *c)
{
	json_key(j, "config");
	json_begin_object(j);
	if (c->user)
		json_kstr(j, "User", c->user);
	add_names(j, "ExposedPorts", &c->ports);
	add_list(j, "Env", &c->env, c->env.n > 0);
	add_list(j, "Entrypoint", &c->entrypoint, c->has_entrypoint);
	add_list(j, "Cmd", &c->cmd, c->has_cmd);
	if (c->health) {
		json_key(j, "Healthcheck");
		json_raw(j, c->health);
	}
	add_names(j, "Volumes", &c->volumes);
	if (c->workdir)
		json_kstr(j, "WorkingDir", c->workdir);
	add_list(j, "OnBuild", &c->on_build, c->on_build.n > 0);
	add_labels(j, &c->labels);
	if (c->stop_signal)
		json_kstr(j, "StopSignal", c->stop_signal);
	add_list(j, "Shell", &c->shell, c->shell.n > 0);
	json_end_object(j);
}

static void add_rootfs(struct json_out *j)
{
	json_key(j, "rootfs");
	json_begin_object(j);
	json_kstr(j, "type", "layers");
	json_key(j, "diff_ids");
	json_begin_array(j);
	json_end_array(j);
	json_end_object(j);
}

int build_config_history(struct build_config *c, const char *created_by, bool is_empty,
			 uint64_t created_ns, struct err *e)
{
	struct json_out j = JSON_OUT_INIT;
	int r;

	json_begin_object(&j);
	json_key(&j, "created");
	json_time(&j, created_ns);
	json_kstr(&j, "created_by", created_by);
	if (c->author)
		json_kstr(&j, "author", c->author);
	if (is_empty)
		json_kbool(&j, "empty_layer", true);
	json_end_object(&j);
	r = json_finish(&j, e);
	if (r >= 0)
		strv_take(&c->history, strbuf_take(&j.buf));
	json_out_free(&j);
	return r < 0 ? r : strv_check(&c->history, e);
}

int build_config_values(const struct build_config *c, struct strbuf *out, struct err *e)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, "author", c->author ? c->author : "");
	add_config(&j, c);
	json_end_object(&j);
	return json_append(&j, out, e);
}

int build_config_write(const struct build_config *c, uint64_t created_ns, struct strbuf *out,
		       struct err *e)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, "architecture", c->arch ? c->arch : "");
	if (c->variant)
		json_kstr(&j, "variant", c->variant);
	if (c->author)
		json_kstr(&j, "author", c->author);
	add_config(&j, c);
	if (created_ns) {
		json_key(&j, "created");
		json_time(&j, created_ns);
	}
	json_key(&j, "history");
	json_begin_array(&j);
	for (size_t i = 0; i < c->history.n; i++)
		json_raw(&j, c->history.items[i]);
	json_end_array(&j);
	json_kstr(&j, "os", c->os ? c->os : "linux");
	add_rootfs(&j);
	if (c->inline_cache) {
		json_key(&j, INLINE_CACHE_MEMBER);
		json_raw(&j, c->inline_cache);
	}
	json_end_object(&j);
	return json_append(&j, out, e);
}

int build_config_layers(const struct build_config *c, const struct config_layers *l,
			struct strbuf *out, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = build_config_write(c, clock_realtime_ns(), &text, e);

	return r < 0 ? r : config_with_layers(strbuf_str(&text), text.len, l, out, e);
}
