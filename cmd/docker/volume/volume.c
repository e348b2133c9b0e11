/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/volume/volume.h"

#include <stdlib.h>

#include "cmd/docker/show/events.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/names.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/fd.h"
#include "runtime/record/volume.h"
#include "runtime/spec/name.h"

static int check(const struct docker_volume_args *a, const char *name, struct docker_fault *f)
{
	if (a->options.n)
		return docker_refuse_early(
			f, "--opt: a volume is a directory of csbx's own, and has no options");
	if (a->driver && *a->driver && !str_eq(a->driver, "local"))
		return docker_fault(f, DOCKER_NOT_FOUND, ENOENT,
				    "%s%s%serror looking up volume plugin %s: plugin \"%s\" not "
				    "found",
				    *name ? "create " : "", name, *name ? ": " : "", a->driver,
				    a->driver);
	if (*name && !docker_name_is_valid(name))
		return docker_refuse(f,
				     "create %s: \"%s\" includes invalid characters for a local "
				     "volume name, only \"[a-zA-Z0-9][a-zA-Z0-9_.-]\" are allowed. "
				     "If you intended to pass a host directory, use absolute path",
				     name, name);
	return 0;
}

static void note(const struct paths *p, const char *action, const char *name)
{
	_strv_ struct strv driver = STRV_INIT;

	strv_add(&driver, "driver=local");
	docker_event(p, "volume", action, name, &driver);
}

int docker_volume_create(const struct paths *p, const struct docker_volume_args *a, char **ret_name,
			 struct docker_fault *f)
{
	const char *name = a->name ? a->name : "";
	_strv_ struct strv labels = STRV_INIT;
	_free_ char *path = NULL;
	int r = check(a, name, f);

	if (r < 0)
		return r;
	for (size_t i = 0; i < a->labels.n; i++) {
		const char *label = a->labels.items[i];
		_free_ char *bare = strchr(label, '=') ? NULL : str_printf("%s=", label);

		strv_set_env(&labels, bare ? bare : label);
	}
	r = strv_check(&labels, &f->err);
	if (r >= 0)
		r = volume_make(p, *name ? name : NULL, &labels, ret_name, &path, &f->err);
	if (r >= 0)
		note(p, "create", *ret_name);
	return r < 0 ? docker_fault_by_code(f, err_wrap(&f->err, "create %s", name)) : 0;
}

int docker_volume_remove(const struct paths *p, const char *name, bool force,
			 struct docker_fault *f)
{
	int r = volume_remove(p, name, &f->err);

	if (r >= 0)
		note(p, "destroy", name);
	if (r == -ENOENT)
		return force ? 0
			     : docker_fault(f, DOCKER_NOT_FOUND, ENOENT, "get %s: no such volume",
					    name);
	if (r < 0)
		return docker_fault_is(f, r == -EBUSY ? DOCKER_CONFLICT : DOCKER_FAILED,
				       err_wrap(&f->err, "remove %s", name));
	return 0;
}

static void add_labels(struct docker_value *v, const struct strv *labels)
{
	struct docker_value *map =
		docker_value_add(v, "Labels", labels->n ? DOCKER_VALUE_MAP : DOCKER_VALUE_NOMAP);

	for (size_t i = 0; i < labels->n; i++) {
		size_t len = strcspn(labels->items[i], "=");
		_free_ char *key = strndup(labels->items[i], len);

		if (key)
			docker_value_str(map, key, labels->items[i] + len + 1);
	}
}

int docker_volume_describe(const struct paths *p, const char *name, struct docker_value *at,
			   struct docker_fault *f)
{
	_strv_ struct strv labels = STRV_INIT;
	_free_ char *path = NULL;
	uint64_t created_ns = 0;
	struct docker_value *v;
	int r = volume_look(p, name, &created_ns, &path, &f->err);

	if (r == -ENOENT)
		return docker_fault(f, DOCKER_NOT_FOUND, ENOENT, "get %s: no such volume", name);
	if (r >= 0)
		r = volume_labels(p, name, &labels, &f->err);
	if (r < 0)
		return r;
	v = at->kind == DOCKER_VALUE_LIST ? docker_value_add(at, NULL, DOCKER_VALUE_STRUCT) : at;
	if (v)
		v->type = "volume.Volume";
	docker_value_time(v, "CreatedAt", created_ns / 1000000000u * 1000000000u);
	docker_value_str(v, "Driver", "local");
	add_labels(v, &labels);
	docker_value_str(v, "Mountpoint", path);
	docker_value_str(v, "Name", name);
	docker_value_add(v, "Options", DOCKER_VALUE_NOMAP);
	docker_value_str(v, "Scope", "local");
	return v ? 0 : err_oom(&f->err);
}

int docker_volume_value(const struct paths *p, const char *name, struct docker_value **ret,
			struct docker_fault *f)
{
	_docker_value_ struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT);
	int r = v ? docker_volume_describe(p, name, v, f) : err_oom(&f->err);

	if (r >= 0)
		r = docker_value_check(v, &f->err);
	if (r >= 0)
		*ret = take_ptr(v);
	return r;
}

bool docker_has_label(const struct strv *labels, const char *want)
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
