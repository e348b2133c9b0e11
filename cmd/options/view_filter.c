/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/view_filter.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/record/container_find.h"
#include "runtime/life/container_state.h"

enum key { BY_NAME, BY_ID, BY_LABEL, BY_STATUS, BY_ANCESTOR, BY_EXITED, BY_BEFORE, BY_SINCE, KEYS };

static const char *const keys[KEYS] = {
	[BY_NAME] = "name",         [BY_ID] = "id",
	[BY_LABEL] = "label",       [BY_STATUS] = "status",
	[BY_ANCESTOR] = "ancestor", [BY_EXITED] = "exited",
	[BY_BEFORE] = "before",     [BY_SINCE] = "since",
};

static int split(const char *word, enum key *ret_key, const char **ret_value)
{
	for (int k = 0; k < KEYS; k++) {
		size_t n = strlen(keys[k]);

		if (!strncmp(word, keys[k], n) && word[n] == '=') {
			*ret_key = (enum key)k;
			*ret_value = word + n + 1;
			return 0;
		}
	}
	return -EINVAL;
}

int view_filter_add(void *filter, const char *word, struct err *e)
{
	struct view_filter *f = filter;
	enum container_status status;
	const char *value;
	uint64_t code;
	enum key key;

	if (split(word, &key, &value) < 0)
		return err_set(e, EINVAL,
			       "no filter: name= id= label= status= ancestor= exited= "
			       "before= since=");
	if (key == BY_STATUS && container_status_parse(value, &status) < 0)
		return err_set(e, EINVAL, "must be created, running, paused, exited or dead");
	if (key == BY_EXITED && num_parse_u64(value, 255, &code) < 0)
		return err_set(e, EINVAL, "must be an exit code");
	strv_add(&f->words, word);
	return strv_check(&f->words, e);
}

static int find_created(const struct paths *p, const char *operand, uint64_t *ret, struct err *e)
{
	struct container_found found;
	int r = container_find(p, operand, &found, e);

	if (r < 0)
		return err_wrap(e, "--filter: %s", operand);
	*ret = found.record.created_ns;
	container_record_free(&found.record);
	return 0;
}

int view_filter_prepare(struct view_filter *f, const struct paths *p, struct err *e)
{
	for (size_t i = 0; i < f->words.n; i++) {
		const char *value;
		enum key key;
		int r = split(f->words.items[i], &key, &value);

		if (r >= 0 && (key == BY_BEFORE || key == BY_SINCE))
			r = find_created(p, value, key == BY_BEFORE ? &f->before_ns : &f->since_ns,
					 e);
		if (r < 0)
			return r;
	}
	return 0;
}

uint64_t view_created_ns(const struct container_view *v)
{
	return v->record ? v->record->created_ns : v->state.started_ns;
}

const char *view_image(const struct container_view *v)
{
	if (v->record)
		return v->record->image_ref ? v->record->image_ref : v->record->image;
	return v->instance ? v->instance->image : NULL;
}

/* "key" or "key=value". */
static bool has_label(const struct container_view *v, const char *wanted)
{
	size_t n = strlen(wanted);

	for (size_t i = 0; v->record && i < v->record->labels.n; i++) {
		const char *label = v->record->labels.items[i];

		if (!strncmp(label, wanted, n) && (!label[n] || label[n] == '='))
			return !strchr(wanted, '=') || !label[n];
	}
	return false;
}

static bool is_of_image(const struct container_view *v, const char *wanted)
{
	const char *digest = v->record ? v->record->image_digest : NULL;
	const char *image = view_image(v);

	return (image && str_eq(image, wanted)) || (digest && str_eq(digest, wanted)) ||
	       (v->record && v->record->image && str_eq(v->record->image, wanted));
}

static bool fits_one(const struct view_filter *f, const struct container_view *v, enum key key,
		     const char *value)
{
	enum container_status status = CONTAINER_CREATED;

	switch (key) {
	case BY_NAME:
		return strstr(v->name, value);
	case BY_ID:
		return !strncmp(v->id, value, strlen(value));
	case BY_LABEL:
		return has_label(v, value);
	case BY_STATUS:
		container_status_parse(value, &status);
		return v->state.status == status;
	case BY_ANCESTOR:
		return is_of_image(v, value);
	case BY_EXITED:
		return v->state.status == CONTAINER_EXITED && v->state.exit_code == atoi(value);
	case BY_BEFORE:
		return view_created_ns(v) < f->before_ns;
	case BY_SINCE:
		return view_created_ns(v) > f->since_ns;
	default:
		return false;
	}
}

bool view_filter_fits(const struct view_filter *f, const struct container_view *v)
{
	bool asked[KEYS] = {false}, fits[KEYS] = {false};

	for (size_t i = 0; i < f->words.n; i++) {
		const char *value = "";
		enum key key = BY_NAME;

		split(f->words.items[i], &key, &value);
		if (key == BY_LABEL && asked[key] && !fits[key])
			return false;
		asked[key] = true;
		if (key == BY_LABEL)
			fits[key] = has_label(v, value);
		else
			fits[key] |= fits_one(f, v, key, value);
	}
	for (int k = 0; k < KEYS; k++) {
		if (asked[k] && !fits[k])
			return false;
	}
	return true;
}

void view_filter_free(struct view_filter *f)
{
	strv_free(&f->words);
}
