/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/config/inline_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/model/digest.h"
#include "runtime/base/err.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

#define KEY_LEN (INLINE_KEY_BYTES - 1)
#define STEP_LEN (INLINE_STEP_BYTES - 1)
#define HEX "0123456789abcdef"

/* It becomes the name of a directory. */
static bool is_step(const char *text)
{
	return strlen(text) == STEP_LEN && strspn(text, HEX) == KEY_LEN && text[KEY_LEN] == '.' &&
	       strspn(text + KEY_LEN + 1, HEX) == STEP_LEN - KEY_LEN - 1;
}

static bool is_key(const char *text)
{
	return strlen(text) == KEY_LEN && strspn(text, HEX) == KEY_LEN;
}

int inline_cache_add(struct inline_cache *c, const char *step, const char *diff_id, struct err *e)
{
	struct digest d;
	void *more;

	if (!is_step(step) || (diff_id && digest_parse(diff_id, &d, NULL) < 0) ||
	    (diff_id && strlen(diff_id) >= INLINE_DIGEST_BYTES))
		return err_set(e, EINVAL, "%.100s: no step of a build", step);
	if (c->n >= INLINE_STEPS_MAX)
		return err_set(e, E2BIG, "more than %u steps", INLINE_STEPS_MAX);
	more = reallocarray(c->items, c->n + 1, sizeof(*c->items));
	if (!more)
		return err_oom(e);
	c->items = more;
	c->items[c->n] = (struct inline_step){.step = ""};
	memcpy(c->items[c->n].step, step, INLINE_STEP_BYTES);
	if (diff_id)
		memcpy(c->items[c->n].diff_id, diff_id, strlen(diff_id) + 1);
	c->n++;
	return 0;
}

const struct inline_step *inline_cache_find(const struct inline_cache *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!strncmp(c->items[i].step, key, KEY_LEN))
			return &c->items[i];
	}
	return NULL;
}

void inline_cache_free(struct inline_cache *c)
{
	free(c->items);
	*c = (struct inline_cache){0};
}

/* --- as JSON -------------------------------------------------------------------------------- */

static int parse_step(const struct json *item, struct inline_cache *ret, struct err *e)
{
	const char *step = NULL, *diff_id = NULL;
	int r = json_is_object(item) ? json_get_str(item, "step", &step, e)
				     : err_set(e, EBADMSG, "a step is no object");

	if (r >= 0)
		r = json_get_str(item, "diff_id", &diff_id, e);
	if (r >= 0)
		r = inline_cache_add(ret, step ? step : "", diff_id, e);
	return r == -EINVAL ? -EBADMSG : r;
}

static int parse(const struct json *doc, struct inline_cache *ret, struct err *e)
{
	const struct json *cache = NULL, *steps = NULL;
	const char *key = NULL;
	int r = json_is_object(doc) ? json_get_object(doc, INLINE_CACHE_MEMBER, &cache, e)
				    : err_set(e, EBADMSG, "no JSON object");

	if (r < 0)
		return r;
	if (!cache)
		return err_set(e, ENODATA, "it tells no steps");
	r = json_get_str(cache, "key", &key, e);
	if (r >= 0)
		r = json_get_array(cache, "steps", &steps, e);
	if (r >= 0 && (!key || !is_key(key)))
		return err_set(e, EBADMSG, "no key of a build");
	if (r >= 0)
		memcpy(ret->key, key, sizeof(ret->key));
	for (const struct json *i = steps ? json_first(steps) : NULL; r >= 0 && i; i = json_next(i))
		r = parse_step(i, ret, e);
	return r;
}

int inline_cache_parse(const void *config, size_t len, struct inline_cache *ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	int r = json_parse(config, len, JSON_CONFIG_MAX, &doc, e);

	*ret = (struct inline_cache){0};
	if (r >= 0)
		r = parse(doc, ret, e);
	if (r < 0)
		inline_cache_free(ret);
	return r;
}

int inline_cache_format(const struct inline_cache *c, struct strbuf *out, struct err *e)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, "key", c->key);
	json_key(&j, "steps");
	json_begin_array(&j);
	for (size_t i = 0; i < c->n; i++) {
		json_begin_object(&j);
		json_kstr(&j, "step", c->items[i].step);
		if (*c->items[i].diff_id)
			json_kstr(&j, "diff_id", c->items[i].diff_id);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_end_object(&j);
	return json_append(&j, out, e);
}
