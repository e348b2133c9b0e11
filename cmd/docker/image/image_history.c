/* SPDX-License-Identifier: Apache-2.0 */

/* The history an image's config tells (image-spec config.md, "history"). */

#include <stdlib.h>

#include "cmd/docker/show/human.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/show/value.h"
#include "image/import/image_time.h"
#include "image/table/table.h"
#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define CREATED_BY_WIDTH 45
#define SHORT_ID 12

static const char *text_of(const struct json *obj, const char *key)
{
	const struct json *m = json_is_object(obj) ? json_member(obj, key) : NULL;
	const char *s = m ? json_text(m) : NULL;

	return s ? s : "";
}

static void add_times(struct docker_value *v, uint64_t created_s,
		      const struct image_history_how *how)
{
	_strbuf_ struct strbuf at = STRBUF_INIT, since = STRBUF_INIT;
	uint64_t ns = created_s * 1000000000u;

	if (created_s && how->human) {
		human_ago(&since, ns, how->now_ns);
	} else if (created_s) {
		strbuf_add_time(&since, ns);
		/* Without the fraction: docker shows whole seconds. */
		since.len -= strlen(".000Z");
		strbuf_addch(&since, 'Z');
	}
	if (created_s) {
		strbuf_add_time(&at, ns);
		at.len -= strlen(".000Z");
		strbuf_addch(&at, 'Z');
	}
	docker_value_str(v, "CreatedAt", created_s ? strbuf_str(&at) : "N/A");
	docker_value_str(v, "CreatedSince", created_s ? strbuf_str(&since) : "N/A");
}

/* Tabs would be columns. */
static void add_created_by(struct docker_value *v, const char *text,
			   const struct image_history_how *how)
{
	_strbuf_ struct strbuf flat = STRBUF_INIT, cut = STRBUF_INIT;

	for (; *text; text++)
		strbuf_addch(&flat, *text == '\t' ? ' ' : *text);
	human_ellipsis(&cut, strbuf_str(&flat), how->no_trunc ? SIZE_MAX : CREATED_BY_WIDTH);
	docker_value_str(v, "CreatedBy", strbuf_str(&cut));
}

static void add_row(struct docker_value *rows, const struct image_item *item,
		    const struct json *entry, bool newest, uint64_t bytes,
		    const struct image_history_how *how)
{
	struct docker_value *v = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);
	_strbuf_ struct strbuf size = STRBUF_INIT;

	if (!v)
		return;
	v->type = "*formatter.historyContext";
	if (how->human)
		human_size(&size, bytes, 3);
	else
		strbuf_addf(&size, "%llu", (unsigned long long)bytes);
	docker_value_str(v, "Comment", text_of(entry, "comment"));
	add_times(v, image_time_parse(text_of(entry, "created")), how);
	add_created_by(v, text_of(entry, "created_by"), how);
	if (!newest)
		docker_value_str(v, "ID", "<missing>");
	else if (how->no_trunc)
		docker_value_str(v, "ID", item->record.id);
	else
		docker_value_strn(v, "ID", image_id_hex(item->record.id), SHORT_ID);
	docker_value_str(v, "Size", strbuf_str(&size));
}

static int add_rows(struct docker_value *rows, const struct image_item *item,
		    const struct json *doc, const struct image_history_how *how, struct err *e)
{
	const struct json *list = json_is_object(doc) ? json_member(doc, "history") : NULL;
	_free_ const struct json **entries = NULL;
	uint64_t bytes = item->record.size_bytes;
	size_t n = 0;

	if (!list || !json_is_array(list) || !json_count(list))
		return docker_value_check(rows, e);
	entries = calloc(json_count(list), sizeof(struct json *));
	if (!entries)
		return err_oom(e);
	for (const struct json *i = json_first(list); i; i = json_next(i)) {
		if (json_is_object(i))
			entries[n++] = i;
	}
	/* Layers are merged when an image is imported: the last one that is not empty counts all. */
	for (size_t i = n; i--;) {
		const struct json *empty = json_member(entries[i], "empty_layer");
		const bool has_layer = !empty || json_truth(empty) != 1;

		add_row(rows, item, entries[i], i + 1 == n, has_layer ? bytes : 0, how);
		bytes = has_layer ? 0 : bytes;
	}
	return docker_value_check(rows, e);
}

int image_value_history(const struct image_item *item, const struct image_history_how *how,
			struct docker_value **ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	int r = json_parse(item->record.config, item->record.config_len, JSON_CONFIG_MAX, &doc, e);

	if (r < 0)
		return err_wrap(e, "the image's configuration");
	r = rows ? add_rows(rows, item, doc, how, e) : err_oom(e);
	if (r < 0)
		return r;
	*ret = rows;
	rows = NULL;
	return 0;
}
