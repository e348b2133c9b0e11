/* SPDX-License-Identifier: Apache-2.0 */
#include "image/save/image_save.h"
#include "runtime/base/err.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/json_out.h"
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

/* One step has the layer, the newest that had one; the others are told as empty. */
static void write_history(struct json_out *j, const struct json *history)
{
	const struct json *last = NULL;

	for (const struct json *step = json_first(history); step; step = json_next(step)) {
		if (has_layer(step))
			last = step;
	}
	json_begin_array(j);
	for (const struct json *step = json_first(history); step; step = json_next(step))
		write_step(j, step, step != last);
	json_end_array(j);
}

static void write_rootfs(struct json_out *j, const char *diff_id)
{
	json_key(j, "rootfs");
	json_begin_object(j);
	json_key(j, "diff_ids");
	json_begin_array(j);
	json_str(j, diff_id);
	json_end_array(j);
	json_kstr(j, "type", "layers");
	json_end_object(j);
}

int squashed_config(const void *config, size_t len, const char *diff_id, struct strbuf *out,
		    struct err *e)
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
			write_history(&j, m);
		else
			json_out_value(&j, m);
	}
	write_rootfs(&j, diff_id);
	json_end_object(&j);
	r = json_finish(&j, e);
	if (r >= 0)
		strbuf_add(out, strbuf_str(&j.buf), j.buf.len);
	json_out_free(&j);
	return r < 0 ? r : strbuf_check(out, e);
}
