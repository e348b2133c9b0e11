/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. A control group holds memory, CPU time and processes exactly. Without one:
 *
 *	memory	the watchdog: a fast allocation passes it for one look (watchdog.c)
 *	cpus	CPU affinity: whole CPUs, and the program may ask for its others back
 *	pids	RLIMIT_NPROC in the container's own user namespace. It counts per user id, so with
 *		several ids the watchdog counts all; the kernel exempts the host's root
 *
 * The default of --pids-limit was not asked for: it is set, and no more is said about it.
 */
#include "runtime/limit/limit.h"

#include <stdio.h>
#include <sys/resource.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/text.h"
#include "runtime/spec/spec.h"
#include "runtime/limit/watchdog.h"

#define REMEDY "csbx doctor --feature cgroup says what is missing"

/* Besides the throw-away layer and /dev/shm. */
#define WATCHED_TMPFS_MAX (WATCHDOG_TMPFS_MAX - 2u)

struct assigning {
	const struct container_spec *s;
	const struct limit_means *m;
	struct limit_holders *ret;
};

/* A limit that falls short: its name in the result and its option, why, what follows, what
 * helps. */
struct shortfall {
	const char *name, *option, *why, *what, *remedy;
	bool is_exact; /* strict takes it */
	bool is_loud;  /* worth a warning */
};

static int fall_short(struct assigning *a, const struct shortfall *f, struct err *e)
{
	_free_ char *text = NULL;

	if (a->s->limits.strict && !f->is_exact)
		return err_from(ERR_LIMIT, e,
				err_set(e, EPERM,
					"--%s: %s: %s; --limits strict refuses that; remedy: %s",
					f->option, f->why, f->what, f->remedy));
	text = str_printf("%s: %s: %s", f->name, f->why, f->what);
	if (!text)
		return err_oom(e);
	strv_add(f->is_loud || a->m->is_named ? &a->ret->degraded : &a->ret->weaker, text);
	return 0;
}

/* Why this controller holds nothing. */
static const char *why_no_group(const struct limit_means *m, unsigned controller, char *buf,
				size_t size)
{
	if (m->parent)
		snprintf(buf, size, "%s%s does not offer the %s controller",
			 m->is_named ? "CSBX_CGROUP_PARENT " : "", m->parent,
			 cgroup_controller_name(controller));
	else
		snprintf(buf, size, "%s", m->no_group ? m->no_group : "no control group");
	return buf;
}

static unsigned count_tmpfs(const struct container_spec *s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->n_mounts; i++)
		n += s->mounts[i].kind == MOUNT_TMPFS;
	return n;
}

static int assign_memory(struct assigning *a, struct err *e)
{
	char why[300];
	struct shortfall f = {
		.name = "memory",
		.option = "memory",
		.what = "held by a watchdog, which looks every 5 to 20 ms",
		.why = why_no_group(a->m, CGROUP_MEMORY, why, sizeof(why)),
		.remedy = REMEDY,
	};
	uint64_t asked = a->s->limits.memory_bytes;

	if (!asked)
		return 0;
	a->ret->memory = (struct run_limit){asked, ENFORCED_CGROUP2};
	if (a->m->groups & CGROUP_MEMORY)
		return 0;
	if (count_tmpfs(a->s) > WATCHED_TMPFS_MAX)
		return err_set(e, EINVAL, "--tmpfs: more than %u cannot be held to --memory (%s)",
			       WATCHED_TMPFS_MAX, why);
	a->ret->memory.by = ENFORCED_WATCHDOG;
	a->ret->watch_memory = true;
	return fall_short(a, &f, e);
}

static int assign_cpus(struct assigning *a, struct err *e)
{
	char why[300];
	struct shortfall f = {
		.name = "cpus",
		.option = "cpus",
		.what = "held by CPU affinity, which the program can change",
		.why = why_no_group(a->m, CGROUP_CPU, why, sizeof(why)),
		.remedy = REMEDY,
	};
	uint64_t asked = a->s->limits.cpus_milli;

	if (!asked)
		return 0;
	a->ret->cpus_milli = (struct run_limit){asked, ENFORCED_CGROUP2};
	if (a->m->groups & CGROUP_CPU)
		return 0;
	a->ret->cpus_milli.by = ENFORCED_AFFINITY;
	if (asked % 1000) {
		f.is_loud = true;
		f.what = "a fraction of a CPU is rounded up to a whole one";
	}
	return fall_short(a, &f, e);
}

static bool asks_nproc(const struct limit_spec *l)
{
	for (size_t i = 0; i < l->n_rlimits; i++) {
		if (l->rlimits[i].resource == RLIMIT_NPROC && !l->rlimits[i].is_default)
			return true;
	}
	return false;
}

static int assign_pids(struct assigning *a, struct err *e)
{
	const struct limit_spec *l = &a->s->limits;
	char why[300];
	struct shortfall f = {
		.name = "pids",
		.option = "pids-limit",
		.why = why_no_group(a->m, CGROUP_PIDS, why, sizeof(why)),
		.what = "held for the container's one user",
		.remedy = REMEDY,
	};

	if (l->pids == UINT64_MAX || asks_nproc(l))
		return 0;
	a->ret->pids = (struct run_limit){l->pids, ENFORCED_CGROUP2};
	if (a->m->groups & CGROUP_PIDS)
		return 0;
	a->ret->pids.by = ENFORCED_RLIMIT;
	if (l->pids_is_default)
		return 0;
	a->ret->watch_pids = !a->m->one_id || a->m->is_root;
	f.is_exact = !a->ret->watch_pids;
	if (a->m->is_root) {
		a->ret->pids.by = ENFORCED_WATCHDOG;
		f.is_loud = true;
		f.what = "the kernel exempts root; a watchdog counts, and ends the container";
	} else if (!a->m->one_id) {
		f.what =
			"held for each user id; a watchdog counts them all, and ends the container";
		f.remedy = "--userns one, or a control group: " REMEDY;
	}
	return f.is_exact && !a->m->is_named ? 0 : fall_short(a, &f, e);
}

static int assign_upper(struct assigning *a, struct err *e)
{
	static const struct shortfall f = {
		.name = "upper_size",
		.option = "upper-size",
		.why = "this kernel's tmpfs cannot be an upper layer",
		.what = "the throw-away layer is a directory, which nothing bounds",
		.remedy = "Linux 6.6, or --read-only and --tmpfs for what is written",
		.is_loud = true,
	};

	return a->s->rootfs.upper_bytes && a->m->upper_on_disk ? fall_short(a, &f, e) : 0;
}

int limit_assign(const struct container_spec *s, const struct limit_means *m,
		 struct limit_holders *ret, struct err *e)
{
	static int (*const assign[])(struct assigning *, struct err *) = {
		assign_memory, assign_cpus, assign_pids, assign_upper};
	struct assigning a = {s, m, ret};
	int r = 0;

	limit_holders_free(ret);
	for (size_t i = 0; r >= 0 && i < sizeof(assign) / sizeof(assign[0]); i++)
		r = assign[i](&a, e);
	return r;
}

void limit_holders_free(struct limit_holders *h)
{
	strv_free(&h->weaker);
	strv_free(&h->degraded);
	*h = (struct limit_holders){.watch_memory = false};
}
