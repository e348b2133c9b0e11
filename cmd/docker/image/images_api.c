/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/images_api.h"

#include <stdlib.h>
#include <time.h>

#include "cmd/docker/frame/fault.h"
#include "cmd/docker/image/delete.h"
#include "cmd/docker/image/filter.h"
#include "cmd/docker/image/image_event.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/image/prune.h"
#include "cmd/docker/image/tag.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/value.h"
#include "cmd/options/image_find.h"
#include "image/import/image_time.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"
#include "runtime/base/str.h"

#define NONE "<none>"

static int missing(const char *operand, struct docker_fault *f)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	image_no_such(operand, &text);
	return docker_fault(f, DOCKER_NOT_FOUND, ENOENT, "%s", strbuf_str(&text));
}

/* --- list ----------------------------------------------------------------------------------- */

static void add_names(struct docker_value *v, const char *key, const struct strv *names,
		      bool digests, bool says_none)
{
	struct docker_value *list = docker_value_add(v, key, DOCKER_VALUE_LIST);
	size_t n = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (!strchr(names->items[i], '@') != !digests)
			continue;
		docker_value_str(list, NULL, image_name_familiar(names->items[i]));
		n++;
	}
	if (!n && says_none)
		docker_value_str(list, NULL, digests ? NONE "@" NONE : NONE ":" NONE);
}

static void add_labels(struct docker_value *v, const struct strv *labels)
{
	struct docker_value *map =
		docker_value_add(v, "Labels", labels->n ? DOCKER_VALUE_MAP : DOCKER_VALUE_NOMAP);

	for (size_t i = 0; i < labels->n; i++) {
		size_t len = strcspn(labels->items[i], "=");
		_free_ char *key = strndup(labels->items[i], len);

		if (key)
			docker_value_str(map, key,
					 labels->items[i] + len + (labels->items[i][len] == '='));
	}
}

static int add_image(struct docker_value *rows, const struct docker_images *how,
		     const struct image_item *item, const struct strv *names, struct err *e)
{
	_strv_ struct strv labels = STRV_INIT;
	struct docker_value *v = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);
	int r = image_labels(item, &labels, e);

	docker_value_int(v, "Containers", -1);
	docker_value_int(v, "Created", (int64_t)item->record.created_s);
	docker_value_str(v, "Id", item->record.id);
	add_labels(v, &labels);
	docker_value_str(v, "ParentId", "");
	add_names(v, "RepoDigests", names, true, how->names_none && !item->names.n);
	add_names(v, "RepoTags", names, false, how->names_none && !item->names.n);
	docker_value_int(v, "SharedSize", -1);
	docker_value_int(v, "Size", (int64_t)item->record.size_bytes);
	if (how->virtual_size)
		docker_value_int(v, "VirtualSize", (int64_t)item->record.size_bytes);
	return r;
}

static int add_images(const struct docker_images *how, struct image_list *all,
		      struct docker_value *rows, struct err *e)
{
	uint64_t now_s = (uint64_t)time(NULL);

	for (size_t i = 0; i < all->n; i++) {
		_strv_ struct strv names = STRV_INIT;
		int r = image_filter_image(how->filters, all, &all->items[i], now_s, e);

		if (r > 0)
			r = image_filter_names(how->filters, &all->items[i], &names, e);
		if (r > 0)
			r = add_image(rows, how, &all->items[i], &names, e);
		if (r < 0)
			return r;
	}
	return docker_value_check(rows, e);
}

int docker_images_list(const struct paths *p, const struct docker_images *how,
		       struct docker_value **ret, struct docker_fault *f)
{
	static const char *const keys[] = {"dangling", "label",     "before", "since",
					   "until",    "reference", NULL};
	_image_list_ struct image_list all = {0};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	_close_ int dirfd = -1;
	int r = docker_fault_is(f, DOCKER_BAD_REQUEST,
				image_filter_check(how->filters, keys, &f->err));

	if (r >= 0)
		r = dirfd = images_open(p, &f->err);
	if (r >= 0)
		r = image_table_list(dirfd, &all, &f->err);
	if (r >= 0)
		r = docker_fault_by_code(f, add_images(how, &all, rows, &f->err));
	if (r < 0)
		return r;
	*ret = rows;
	rows = NULL;
	return 0;
}

/* --- history -------------------------------------------------------------------------------- */

static const char *text_of(const struct json *obj, const char *key)
{
	const struct json *m = json_is_object(obj) ? json_member(obj, key) : NULL;

	return m && json_text(m) ? json_text(m) : "";
}

static void add_step(struct docker_value *rows, const struct image_item *item,
		     const struct json *step, bool newest)
{
	const struct json *empty = json_is_object(step) ? json_member(step, "empty_layer") : NULL;
	struct docker_value *v = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);

	docker_value_str(v, "Comment", text_of(step, "comment"));
	docker_value_int(v, "Created", (int64_t)image_time_parse(text_of(step, "created")));
	docker_value_str(v, "CreatedBy", text_of(step, "created_by"));
	docker_value_str(v, "Id", newest ? item->record.id : "<missing>");
	/* Layers are merged when an image is imported: the last that is not empty counts all. */
	docker_value_int(v, "Size",
			 newest && !(empty && json_truth(empty) == 1)
				 ? (int64_t)item->record.size_bytes
				 : 0);
	if (newest && item->names.n)
		add_names(v, "Tags", &item->names, false, false);
	else
		docker_value_add(v, "Tags", DOCKER_VALUE_NOLIST);
}

static int history(const struct image_item *item, struct docker_value *rows, struct err *e)
{
	_json_ struct json *doc = NULL;
	const struct json *list;
	_free_ const struct json **steps = NULL;
	size_t n = 0;
	int r = json_parse(item->record.config, item->record.config_len, JSON_CONFIG_MAX, &doc, e);

	if (r < 0)
		return err_wrap(e, "the image's configuration");
	list = json_is_object(doc) ? json_member(doc, "history") : NULL;
	if (!list || !json_is_array(list))
		return docker_value_check(rows, e);
	steps = calloc(json_count(list) + 1, sizeof(*steps));
	if (!steps)
		return err_oom(e);
	for (const struct json *i = json_first(list); i; i = json_next(i))
		steps[n++] = i;
	for (size_t i = n; i--;)
		add_step(rows, item, steps[i], i + 1 == n);
	return docker_value_check(rows, e);
}

int docker_images_history(const struct paths *p, const char *operand, struct docker_value **ret,
			  struct docker_fault *f)
{
	_image_list_ struct image_list all = {0};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	const struct image_item *item;
	_close_ int dirfd = images_open(p, &f->err);
	int r = dirfd < 0 ? dirfd : image_table_list(dirfd, &all, &f->err);

	if (r < 0)
		return r;
	item = image_item_find(&all, operand, NULL);
	if (!item)
		return missing(operand, f);
	r = history(item, rows, &f->err);
	if (r < 0)
		return r;
	*ret = rows;
	rows = NULL;
	return 0;
}

/* --- changes -------------------------------------------------------------------------------- */

int docker_images_tag(const struct paths *p, const char *operand, const char *repository,
		      const char *tag, struct docker_fault *f)
{
	_image_name_ struct image_name name = {0};
	_free_ char *text =
		str_printf("%s%s%s", repository, tag && *tag ? ":" : "", tag ? tag : "");
	_free_ char *canonical = NULL;
	_close_ int dirfd = -1;
	int r = text ? image_name_parse(text, &name, &f->err) : err_oom(&f->err);

	if (r < 0)
		return docker_fault_is(f, DOCKER_BAD_REQUEST, r);
	if (name.digest)
		return docker_refuse(f, "refusing to create a tag with a digest reference");
	canonical = image_name_canonical(&name);
	if (!canonical)
		return err_oom(&f->err);
	r = dirfd = images_open(p, &f->err);
	if (r >= 0)
		r = image_tag(dirfd, operand, canonical, &f->err);
	if (r >= 0)
		image_event(p, "tag", operand, image_name_familiar(canonical));
	return r == -ENOENT || r == -ENOTUNIQ || r == -EINVAL ? missing(operand, f) : r;
}

/* "Untagged: app:1" -> {"Untagged": "app:1"} */
static void add_removals(struct docker_value *list, const struct strv *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		const char *line = lines->items[i];
		size_t len = strcspn(line, ":");
		_free_ char *key = strndup(line, len);

		if (key)
			docker_value_str(docker_value_add(list, NULL, DOCKER_VALUE_STRUCT), key,
					 line + len + strlen(": "));
	}
}

int docker_images_remove(const struct paths *p, const char *operand, bool force,
			 struct docker_value **ret, struct docker_fault *f)
{
	_listed_ struct listed_list containers = {0};
	_strv_ struct strv lines = STRV_INIT;
	_close_ int dirfd = images_open(p, &f->err);
	const struct image_delete how = {p, dirfd, &containers, force};
	int r = dirfd < 0 ? dirfd : listed_read(p, true, &containers, &f->err);

	if (r >= 0)
		r = image_delete(&how, operand, &lines, &f->err);
	if (r == -ENOENT || r == -EBUSY)
		docker_fault_is(f, r == -ENOENT ? DOCKER_NOT_FOUND : DOCKER_CONFLICT, r);
	if (r < 0)
		return r;
	*ret = docker_value_new(DOCKER_VALUE_LIST);
	add_removals(*ret, &lines);
	return 0;
}

int docker_images_prune(const struct paths *p, const struct strv *filters,
			struct docker_value **ret, struct docker_fault *f)
{
	_strv_ struct strv lines = STRV_INIT;
	struct docker_value *v;
	uint64_t bytes = 0;
	int r = image_prune(p, image_filter_dangling(filters) == 0, filters, &lines, &bytes,
			    &f->err);

	if (r < 0)
		return docker_fault_by_code(f, r);
	v = docker_value_new(DOCKER_VALUE_STRUCT);
	add_removals(docker_value_add(v, "ImagesDeleted",
				      lines.n ? DOCKER_VALUE_LIST : DOCKER_VALUE_NOLIST),
		     &lines);
	docker_value_int(v, "SpaceReclaimed", (int64_t)bytes);
	*ret = v;
	return 0;
}
