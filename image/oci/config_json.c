/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/config.h"

#include <stdlib.h>

#include "image/model/digest.h"
#include "runtime/base/json/json.h"
#include "image/oci/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static const char *const image_keys[] = {
	"architecture", "os", "variant", "created", "config", "rootfs", "history", NULL,
};
static const char *const config_keys[] = {
	"User",    "Env",          "Entrypoint", "Cmd",   "WorkingDir",  "Labels",
	"Volumes", "ExposedPorts", "StopSignal", "Shell", "Healthcheck", NULL,
};
static const char *const rootfs_keys[] = {"type", "diff_ids", NULL};

struct string_member {
	const char *key;
	char **slot;
};

static int copy_strings(const struct json *obj, const struct string_member *members, struct err *e)
{
	for (; members->key; members++) {
		const char *s;
		int r = json_get_str(obj, members->key, &s, e);

		if (r < 0)
			return r;
		if (!s)
			continue;
		*members->slot = strdup(s);
		if (!*members->slot)
			return err_oom(e);
	}
	return 0;
}

/* The keys of an object that stands for a set: {"/data": {}}. */
static int copy_keys(const struct json *obj, const char *key, struct strv *ret, struct err *e)
{
	const struct json *set;
	int r = json_get_object(obj, key, &set, e);

	if (r < 0)
		return r;
	for (const struct json *m = json_first(set); m; m = json_next(m))
		strv_add(ret, json_name(m));
	return strv_check(ret, e);
}

static int copy_labels(const struct json *obj, struct image_config *c, struct err *e)
{
	const struct json *labels;
	int r = json_get_object(obj, "Labels", &labels, e);

	if (r < 0)
		return r;
	for (const struct json *m = json_first(labels); m; m = json_next(m)) {
		const char *v = json_is_null(m) ? "" : json_text(m);

		if (!v)
			return err_set(e, EBADMSG, "Labels: not strings");
		strv_add(&c->label_names, json_name(m));
		strv_add(&c->label_values, v);
	}
	r = strv_check(&c->label_names, e);
	return r < 0 ? r : strv_check(&c->label_values, e);
}

static int parse_config(const struct json *v, struct image_config *c, struct err *e)
{
	const struct string_member strings[] = {
		{"User", &c->user},
		{"WorkingDir", &c->workdir},
		{"StopSignal", &c->stop_signal},
		{NULL},
	};
	int r = json_check_keys(v, config_keys, e);

	if (r >= 0)
		r = copy_strings(v, strings, e);
	if (r >= 0)
		r = json_get_strv(v, "Env", &c->env, e);
	if (r >= 0)
		r = json_get_strv(v, "Entrypoint", &c->entrypoint, e);
	if (r >= 0)
		r = json_get_strv(v, "Cmd", &c->cmd, e);
	if (r >= 0)
		r = copy_labels(v, c, e);
	if (r >= 0)
		r = copy_keys(v, "Volumes", &c->volumes, e);
	if (r >= 0)
		r = copy_keys(v, "ExposedPorts", &c->ports, e);
	return r < 0 ? err_wrap(e, "config") : 0;
}

static int parse_rootfs(const struct json *v, struct image_config *c, struct err *e)
{
	const struct json *ids;
	const char *type;
	size_t n;
	int r = json_check_keys(v, rootfs_keys, e);

	if (r >= 0)
		r = json_get_str(v, "type", &type, e);
	if (r >= 0)
		r = json_get_array(v, "diff_ids", &ids, e);
	if (r < 0)
		return r;
	if (type && !str_eq(type, "layers"))
		return err_set(e, EOPNOTSUPP, "type %.32s: not layers", type);
	n = json_count(ids);
	if (n > OCI_LAYERS_MAX)
		return err_set(e, E2BIG, "diff_ids: %zu entries, the limit is %d", n,
			       OCI_LAYERS_MAX);
	c->diff_ids = n ? calloc(n, sizeof(*c->diff_ids)) : NULL;
	if (n && !c->diff_ids)
		return err_oom(e);
	for (const struct json *i = json_first(ids); i; i = json_next(i)) {
		const char *s = json_text(i);

		r = s ? digest_parse(s, &c->diff_ids[c->n_diff_ids], e)
		      : err_set(e, EBADMSG, "not a string");
		if (r < 0)
			return err_wrap(e, "diff_ids[%zu]", c->n_diff_ids);
		c->n_diff_ids++;
	}
	return 0;
}

static int parse_image(const struct json *doc, struct image_config *c, struct err *e)
{
	const struct string_member strings[] = {
		{"architecture", &c->arch}, {"os", &c->os}, {"variant", &c->variant},
		{"created", &c->created},   {NULL},
	};
	const struct json *config, *rootfs;
	int r;

	if (!json_is_object(doc))
		return err_set(e, EBADMSG, "not a JSON object");
	r = json_check_keys(doc, image_keys, e);
	if (r >= 0)
		r = copy_strings(doc, strings, e);
	if (r >= 0)
		r = json_get_object(doc, "config", &config, e);
	if (r >= 0 && config)
		r = parse_config(config, c, e);
	if (r >= 0)
		r = json_get_object(doc, "rootfs", &rootfs, e);
	if (r >= 0 && rootfs) {
		r = parse_rootfs(rootfs, c, e);
		if (r < 0)
			return err_wrap(e, "rootfs");
	}
	return r;
}

int image_config_parse(const void *text, size_t len, struct image_config *ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	_image_config_ struct image_config c = {0};
	int r = json_parse(text, len, JSON_CONFIG_MAX, &doc, e);

	if (r >= 0)
		r = parse_image(doc, &c, e);
	if (r < 0)
		return r;
	*ret = c;
	c = (struct image_config){0};
	return 0;
}

void image_config_free(struct image_config *c)
{
	char **strings[] = {&c->arch, &c->os,      &c->variant,    &c->created,
			    &c->user, &c->workdir, &c->stop_signal};

	for (unsigned i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		ptr_free(strings[i]);
	strv_free(&c->env);
	strv_free(&c->entrypoint);
	strv_free(&c->cmd);
	strv_free(&c->label_names);
	strv_free(&c->label_values);
	strv_free(&c->volumes);
	strv_free(&c->ports);
	free(c->diff_ids);
	*c = (struct image_config){0};
}
