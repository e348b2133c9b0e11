/* SPDX-License-Identifier: Apache-2.0 */

/* The requests that need the table of images alone: list, inspect, history, tag, remove, prune. */

#include "cmd/docker/frame/fault.h"
#include "cmd/docker/image/images_api.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/system/inspect_others.h"
#include "cmd/engine/call/call.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* Versions before these show what an image has not in other words. */
#define MINOR_WITHOUT_NONE 43u
#define MINOR_WITHOUT_VIRTUAL_SIZE 44u

static void reply_value(struct call *k, int r, struct docker_value *v, const struct docker_fault *f)
{
	if (r < 0)
		call_reply_fault(k, f);
	else
		call_reply_value(k, 200, v);
}

/*
 * Not of this version any more: docker-compose 1.29, which speaks any, looks there for the volumes
 * of an image before it makes a container anew. The rest is as of an image that was built
 * elsewhere.
 */
static void add_container_config(struct docker_value *image)
{
	static const char *const texts[] = {"Hostname", "Domainname", "User", "Image",
					    "WorkingDir"};
	static const char *const flags[] = {"AttachStdin", "AttachStdout", "AttachStderr",
					    "Tty",         "OpenStdin",    "StdinOnce"};
	static const char *const lists[] = {"Env", "Cmd", "Entrypoint", "OnBuild"};
	const struct docker_value *config = docker_value_find(image, "Config");
	const struct docker_value *volumes = config ? docker_value_find(config, "Volumes") : NULL;
	struct docker_value *v = docker_value_add(image, "ContainerConfig", DOCKER_VALUE_STRUCT),
			    *map;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		docker_value_str(v, texts[i], "");
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		docker_value_bool(v, flags[i], false);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		docker_value_add(v, lists[i], DOCKER_VALUE_NOLIST);
	docker_value_add(v, "Labels", DOCKER_VALUE_NOMAP);
	map = docker_value_add(v, "Volumes",
			       volumes && volumes->first ? DOCKER_VALUE_MAP : DOCKER_VALUE_NOMAP);
	for (const struct docker_value *i = volumes ? volumes->first : NULL; i; i = i->next)
		docker_value_add(map, i->key, DOCKER_VALUE_STRUCT);
}

void call_image_inspect(struct call *k)
{
	struct docker_value *v = NULL;
	struct err e = ERR_INIT;

	if (inspect_image(&k->cmd->paths, k->item, false, &v, &e) < 0) {
		call_reply_err(k, &e);
		return;
	}
	add_container_config(v);
	call_reply_value(k, 200, v);
}

void call_image_list(struct call *k)
{
	_strv_ struct strv filters = STRV_INIT;
	_free_ char *name = NULL;
	const struct docker_images how = {
		.filters = &filters,
		.names_none = k->minor < MINOR_WITHOUT_NONE,
		.virtual_size = k->minor < MINOR_WITHOUT_VIRTUAL_SIZE,
	};
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v = NULL;
	int r;

	/* The last is what the first versions had for a filter. */
	if (call_filters(k, &filters) < 0 || call_query(k, "filter", &name) < 0)
		return;
	if (name && *name)
		strv_take(&filters, str_printf("reference=%s", name));
	r = docker_images_list(&k->cmd->paths, &how, &v, &f);
	reply_value(k, r, v, &f);
}

void call_image_history(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v = NULL;
	int r;

	r = docker_images_history(&k->cmd->paths, k->item, &v, &f);
	reply_value(k, r, v, &f);
}

void call_image_tag(struct call *k)
{
	_free_ char *repository = NULL, *tag = NULL;
	struct docker_fault f = DOCKER_FAULT_INIT;

	if (call_query(k, "repo", &repository) < 0 || call_query(k, "tag", &tag) < 0)
		return;
	if (docker_images_tag(&k->cmd->paths, k->item, repository ? repository : "", tag, &f) < 0)
		call_reply_fault(k, &f);
	else
		http_reply_empty(k->conn, 201);
}

void call_image_remove(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v = NULL;
	int r;

	r = docker_images_remove(&k->cmd->paths, k->item, call_query_true(k, "force"), &v, &f);
	reply_value(k, r, v, &f);
}

void call_image_prune(struct call *k)
{
	_strv_ struct strv filters = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v = NULL;
	int r;

	if (call_filters(k, &filters) < 0)
		return;
	r = docker_images_prune(&k->cmd->paths, &filters, &v, &f);
	reply_value(k, r, v, &f);
}
