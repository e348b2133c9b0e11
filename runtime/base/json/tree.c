/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json/json.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/base/json/read.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

/*
 * The tree is made of cJSON's nodes, and json_read() alone decides what is JSON: cJSON parses
 * nothing. A number is a node of kind "raw", for that keeps its text; a double would lose digits.
 * A struct json is a cJSON seen from outside.
 */

static const cJSON *node(const struct json *v)
{
	return (const cJSON *)(const void *)v;
}

static const struct json *value(const cJSON *item)
{
	return (const struct json *)(const void *)item;
}

static cJSON *new_item(enum json_token token, const char *text)
{
	switch (token) {
	case JSON_OBJECT:
		return cJSON_CreateObject();
	case JSON_ARRAY:
		return cJSON_CreateArray();
	case JSON_STRING:
		return cJSON_CreateString(text);
	case JSON_NUMBER:
		return cJSON_CreateRaw(text);
	case JSON_TRUE:
	case JSON_FALSE:
		return cJSON_CreateBool(token == JSON_TRUE);
	default:
		return cJSON_CreateNull();
	}
}

static int add_item(const struct json_reader *r, cJSON *parent, cJSON *item, struct err *e)
{
	bool is_added = item && (cJSON_IsObject(parent)
					 ? cJSON_AddItemToObject(parent, json_read_name(r), item)
					 : cJSON_AddItemToArray(parent, item));

	if (!is_added)
		cJSON_Delete(item);
	return is_added ? 0 : err_set(e, ENOMEM, "JSON: out of memory");
}

/* Adds all values of the document to an array that stands above it. */
static int build(struct json_reader *r, cJSON *top, struct err *e)
{
	cJSON *open[JSON_DEPTH_MAX + 1] = {top};
	unsigned depth = 0;
	int token;

	while ((token = json_read(r, e)) > 0) {
		cJSON *item;
		int added;

		if (token == JSON_KEY)
			continue;
		if (token == JSON_OBJECT_END || token == JSON_ARRAY_END) {
			depth--;
			continue;
		}
		item = new_item((enum json_token)token, strbuf_str(&r->text));
		added = add_item(r, open[depth], item, e);
		if (added < 0)
			return added;
		if (token == JSON_OBJECT || token == JSON_ARRAY)
			open[++depth] = item;
	}
	return token;
}

int json_parse(const void *text, size_t len, size_t max_bytes, struct json **ret, struct err *e)
{
	const struct json_rules rules = {
		.bytes_max = max_bytes,
		.depth_max = JSON_DEPTH_MAX,
		.values_max = JSON_VALUES_MAX,
		.number_bytes_max = JSON_NUMBER_MAX,
	};
	_json_reader_ struct json_reader reader;
	cJSON *top = cJSON_CreateArray();
	int r = json_read_begin(&reader, text, len, &rules, e);

	if (r >= 0)
		r = top ? build(&reader, top, e) : err_set(e, ENOMEM, "JSON: out of memory");
	if (r >= 0)
		*ret = (struct json *)(void *)cJSON_DetachItemFromArray(top, 0);
	cJSON_Delete(top);
	return r;
}

void json_free(struct json *root)
{
	cJSON_Delete((cJSON *)(void *)root);
}

bool json_is_object(const struct json *v)
{
	return cJSON_IsObject(node(v));
}

bool json_is_array(const struct json *v)
{
	return cJSON_IsArray(node(v));
}

bool json_is_null(const struct json *v)
{
	return cJSON_IsNull(node(v));
}

const char *json_text(const struct json *v)
{
	return cJSON_GetStringValue(node(v));
}

int json_truth(const struct json *v)
{
	return cJSON_IsBool(node(v)) ? cJSON_IsTrue(node(v)) != 0 : -EINVAL;
}

const char *json_number(const struct json *v)
{
	return cJSON_IsRaw(node(v)) ? node(v)->valuestring : NULL;
}

int json_whole(const struct json *v, uint64_t *ret)
{
	const char *text = json_number(v);

	return text && num_parse_u64(text, JSON_WHOLE_MAX, ret) >= 0 ? 0 : -EINVAL;
}

int json_integer(const struct json *v, int64_t *ret)
{
	const char *text = json_number(v);
	bool is_negative = text && *text == '-';
	uint64_t n;

	if (!text || num_parse_u64(text + is_negative, JSON_WHOLE_MAX, &n) < 0)
		return -EINVAL;
	*ret = is_negative ? -(int64_t)n : (int64_t)n;
	return 0;
}

const struct json *json_first(const struct json *v)
{
	return v ? value(node(v)->child) : NULL;
}

const struct json *json_next(const struct json *v)
{
	return value(node(v)->next);
}

const char *json_name(const struct json *member)
{
	return node(member)->string;
}

size_t json_count(const struct json *v)
{
	size_t n = 0;

	for (const struct json *i = json_first(v); i; i = json_next(i))
		n++;
	return n;
}

const struct json *json_member(const struct json *obj, const char *key)
{
	const cJSON *m = cJSON_GetObjectItemCaseSensitive(node(obj), key);

	return m && !cJSON_IsNull(m) ? value(m) : NULL;
}

int json_get_str(const struct json *obj, const char *key, const char **ret, struct err *e)
{
	const struct json *m = json_member(obj, key);

	*ret = m ? json_text(m) : NULL;
	return m && !*ret ? err_set(e, EBADMSG, "%s: not a string", key) : 0;
}

int json_get_object(const struct json *obj, const char *key, const struct json **ret, struct err *e)
{
	*ret = json_member(obj, key);
	return *ret && !json_is_object(*ret) ? err_set(e, EBADMSG, "%s: not an object", key) : 0;
}

int json_get_array(const struct json *obj, const char *key, const struct json **ret, struct err *e)
{
	*ret = json_member(obj, key);
	return *ret && !json_is_array(*ret) ? err_set(e, EBADMSG, "%s: not an array", key) : 0;
}

int json_get_strv(const struct json *obj, const char *key, struct strv *ret, struct err *e)
{
	const struct json *array;
	int r = json_get_array(obj, key, &array, e);

	if (r < 0)
		return r;
	for (const struct json *i = json_first(array); i; i = json_next(i)) {
		const char *s = json_text(i);

		if (!s)
			return err_set(e, EBADMSG, "%s: not an array of strings", key);
		strv_add(ret, s);
	}
	return strv_check(ret, e);
}

int json_get_size(const struct json *obj, const char *key, uint64_t *ret, struct err *e)
{
	const struct json *m = json_member(obj, key);

	if (!m)
		return err_set(e, EBADMSG, "%s: missing", key);
	if (json_whole(m, ret) < 0)
		return err_set(e, EBADMSG, "%s: not a whole number from 0 to 2^53-1", key);
	return 0;
}

/* The lower-case letter of the character at *s, or its byte as it is; moves *s behind it. */
static char fold_next(const char **s)
{
	static const struct {
		const char *utf8;
		char fold;
	} letters[] = {{"\xc5\xbf", 's'}, {"\xe2\x84\xaa", 'k'}};
	char c = *(*s)++;

	if (c >= 'A' && c <= 'Z')
		return (char)(c | 0x20);
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		size_t n = strlen(letters[i].utf8);

		if (!strncmp(*s - 1, letters[i].utf8, n)) {
			*s += n - 1;
			return letters[i].fold;
		}
	}
	return c;
}

static bool is_same_in_any_case(const char *a, const char *b)
{
	while (*a && *b) {
		if (fold_next(&a) != fold_next(&b))
			return false;
	}
	return *a == *b;
}

int json_get_any_case(const struct json *obj, const char *key, const struct json **ret,
		      struct err *e)
{
	const struct json *found = NULL;

	*ret = NULL;
	for (const struct json *m = json_first(obj); m; m = json_next(m)) {
		if (!is_same_in_any_case(json_name(m), key))
			continue;
		if (found)
			return err_set(e, EBADMSG, "%s: there twice, as \"%.64s\" and \"%.64s\"",
				       key, json_name(found), json_name(m));
		found = m;
	}
	if (found && !json_is_null(found))
		*ret = found;
	return 0;
}

int json_check_keys(const struct json *obj, const char *const *known, struct err *e)
{
	for (const struct json *m = json_first(obj); m; m = json_next(m)) {
		for (const char *const *k = known; *k; k++) {
			if (is_same_in_any_case(json_name(m), *k) && !str_eq(json_name(m), *k))
				return err_set(e, EBADMSG, "key \"%s\" where \"%s\" is meant",
					       json_name(m), *k);
		}
	}
	return 0;
}

/* It recurses as deep as the reader lets a document be. */
void json_out_value(struct json_out *j, const struct json *v)
{
	bool is_object = json_is_object(v);

	if (json_text(v)) {
		json_str(j, json_text(v));
	} else if (json_truth(v) >= 0) {
		json_bool(j, json_truth(v));
	} else if (!is_object && !json_is_array(v)) {
		json_raw(j, json_number(v)); /* a number, or null */
	} else {
		(is_object ? json_begin_object : json_begin_array)(j);
		for (const struct json *i = json_first(v); i; i = json_next(i)) {
			if (is_object)
				json_key(j, json_name(i));
			json_out_value(j, i);
		}
		(is_object ? json_end_object : json_end_array)(j);
	}
}
