/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/image_value.h"

#include <stdlib.h>

#include "cmd/docker/show/value.h"
#include "image/table/table.h"
#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* --- from the config ------------------------------------------------------------------------ */

/* Members of an object that may be missing, and then is as if it were empty. */
static const struct json *member(const struct json *obj, const char *key)
{
	return obj && json_is_object(obj) ? json_member(obj, key) : NULL;
}

static void add_str(struct docker_value *v, const struct json *obj, const char *key)
{
	const struct json *m = member(obj, key);

	docker_value_str(v, key, m ? json_text(m) : NULL);
}

static void add_bool(struct docker_value *v, const struct json *obj, const char *key)
{
	const struct json *m = member(obj, key);

	docker_value_bool(v, key, m && json_truth(m) == 1);
}

static void add_list(struct docker_value *v, const struct json *obj, const char *key)
{
	const struct json *m = member(obj, key);
	struct docker_value *list;

	if (!m || !json_is_array(m)) {
		docker_value_add(v, key, DOCKER_VALUE_NOLIST);
		return;
	}
	list = docker_value_add(v, key, DOCKER_VALUE_LIST);
	for (const struct json *i = json_first(m); i; i = json_next(i))
		docker_value_str(list, NULL, json_text(i));
}

/* A map to strings, or to empty structs. */
static void add_map(struct docker_value *v, const struct json *obj, const char *key)
{
	const struct json *m = member(obj, key);
	struct docker_value *map;

	if (!m || !json_is_object(m)) {
		docker_value_add(v, key, DOCKER_VALUE_NOMAP);
		return;
	}
	map = docker_value_add(v, key, DOCKER_VALUE_MAP);
	for (const struct json *i = json_first(m); i; i = json_next(i)) {
		if (json_text(i))
			docker_value_str(map, json_name(i), json_text(i));
		else
			docker_value_add(map, json_name(i), DOCKER_VALUE_STRUCT);
	}
}

static void add_healthcheck(struct docker_value *v, const struct json *config)
{
	static const char *const numbers[] = {"Interval", "Timeout", "StartPeriod", "StartInterval",
					      "Retries"};
	const struct json *m = member(config, "Healthcheck");
	struct docker_value *h;

	if (!m || !json_is_object(m))
		return;
	h = docker_value_add(v, "Healthcheck", DOCKER_VALUE_STRUCT);
	if (member(m, "Test"))
		add_list(h, m, "Test");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct json *n = member(m, numbers[i]);
		uint64_t number;

		if (n && !json_whole(n, &number))
			docker_value_int(h, numbers[i], (int64_t)number);
	}
}

static void add_config(struct docker_value *v, const struct json *c)
{
	static const char *const flags[] = {"AttachStdin", "AttachStdout", "AttachStderr"};
	static const char *const more[] = {"Tty", "OpenStdin", "StdinOnce"};
	struct docker_value *o = docker_value_add(v, "Config", DOCKER_VALUE_STRUCT);

	add_str(o, c, "Hostname");
	add_str(o, c, "Domainname");
	add_str(o, c, "User");
	for (size_t i = 0; i < 3; i++)
		add_bool(o, c, flags[i]);
	if (member(c, "ExposedPorts"))
		add_map(o, c, "ExposedPorts");
	for (size_t i = 0; i < 3; i++)
		add_bool(o, c, more[i]);
	add_list(o, c, "Env");
	add_list(o, c, "Cmd");
	add_healthcheck(o, c);
	if (member(c, "ArgsEscaped"))
		add_bool(o, c, "ArgsEscaped");
	add_str(o, c, "Image");
	add_map(o, c, "Volumes");
	add_str(o, c, "WorkingDir");
	add_list(o, c, "Entrypoint");
	add_list(o, c, "OnBuild");
	add_map(o, c, "Labels");
	if (member(c, "StopSignal"))
		add_str(o, c, "StopSignal");
	if (member(c, "Shell"))
		add_list(o, c, "Shell");
}

/* --- inspect -------------------------------------------------------------------------------- */

/* Names, or those by digest. */
static void add_names(struct docker_value *v, const char *key, const struct strv *names,
		      bool digests)
{
	struct docker_value *list = docker_value_add(v, key, DOCKER_VALUE_LIST);

	for (size_t i = 0; i < names->n; i++) {
		if (!strchr(names->items[i], '@') == !digests)
			docker_value_str(list, NULL, image_name_familiar(names->items[i]));
	}
}

static void add_layers(struct docker_value *v, const struct image_record *rec)
{
	struct docker_value *fs = docker_value_add(v, "RootFS", DOCKER_VALUE_STRUCT);

	docker_value_str(fs, "Type", "layers");
	if (rec->diff_ids.n)
		docker_value_strv(fs, "Layers", &rec->diff_ids, DOCKER_VALUE_LIST);
}

static void add_history_comment(struct docker_value *v, const struct json *doc)
{
	const struct json *history = member(doc, "history"), *last = NULL, *comment = NULL;

	if (history && json_is_array(history)) {
		for (const struct json *i = json_first(history); i; i = json_next(i))
			last = i;
	}
	comment = member(last, "comment");
	if (!comment)
		comment = member(doc, "comment");
	docker_value_str(v, "Comment", comment ? json_text(comment) : NULL);
}

static void fill(struct docker_value *v, const struct image_item *item, const struct json *doc)
{
	const struct image_record *rec = &item->record;
	const struct json *created = member(doc, "created"), *version = NULL, *author = NULL;
	struct docker_value *driver;

	version = member(doc, "docker_version");
	author = member(doc, "author");
	docker_value_in_go(docker_value_str(v, "Id", rec->id), "ID");
	add_names(v, "RepoTags", &item->names, false);
	add_names(v, "RepoDigests", &item->names, true);
	docker_value_str(v, "Parent", "");
	add_history_comment(v, doc);
	docker_value_str(v, "Created", created && json_text(created) ? json_text(created) : "");
	docker_value_str(v, "DockerVersion", version ? json_text(version) : NULL);
	docker_value_str(v, "Author", author ? json_text(author) : NULL);
	add_config(v, member(doc, "config"));
	docker_value_str(v, "Architecture", rec->arch);
	if (rec->variant && *rec->variant)
		docker_value_str(v, "Variant", rec->variant);
	docker_value_str(v, "Os", rec->os);
	docker_value_int(v, "Size", (int64_t)rec->size_bytes);
	driver = docker_value_add(v, "GraphDriver", DOCKER_VALUE_STRUCT);
	docker_value_add(driver, "Data", DOCKER_VALUE_NOMAP);
	docker_value_str(driver, "Name", "squashfs");
	add_layers(v, rec);
	docker_value_time(docker_value_add(v, "Metadata", DOCKER_VALUE_STRUCT), "LastTagTime",
			  item->tagged_ns);
}

int image_value_inspect(const struct image_item *item, struct docker_value **ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	_docker_value_ struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT);
	int r = json_parse(item->record.config, item->record.config_len, JSON_CONFIG_MAX, &doc, e);

	if (r < 0)
		return err_wrap(e, "the image's configuration");
	if (v)
		fill(v, item, doc);
	r = v ? docker_value_check(v, e) : err_oom(e);
	if (r < 0)
		return r;
	*ret = v;
	v = NULL;
	return 0;
}

int image_labels(const struct image_item *item, struct strv *ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	const struct json *labels;
	int r = json_parse(item->record.config, item->record.config_len, JSON_CONFIG_MAX, &doc, e);

	if (r < 0)
		return err_wrap(e, "the image's configuration");
	labels = member(member(doc, "config"), "Labels");
	for (const struct json *i = labels && json_is_object(labels) ? json_first(labels) : NULL; i;
	     i = json_next(i))
		strv_take(ret, str_printf("%s=%s", json_name(i), json_text(i) ? json_text(i) : ""));
	return strv_check(ret, e);
}
