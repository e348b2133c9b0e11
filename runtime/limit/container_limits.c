/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limit/container_limits.h"

#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/record/instance.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/spec.h"
#include "runtime/userns/userns.h"

static unsigned controllers_for(const struct limit_spec *l)
{
	unsigned need = 0;

	if (l->memory_bytes)
		need |= CGROUP_MEMORY;
	if (l->cpus_milli)
		need |= CGROUP_CPU;
	/* RLIMIT_NPROC does for the default; beside another limit the group costs nothing more. */
	if (l->pids != UINT64_MAX && (need || !l->pids_is_default))
		need |= CGROUP_PIDS;
	return need;
}

/* Complete enough for list and gc; published again, longer, when the container runs. */
static int announce(const struct cgroup_parent *parent, const struct container_spec *s,
		    struct instance *instance, struct err *e)
{
	_free_ char *path = cgroup_path(parent, s->id);
	struct instance_record rec = {
		.id = s->id,
		.name = s->name,
		.image = s->rootfs.path,
		.cgroup = path,
		.supervisor = getpid(),
	};

	return path ? instance_publish(instance, &rec, e) : err_oom(e);
}

/* Decides what holds each limit, with the cgroup as it came out. */
static int assign(struct container_limits *l, const struct container_spec *s,
		  const struct id_map *map, struct err *e)
{
	struct limit_means means = {
		.groups = l->cgroup.holds,
		.parent = cgroup_is_made(&l->cgroup) ? l->cgroup.parent.path : NULL,
		.no_group = *l->missed.msg ? l->missed.msg : NULL,
		.is_named = l->named != NULL,
		.one_id = id_map_is_one(map),
		.is_root = !geteuid(),
		.upper_on_disk = l->upper_on_disk,
	};

	return limit_assign(s, &means, &l->holders, e);
}

static int make_cgroup(struct container_limits *l, const struct container_spec *s,
		       const struct paths *paths, struct instance *instance, struct err *e)
{
	struct cgroup_parent parent = CGROUP_PARENT_INIT;
	int r = cgroup_parent_find(paths, l->need, s->id, &parent, &l->missed);

	if (r >= 0) {
		r = announce(&parent, s, instance, e);
		if (r < 0) {
			cgroup_parent_close(&parent);
			return r;
		}
		r = cgroup_make(&l->cgroup, &parent, s->id, &s->limits, l->need, &l->missed);
	}
	if (r < 0)
		log_trace("no control group: %s", l->missed.msg);
	cgroup_parent_close(&parent);
	return 0;
}

int container_limits_prepare(struct container_limits *l, const struct container_spec *s,
			     const struct paths *paths, const struct id_map *map,
			     struct instance *instance, struct err *e)
{
	int r = 0;

	l->need = controllers_for(&s->limits);
	if (l->need && paths->cgroup_parent && str_eq(paths->cgroup_parent, "none")) {
		err_set(&l->missed, EPERM, "CSBX_CGROUP_PARENT is none");
	} else if (l->need) {
		l->named = paths->cgroup_parent;
		r = make_cgroup(l, s, paths, instance, e);
	}
	return r < 0 ? r : assign(l, s, map, e);
}

int container_limits_give_up(struct container_limits *l, const struct container_spec *s,
			     const struct id_map *map, struct err *e)
{
	err_code(&l->missed, e->code, "start a process below %s", l->cgroup.parent.path);
	if (e->code == EACCES)
		err_append(&l->missed, "csbx itself runs outside of what is delegated");
	log_trace("no control group: %s", l->missed.msg);
	(void)cgroup_remove(&l->cgroup, NULL);
	return assign(l, s, map, e);
}

int container_limits_without_group(struct container_limits *l, const struct container_spec *s,
				   const struct paths *paths, const struct id_map *map,
				   const struct err *missed, struct err *e)
{
	l->need = controllers_for(&s->limits);
	if (l->need && paths->cgroup_parent && !str_eq(paths->cgroup_parent, "none"))
		l->named = paths->cgroup_parent;
	l->missed = *missed;
	return assign(l, s, map, e);
}

void container_limits_note(const struct container_limits *l, struct run_result *ret)
{
	const struct limit_holders *h = &l->holders;

	ret->memory = h->memory;
	ret->cpus_milli = h->cpus_milli;
	ret->pids = h->pids;
	for (size_t i = 0; i < h->degraded.n; i++)
		strv_add(&ret->degraded, h->degraded.items[i]);
	for (size_t i = 0; i < h->weaker.n; i++)
		strv_add(&ret->weaker, h->weaker.items[i]);
}
