/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/config_layers.h"

#include "runtime/base/err.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

static bool has_layer(const struct json *step)
{
	const struct json *empty = json_is_object(step) ? json_member(step, "empty_layer") : NULL;

	return !empty || json_truth(empty) <= 0;
}

static void write_step(struct json_out *j, const struct json *step, bool is_empty)
{
	if (!json_is_object(step)) {
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
	if (is_empty)
		json_kbool(j, "empty_layer", true);
	json_end_object(j);
}

/* True when step i of n, which had a layer, has one now. */
static bool keeps_layer(const struct config_layers *l, size_t i, size_t n)
{
	if (l->last && i + l->n_last >= n)
		return l->last[i + l->n_last - n];
	if (i < l->n_joined)
		return i + 1 == (l->n_joined < n ? l->n_joined : n);
	return i < l->n_kept || (l->has_rest && i + 1 == n);
}

static void write_history(struct json_out *j, const struct json *history,
			  const struct config_layers *l)
{
	size_t n = 0, i = 0;

	for (const struct json *step = json_first(history); step; step = json_next(step))
		n += has_layer(step);
	json_begin_array(j);
	for (const struct json *step = json_first(history); step; step = json_next(step)) {
		bool is_empty = !has_layer(step) || !keeps_layer(l, i, n);

		i += has_layer(step);
		write_step(j, step, is_empty);
	}
	json_end_array(j);
}

static void write_rootfs(struct json_out *j, const struct strv *diff_ids)
{
	json_key(j, "rootfs");
	json_begin_object(j);
	json_key(j, "diff_ids");
	json_begin_array(j);
	for (size_t i = 0; i < diff_ids->n; i++)
		json_str(j, diff_ids->items[i]);
	json_end_array(j);
	json_kstr(j, "type", "layers");
	json_end_object(j);
}

int config_with_layers(const void *config, size_t len, const struct config_layers *l,
		       struct strbuf *out, struct err *e)
{
	struct json_out j = JSON_OUT_INIT;
	_json_ struct json *doc = NULL;
	int r = json_parse(config, len, JSON_CONFIG_MAX, &doc, e);

	if (r < 0)
		return err_wrap(e, "the image's configuration");
	if (!json_is_object(doc))
		return err_set(e, EBADMSG, "the image's configuration is no JSON object");
	json_begin_object(&j);
	for (const struct json *m = json_first(doc); m; m = json_next(m)) {
		if (str_eq(json_name(m), "rootfs"))
			continue;
		json_key(&j, json_name(m));
		if (str_eq(json_name(m), "history") && json_is_array(m))
			write_history(&j, m, l);
		else
			json_out_value(&j, m);
	}
	write_rootfs(&j, l->diff_ids);
	json_end_object(&j);
	r = json_finish(&j, e);
	if (r >= 0)
		strbuf_add(out, strbuf_str(&j.buf), j.buf.len);
	json_out_free(&j);
	return r < 0 ? r : strbuf_check(out, e);
}

int squashed_config(const void *config, size_t len, const char *diff_id, struct strbuf *out,
		    struct err *e)
{
	_strv_ struct strv diff_ids = STRV_INIT;
	const struct config_layers l = {.diff_ids = &diff_ids, .has_rest = true};
	int r;

	strv_add(&diff_ids, diff_id);
	r = strv_check(&diff_ids, e);
	return r < 0 ? r : config_with_layers(config, len, &l, out, e);
}
