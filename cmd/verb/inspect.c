/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/verb/inspect_out.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/record/container_record.h"
#include "runtime/record/container_store.h"
#include "runtime/server/image_meta.h"
#include "runtime/record/instance.h"
#include "runtime/server/meta_cache.h"
#include "runtime/spec/name.h"

/* Reads the image's metadata from the container's record or, for a directory, from the cache. */
static int read_meta(struct cmd *c, const char *name, const struct container_record *r,
		     struct image_meta *ret, struct err *e)
{
	_strbuf_ struct strbuf record = STRBUF_INIT;
	struct meta_source source;
	struct image_id id;
	_close_ int fd = -1;
	int ret_code;

	if (r->meta)
		return image_meta_decode(ret, r->meta, r->meta_len, e);
	fd = container_store_open_image(&c->paths, name, r, NULL, &id, e);
	if (fd < 0)
		return fd;
	cmd_meta_source(c, &source);
	ret_code = meta_cache_get(&c->paths, fd, r->kind, &id, &source, &record, e);
	return ret_code < 0 ? ret_code : image_meta_decode(ret, strbuf_str(&record), record.len, e);
}

static int add_container(struct cmd *c, const char *name, struct json_out *j, struct err *e)
{
	struct container_record record = {0};
	struct image_meta meta = {0};
	_free_ char *layer = str_printf("%s/%s", c->paths.layers, name);
	struct err meta_error = ERR_INIT;
	int r = container_store_open(&c->paths, name, &record, e);

	if (r < 0)
		return r;
	inspect_write_record(j, name, &record);
	json_kstr(j, "layer", layer && access(layer, F_OK) == 0 ? layer : NULL);
	/* An image that has gone is a fact about the container, not a failure to show it. */
	if (read_meta(c, name, &record, &meta, &meta_error) >= 0)
		inspect_write_meta(j, &meta);
	else
		json_kstr(j, "image_error", meta_error.msg);
	image_meta_free(&meta);
	container_record_free(&record);
	return 0;
}

static int add_instances(struct cmd *c, const char *name, struct json_out *j, struct err *e)
{
	struct instance_list list = {0};
	int r = instance_list(&c->paths, name, &list, e);

	if (r < 0)
		return r;
	json_key(j, "instances");
	json_begin_array(j);
	for (size_t i = 0; i < list.n; i++)
		inspect_write_instance(j, &list.items[i]);
	json_end_array(j);
	instance_list_free(&list);
	return 0;
}

/* A name with its instances, or one instance by its id. */
static int inspect(struct cmd *c, const char *operand, struct json_out *j, struct err *e)
{
	struct instance_record one = {0};
	int r = name_check(operand, e);

	if (r < 0)
		return r;
	json_begin_object(j);
	r = add_container(c, operand, j, e);
	if (r >= 0)
		r = add_instances(c, operand, j, e);
	if (r == -ENOENT && instance_find(&c->paths, operand, &one, NULL) >= 0) {
		json_key(j, "instances");
		json_begin_array(j);
		inspect_write_instance(j, &one);
		json_end_array(j);
		instance_record_free(&one);
		r = 0;
	}
	json_end_object(j);
	return r < 0 ? r : json_finish(j, e);
}

static int inspect_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct json_out json = {.pretty = true};
	struct err e = ERR_INIT;
	int code;

	(void)args;
	(void)argc;
	if (inspect(c, argv[0], &json, &e) < 0) {
		code = cmd_error(&e, "inspect %s", argv[0]);
	} else {
		strbuf_addch(&json.buf, '\n');
		code = cmd_print(&json.buf);
	}
	json_out_free(&json);
	return code;
}

static const struct verb_example examples[] = {
	{"the parts that a container is made of", "csbx inspect py"},
	{"is the system call filter really there?",
	 "csbx inspect py | jq '.instances[].effective.seccomp'"},
	{0},
};

const struct verb verb_inspect = {
	.name = "inspect",
	.usage = "NAME|ID",
	.description =
		"Prints one JSON object: the container's record, what its image says, and each of "
		"its running instances with the settings that were asked for (\"requested\") and "
		"the protections that are in force (\"effective\"): id maps, capabilities, system "
		"call filter, namespaces, mounts, resource limits and the limits of its control "
		"group as the kernel shows them at this moment. ID is the id of an instance, or at "
		"least four digits of its beginning.",
	.uses = (const struct opt_use[]){{0}},
	.examples = examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = 1,
	.run = inspect_run,
};
