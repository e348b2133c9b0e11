/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/base/json/json_scan.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/*
 * cJSON builds the tree; what it lets pass was refused by json_scan() before. Two things are left
 * for a walk over the tree: keys are compared after their escapes are decoded ("\u0061" is "a"
 * too), and numbers that were not written as exact integers become NaN, which no getter returns.
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

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_duplicates(const cJSON *object, struct err *e)
{
	_free_ const char **keys = NULL;
	size_t n = 0;

	for (const cJSON *m = object->child; m; m = m->next)
		n++;
	if (n < 2)
		return 0;
	keys = reallocarray(NULL, n, sizeof(*keys));
	if (!keys)
		return err_set(e, ENOMEM, "out of memory");
	n = 0;
	for (const cJSON *m = object->child; m; m = m->next)
		keys[n++] = m->string;
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < n; i++) {
		if (str_eq(keys[i - 1], keys[i]))
			return err_set(e, EBADMSG, "JSON: key \"%.64s\" twice in one object",
				       keys[i]);
	}
	return 0;
}

/* In document order, which is the order of scan->integers. */
static int refine(cJSON *root, const struct json_scan *scan, struct err *e)
{
	cJSON *up[JSON_DEPTH_MAX], *item = root;
	unsigned depth = 0;
	size_t n_numbers = 0;

	for (;;) {
		if (cJSON_IsNumber(item)) {
			if (n_numbers == scan->integers.len)
				return err_set(e, EBADMSG, "JSON: malformed");
			if (!scan->integers.data[n_numbers++])
				item->valuedouble = (double)NAN;
		} else if (cJSON_IsObject(item)) {
			int r = check_duplicates(item, e);

			if (r < 0)
				return r;
		}
		if (item->child) {
			if (depth == JSON_DEPTH_MAX)
				return err_set(e, EBADMSG, "JSON: nested too deeply");
			up[depth++] = item;
			item = item->child;
			continue;
		}
		while (depth && !item->next)
			item = up[--depth];
		if (!depth)
			return 0;
		item = item->next;
	}
}

int json_parse(const void *text, size_t len, size_t max_bytes, struct json **ret, struct err *e)
{
	struct json_scan scan;
	cJSON *root;
	int r;

	if (len > max_bytes)
		return err_set(e, EFBIG, "JSON: larger than %zu bytes", max_bytes);
	r = json_scan(text, len, &scan, e);
	if (r < 0)
		return r;
	root = cJSON_ParseWithLength(text, len);
	r = root ? refine(root, &scan, e) : err_set(e, ENOMEM, "JSON: out of memory");
	json_scan_free(&scan);
	if (r < 0) {
		cJSON_Delete(root);
		return r;
	}
	*ret = (struct json *)(void *)root;
	return 0;
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

int json_whole(const struct json *v, uint64_t *ret)
{
	/* NaN compares false: what is not an exact integer ends here as well. */
	if (!cJSON_IsNumber(node(v)) || !(node(v)->valuedouble >= 0))
		return -EINVAL;
	*ret = (uint64_t)node(v)->valuedouble;
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
