/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/container_limits.h"

#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/instance.h"
#include "runtime/paths.h"
#include "runtime/spec.h"

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

	return path ? instance_publish(instance, &rec, e) : err_set(e, ENOMEM, "out of memory");
}

int container_limits_prepare(struct container_limits *l, const struct container_spec *s,
			     const struct paths *paths, struct instance *instance, struct err *e)
{
	struct cgroup_parent parent = CGROUP_PARENT_INIT;
	int r;

	l->need = controllers_for(&s->limits);
	if (!l->need || (paths->cgroup_parent && str_eq(paths->cgroup_parent, "none")))
		return 0;
	l->named = paths->cgroup_parent;
	r = cgroup_parent_find(paths, l->need, s->id, &parent, &l->missed);
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

void container_limits_give_up(struct container_limits *l, const struct err *why)
{
	err_code(&l->missed, why->code, "start a process below %s", l->cgroup.parent.path);
	if (why->code == EACCES)
		err_append(&l->missed, "csbx itself runs outside of what is delegated");
	log_trace("no control group: %s", l->missed.msg);
	(void)cgroup_remove(&l->cgroup, NULL);
}

bool container_limits_need_watchdog(const struct container_limits *l,
				    const struct container_spec *s)
{
	return s->limits.memory_bytes && !(l->cgroup.holds & CGROUP_MEMORY);
}

bool container_limits_need_affinity(const struct container_limits *l,
				    const struct container_spec *s)
{
	return s->limits.cpus_milli && !(l->cgroup.holds & CGROUP_CPU);
}

static enum enforcer holder(const struct container_limits *l, unsigned controller,
			    enum enforcer other)
{
	return l->cgroup.holds & controller ? ENFORCED_CGROUP2 : other;
}

/* A parent that was named and does not do its work: somebody counts on it. */
static void note_missed(const struct container_limits *l, struct run_result *ret)
{
	static const char *const limits[] = {"memory", "cpus", "pids"};
	unsigned missing = l->named ? l->need & ~l->cgroup.holds : 0;

	for (unsigned i = 0; 1u << i & CGROUP_ALL; i++) {
		if (!(missing & 1u << i))
			continue;
		if (cgroup_is_made(&l->cgroup))
			strv_take(&ret->degraded,
				  str_printf("%s: CSBX_CGROUP_PARENT %s does not offer the %s "
					     "controller",
					     limits[i], l->named, cgroup_controller_name(1u << i)));
		else
			strv_take(&ret->degraded, str_printf("%s: %s", limits[i], l->missed.msg));
	}
}

void container_limits_note(const struct container_limits *l, const struct container_spec *s,
			   struct run_result *ret)
{
	const struct limit_spec *limits = &s->limits;

	if (limits->memory_bytes)
		ret->memory = (struct run_limit){limits->memory_bytes,
						 holder(l, CGROUP_MEMORY, ENFORCED_WATCHDOG)};
	if (limits->cpus_milli)
		ret->cpus_milli = (struct run_limit){limits->cpus_milli,
						     holder(l, CGROUP_CPU, ENFORCED_AFFINITY)};
	if (limits->pids != UINT64_MAX)
		ret->pids =
			(struct run_limit){limits->pids, holder(l, CGROUP_PIDS, ENFORCED_RLIMIT)};
	if (ret->cpus_milli.by == ENFORCED_AFFINITY && limits->cpus_milli % 1000)
		strv_add(&ret->degraded, "cpus: a fraction of a CPU needs a cgroup, rounded up");
	note_missed(l, ret);
}
