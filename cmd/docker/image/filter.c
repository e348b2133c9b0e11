/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/filter.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/image/image_value.h"
#include "image/import/image_time.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

/* The value of a filter of that key, else NULL. */
static const char *value_of(const char *filter, const char *key)
{
	size_t n = strlen(key);

	return !strncmp(filter, key, n) && filter[n] == '=' ? filter + n + 1 : NULL;
}

bool image_filter_has(const struct strv *filters, const char *key)
{
	for (size_t i = 0; i < filters->n; i++) {
		if (value_of(filters->items[i], key))
			return true;
	}
	return false;
}

static int check_dangling(const char *value, struct err *e)
{
	return docker_parse_bool(value) < 0
		       ? err_set(e, EINVAL, "invalid filter 'dangling=[%s]'", value)
		       : 0;
}

int image_filter_check(const struct strv *filters, const char *const *keys, struct err *e)
{
	for (size_t i = 0; i < filters->n; i++) {
		const char *filter = filters->items[i], *value = NULL;
		int r = 0;

		for (size_t k = 0; keys[k] && !value; k++)
			value = value_of(filter, keys[k]);
		if (!value)
			return err_set(e, EINVAL, "invalid filter '%.*s'",
				       (int)strcspn(filter, "="), filter);
		if (value_of(filter, "dangling"))
			r = check_dangling(value, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int image_filter_dangling(const struct strv *filters)
{
	int found = -ENOENT;

	for (size_t i = 0; i < filters->n; i++) {
		const char *value = value_of(filters->items[i], "dangling");

		if (value)
			found = docker_parse_bool(value);
	}
	return found;
}

/* "name" or "name=value" */
static bool has_label(const struct strv *labels, const char *want)
{
	size_t n = strlen(want);

	for (size_t i = 0; i < labels->n; i++) {
		const char *label = labels->items[i];

		if (str_eq(label, want) ||
		    (!strchr(want, '=') && !strncmp(label, want, n) && label[n] == '='))
			return true;
	}
	return false;
}

static int match_labels(const struct strv *filters, const struct image_item *item, struct err *e)
{
	_strv_ struct strv labels = STRV_INIT;
	int r;

	if (!image_filter_has(filters, "label") && !image_filter_has(filters, "label!"))
		return 1;
	r = image_labels(item, &labels, e);
	for (size_t i = 0; r >= 0 && i < filters->n; i++) {
		const char *want = value_of(filters->items[i], "label");
		const char *not_want = value_of(filters->items[i], "label!");

		if ((want && !has_label(&labels, want)) ||
		    (not_want && has_label(&labels, not_want)))
			return 0;
	}
	return r < 0 ? r : 1;
}

static int match_order(const char *operand, bool since, struct image_list *all,
		       const struct image_item *item, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct image_item *other = image_item_find(all, operand, NULL);

	if (!other) {
		image_no_such(operand, &text);
		return err_set(e, ENOENT, "%s", strbuf_str(&text));
	}
	if (since)
		return item->record.created_s > other->record.created_s;
	return item->record.created_s < other->record.created_s;
}

/* A time, or how long ago. */
static int match_until(const char *value, const struct image_item *item, uint64_t now_s,
		       struct err *e)
{
	uint64_t at = image_time_parse(value), ns;

	if (!at && num_parse_u64(value, UINT64_MAX, &at) < 0) {
		if (docker_set_duration(&ns, value, NULL) < 0)
			return err_set(e, EINVAL, "invalid value for until: %s", value);
		at = now_s - ns / 1000000000u;
	}
	return item->record.created_s < at;
}

int image_filter_image(const struct strv *filters, struct image_list *all,
		       const struct image_item *item, uint64_t now_s, struct err *e)
{
	int r = match_labels(filters, item, e);

	for (size_t i = 0; r > 0 && i < filters->n; i++) {
		const char *before = value_of(filters->items[i], "before");
		const char *since = value_of(filters->items[i], "since");
		const char *until = value_of(filters->items[i], "until");

		if (before || since)
			r = match_order(before ? before : since, since != NULL, all, item, e);
		else if (until)
			r = match_until(until, item, now_s, e);
	}
	return r;
}

/* Go's path.Match over the whole name and over the repository. */
static bool name_matches(const char *pattern, const char *familiar)
{
	_free_ char *repository =
		str_printf("%.*s", (int)image_name_repository_len(familiar), familiar);

	return !fnmatch(pattern, familiar, FNM_PATHNAME) ||
	       (repository && !fnmatch(pattern, repository, FNM_PATHNAME));
}

bool image_filter_name(const struct strv *filters, const char *canonical)
{
	bool asked = false;

	for (size_t i = 0; i < filters->n; i++) {
		const char *pattern = value_of(filters->items[i], "reference");

		if (pattern && name_matches(pattern, image_name_familiar(canonical)))
			return true;
		asked |= pattern != NULL;
	}
	return !asked;
}

int image_filter_names(const struct strv *filters, const struct image_item *item, struct strv *ret,
		       struct err *e)
{
	int dangling = image_filter_dangling(filters);
	bool tagged = false;

	for (size_t i = 0; i < item->names.n; i++) {
		if (!image_filter_name(filters, item->names.items[i]))
			continue;
		strv_add(ret, item->names.items[i]);
		tagged |= !strchr(item->names.items[i], '@');
	}
	if (strv_check(ret, e) < 0)
		return -ENOMEM;
	if (!ret->n)
		return dangling != 0 && !image_filter_has(filters, "reference");
	return !(dangling == 1 && tagged);
}
