/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/call.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

static int bad(struct err *e)
{
	return err_set(e, EINVAL, "invalid filter");
}

/* {"key":["value"]} or {"key":{"value":true}} */
static int add_values(const struct json *m, struct strv *ret, struct err *e)
{
	for (const struct json *v = json_first(m); v; v = json_next(v)) {
		const char *value = json_is_array(m) ? json_text(v) : json_name(v);
		_free_ char *word = NULL;

		if (!value || (!json_is_array(m) && json_truth(v) < 0))
			return bad(e);
		if (!json_is_array(m) && json_truth(v) == 0)
			continue;
		word = str_printf("%s=%s", json_name(m), value);
		strv_add(ret, word ? word : "");
	}
	return 0;
}

static int parse(const char *text, struct strv *ret, struct err *e)
{
	_json_ struct json *root = NULL;

	if (json_parse(text, strlen(text), CALL_BODY_MAX, &root, NULL) < 0 || !json_is_object(root))
		return bad(e);
	for (const struct json *m = json_first(root); m; m = json_next(m)) {
		if (!json_is_array(m) && !json_is_object(m))
			return bad(e);
		if (add_values(m, ret, e) < 0)
			return -EINVAL;
	}
	return strv_check(ret, e);
}

int call_filters(struct call *k, struct strv *ret)
{
	_free_ char *text = NULL;
	struct err e = ERR_INIT;
	int r = call_query(k, "filters", &text);

	if (r < 0 || !text || !*text)
		return r;
	r = parse(text, ret, &e);
	if (r < 0)
		call_reply_err(k, &e);
	return r;
}
