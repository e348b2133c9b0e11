/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/inspect_container.h"

#include <stdlib.h>

#include "cmd/docker/show/health.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_find.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/flat.h"
#include "runtime/kernel/tree_size.h"

static void add_state(struct docker_value *root, const struct inspected *x)
{
	const struct container_state *s = &x->view->state;
	struct docker_value *v = docker_value_add(root, "State", DOCKER_VALUE_STRUCT);
	bool runs = container_is_active(s->status);

	if (!v)
		return;
	v->type = "types.ContainerState";
	docker_value_str(v, "Status", container_status_name(s->status));
	docker_value_bool(v, "Running", runs);
	docker_value_bool(v, "Paused", s->status == CONTAINER_PAUSED);
	docker_value_bool(v, "Restarting", s->status == CONTAINER_RESTARTING);
	docker_value_bool(v, "OOMKilled", s->oom_killed);
	docker_value_bool(v, "Dead", s->status == CONTAINER_DEAD);
	docker_value_int(v, "Pid", s->pid);
	docker_value_int(v, "ExitCode", s->exit_code);
	docker_value_str(v, "Error", s->error);
	docker_value_time(v, "StartedAt", s->started_ns);
	docker_value_time(v, "FinishedAt", s->finished_ns);
	health_add_state(v, x->paths, x->view->name, x->record);
}

/* The command as the program and its arguments. */
static void add_command(struct docker_value *root, const struct inspected *x)
{
	const struct container_view *v = x->view;
	const struct strv *argv = &x->spec.proc.argv;
	struct docker_value *args;

	if (!argv->n && v->instance)
		argv = &v->instance->command;
	else if (!argv->n)
		argv = x->meta.entrypoint.n ? &x->meta.entrypoint : &x->meta.cmd;
	docker_value_str(root, "Path", argv->n ? argv->items[0] : "");
	args = docker_value_add(root, "Args", DOCKER_VALUE_LIST);
	for (size_t i = 1; i < argv->n; i++)
		docker_value_str(args, NULL, argv->items[i]);
}

static void add_files(struct docker_value *root, const struct inspected *x)
{
	const char *id = x->view->id;

	docker_value_str(root, "ResolvConfPath", "");
	docker_value_str(root, "HostnamePath", "");
	docker_value_str(root, "HostsPath", "");
	docker_value_strf(root, "LogPath", "%s/runs/%.*s/log", x->paths->data, NAME_ID_DIGITS, id);
	docker_value_strf(root, "Name", "/%s", x->view->name);
	docker_value_int(root, "RestartCount", x->view->state.restarts);
	docker_value_str(root, "Driver", "overlay2");
	docker_value_str(root, "Platform", "linux");
	docker_value_str(root, "MountLabel", "");
	docker_value_str(root, "ProcessLabel", "");
	docker_value_str(root, "AppArmorProfile", "");
	docker_value_add(root, "ExecIDs", DOCKER_VALUE_NOLIST);
}

static void add_driver(struct docker_value *root, const struct inspected *x)
{
	struct docker_value *driver = docker_value_add(root, "GraphDriver", DOCKER_VALUE_STRUCT);
	struct docker_value *data = docker_value_add(driver, "Data", DOCKER_VALUE_MAP);
	const char *layer = x->spec.rootfs.layer_path;
	_free_ char *own = layer ? NULL : str_printf("%s/%s", x->paths->layers, x->view->name);

	if (!layer)
		layer = own ? own : "";
	docker_value_str(data, "LowerDir", x->record->image ? x->record->image : "");
	docker_value_str(data, "MergedDir", "");
	docker_value_strf(data, "UpperDir", "%s/upper", layer);
	docker_value_strf(data, "WorkDir", "%s/work", layer);
	docker_value_str(driver, "Name", "overlay2");
}

static void add_sizes(struct docker_value *root, const struct inspected *x)
{
	_free_ char *upper = str_printf("%s/%s/upper", x->paths->layers, x->view->name);
	uint64_t rw = upper ? tree_size(upper) : 0;

	docker_value_int(root, "SizeRw", (int64_t)rw);
	docker_value_int(root, "SizeRootFs", (int64_t)(rw + x->record->id.size_bytes));
}

static struct docker_value *describe(const struct inspected *x, bool size)
{
	struct docker_value *root = docker_value_new(DOCKER_VALUE_STRUCT);

	if (!root)
		return NULL;
	root->type = "types.ContainerJSON";
	docker_value_in_go(docker_value_str(root, "Id", x->view->id), "ID");
	docker_value_time(root, "Created", x->record->created_ns);
	add_command(root, x);
	add_state(root, x);
	docker_value_str(root, "Image", x->record->image_digest);
	add_files(root, x);
	inspect_add_host_config(root, x);
	add_driver(root, x);
	if (size)
		add_sizes(root, x);
	inspect_add_mounts(root, x);
	inspect_add_config(root, x);
	inspect_add_network(root, x);
	return root;
}

struct search {
	const struct paths *paths;
	const char *operand;
	bool size;
	struct docker_value *found;
	struct err *e;
};

static int describe_view(const struct search *s, const struct container_view *v,
			 struct docker_value **ret)
{
	static const struct container_record none;
	struct inspected x = {
		.paths = s->paths, .view = v, .record = v->record ? v->record : &none};
	int r = 0;

	if (x.record->spec)
		r = spec_flat_read(&x.spec, x.record->spec, x.record->spec_len, s->e);
	else
		spec_init(&x.spec);
	if (r < 0)
		return r;
	if (x.record->meta)
		r = image_meta_decode(&x.meta, x.record->meta, x.record->meta_len, s->e);
	if (r >= 0) {
		*ret = describe(&x, s->size);
		r = docker_value_check(*ret, s->e);
		image_meta_free(&x.meta);
	}
	spec_free(&x.spec);
	return r < 0 ? r : 0;
}

/*
 * The containers that container_find() does not know: a start of an image, an instance of a recipe.
 */
static int match_view(void *arg, const struct container_view *v)
{
	struct search *s = arg;
	size_t len = strlen(s->operand);
	int r;

	if (len < 4 || len > sizeof(v->id) || strncmp(v->id, s->operand, len))
		return 0;
	r = describe_view(s, v, &s->found);
	return r < 0 ? r : 1;
}

static int search_instances(struct search *s, struct docker_value **ret)
{
	int r = container_each(s->paths, CONTAINER_EACH_LIVE, match_view, s, s->e);

	*ret = s->found;
	if (r > 0)
		return 0;
	return r < 0 ? r : err_set(s->e, ENOENT, "No such container: %s", s->operand);
}

int inspect_container(const struct paths *p, const char *operand, bool size,
		      struct docker_value **ret, struct err *e)
{
	struct search s = {.paths = p, .operand = operand, .size = size, .e = e};
	struct container_view v = {0};
	struct container_found found;
	int r = container_find(p, *operand == '/' ? operand + 1 : operand, &found, e);

	if (r == -ENOENT || r == -EINVAL)
		return search_instances(&s, ret);
	if (r < 0)
		return r;
	v.name = found.name;
	v.record = &found.record;
	if (found.record.container_id)
		memcpy(v.id, found.record.container_id, sizeof(v.id));
	r = container_state_read(p, found.name, &found.record, &v.state, e);
	if (r >= 0)
		r = describe_view(&s, &v, ret);
	container_record_free(&found.record);
	return r;
}
