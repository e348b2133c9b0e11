/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/usage/update.h"

#include <inttypes.h>

#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/exec/client.h"
#include "runtime/exec/proto.h"
#include "runtime/record/container_store.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/flat.h"
#include "runtime/spec/spec.h"

#define PERIOD_US_DEFAULT 100000u
#define CPUS_MILLI_MAX (1000u * 65536u)

/* The limits that change. */
struct change {
	const struct docker_run_args *a;
	uint64_t cpus_milli;
	bool memory, cpus, pids;
	struct limit_spec limits; /* as they are now, after the site's policy */
	struct strbuf spec;
};

static int read_change(struct change *c, struct docker_fault *f)
{
	const struct docker_run_args *a = c->a;
	uint64_t period = a->cpu_period ? a->cpu_period : PERIOD_US_DEFAULT;

	c->memory = a->memory_bytes;
	c->pids = a->pids > INT64_MIN;
	if (a->cpus && num_parse_milli(a->cpus, CPUS_MILLI_MAX, &c->cpus_milli) < 0)
		return docker_refuse_early(f, "failed to parse %s as a rational number", a->cpus);
	if (a->cpu_quota)
		c->cpus_milli = a->cpu_quota > UINT64_MAX / 1000 ? CPUS_MILLI_MAX
								 : a->cpu_quota * 1000 / period;
	c->cpus = c->cpus_milli;
	return 0;
}

static void set_limits(const struct change *c, struct limit_spec *l)
{
	if (c->memory)
		l->memory_bytes = c->a->memory_bytes;
	if (c->cpus)
		l->cpus_milli = c->cpus_milli;
	if (c->pids) {
		l->pids = c->a->pids > 0 ? (uint64_t)c->a->pids : UINT64_MAX;
		l->pids_is_default = false;
	}
}

static int apply_policy(const struct container_spec *s, struct limit_spec *ret, struct err *e)
{
	struct container_spec tightened = *s;
	struct policy policy = POLICY_INIT;
	int r = policy_load(&policy, e);

	if (r >= 0)
		r = policy_apply(&policy, &tightened, e);
	policy_free(&policy);
	*ret = tightened.limits;
	return r;
}

static int set_notes(const struct docker_run_args *a, struct container_record *r, struct err *e)
{
	if (a->restart && *a->restart) {
		_free_ char *note = str_printf("restart=%s", a->restart);

		if (!note)
			return err_oom(e);
		strv_set_env(&r->notes, note);
	}
	if (a->memory_swap_bytes) {
		_free_ char *note = str_printf("memory-swap=%" PRId64, a->memory_swap_bytes);

		if (!note)
			return err_oom(e);
		strv_set_env(&r->notes, note);
	}
	return strv_check(&r->notes, e);
}

static int change_record(void *arg, struct container_record *r, struct err *e)
{
	struct change *c = arg;
	struct container_spec s;
	int rc;

	spec_init(&s);
	rc = spec_flat_read(&s, r->spec, r->spec_len, e);
	if (rc >= 0)
		set_limits(c, &s.limits);
	if (rc >= 0)
		rc = apply_policy(&s, &c->limits, e);
	if (rc >= 0)
		rc = spec_flat_write(&s, &c->spec, e);
	spec_free(&s);
	if (rc < 0)
		return rc;
	r->spec = c->spec.data;
	r->spec_len = c->spec.len;
	return set_notes(c->a, r, e);
}

/* --- what runs ------------------------------------------------------------------------------ */

static uint32_t narrow(uint64_t value)
{
	return value > UINT32_MAX ? 0 : (uint32_t)value;
}

static void tell_one(const struct paths *p, const struct instance_record *i, unsigned kind,
		     uint64_t value, struct strv *warnings)
{
	static const char *const names[] = {"--memory", "--cpus", "--pids-limit"};
	struct exec_link link = EXEC_LINK_INIT;
	struct err e = ERR_INIT;
	int r = exec_open(p, i, &link, &e);

	if (r >= 0)
		r = exec_limit(&link, kind, narrow(value), &e);
	exec_close(&link);
	/* One that has ended meanwhile has it at its next start, as it should. */
	if (r < 0 && r != -ESRCH)
		strv_take(
			warnings,
			str_printf("%s takes effect with the container's next start: %s",
				   names[kind],
				   r == -EOPNOTSUPP ? "what holds it now cannot be told" : e.msg));
}

static void tell(const struct paths *p, const struct docker_target *t, const struct change *c,
		 struct strv *warnings)
{
	const struct limit_spec *l = &c->limits;
	struct instance_record i;

	if (instance_read(p, t->found.record.container_id, &i, NULL) < 0)
		return;
	if (c->memory)
		tell_one(p, &i, EXEC_LIMIT_MEMORY_KIB, l->memory_bytes / 1024, warnings);
	if (c->cpus)
		tell_one(p, &i, EXEC_LIMIT_CPUS_MILLI, l->cpus_milli, warnings);
	if (c->pids)
		tell_one(p, &i, EXEC_LIMIT_PIDS, l->pids == UINT64_MAX ? 0 : l->pids, warnings);
	instance_record_free(&i);
}

int docker_update(const struct paths *p, const struct docker_target *t,
		  const struct docker_run_args *a, struct strv *warnings, struct docker_fault *f)
{
	struct change c = {.a = a};
	int r;

	if (!t->stays || !t->found.record.spec)
		return docker_refuse(f, "%s was made by csbx, whose verbs change it",
				     t->found.name);
	r = docker_run_check(a, f);
	if (r >= 0 && t->found.record.auto_remove && a->restart && *a->restart &&
	    !str_eq(a->restart, "no"))
		return docker_fault(f, DOCKER_CONFLICT, EINVAL,
				    "Cannot update container %s: Restart policy cannot be updated "
				    "because AutoRemove is enabled for the container",
				    docker_target_id(t));
	if (r >= 0)
		r = read_change(&c, f);
	if (r >= 0)
		r = container_store_change(p, t->found.name, t->found.record.container_id,
					   change_record, &c, &f->err);
	if (r >= 0)
		r = docker_run_warnings(a, warnings, &f->err);
	if (r >= 0) {
		tell(p, t, &c, warnings);
		docker_event_target(p, t, "update", NULL, NULL);
	}
	strbuf_free(&c.spec);
	return r < 0 ? r : strv_check(warnings, &f->err);
}
