/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cmd/judge/container.h"
#include "cmd/judge/job.h"
#include "cmd/judge/warm.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"
#include "runtime/base/str.h"
#include "runtime/spec/result.h"
#include "runtime/start/lane.h"

#define FAILURES_MAX 16u /* a full machine may refuse one and have place for the next */
#define OWN_FILES 2u     /* the snippet, and the program that thaws an interpreter */

int eval_lanes_choose(int option, const char *configured, bool *ret, struct err *e)
{
	bool is_no = configured && str_eq(configured, "no");

	*ret = option == EVAL_LANES_AUTO ? !is_no : option == EVAL_LANES_YES;
	if (option == EVAL_LANES_AUTO && configured && !is_no && !str_eq(configured, "yes"))
		return err_set(e, EINVAL, "CSBX_LANES %.60s: yes or no", configured);
	return 0;
}

const char *eval_lane_file(enum eval_lane_kind kind)
{
	return (kind == EVAL_LANE_CHECK ? EVAL_CHECK_PATH : eval_snippet_path(EVAL_PYTHON)) + 1;
}

static bool make_slots(struct eval_lanes *l, unsigned slots)
{
	const size_t bytes = slots * sizeof(*l->shared);
	void *shared;

	if (l->items)
		return true;
	shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	l->items = calloc(slots, sizeof(*l->items));
	if (shared == MAP_FAILED || !l->items)
		return false;
	l->shared = shared;
	l->n = slots;
	for (unsigned i = 0; i < slots; i++)
		l->items[i].said = l->shared + i;
	return true;
}

int eval_lane_spec(const struct eval_container *container, enum eval_lane_kind kind,
		   struct eval_lane_spec *ret, struct err *e)
{
	const struct container_spec *from = container->spec;
	struct container_spec *spec = &ret->spec;

	*spec = *from;
	spec->files = ret->files;
	if (from->n_files > EVAL_LANE_FILES_MAX - OWN_FILES)
		return err_set(e, EOPNOTSUPP, "lane: too many files");
	for (size_t i = 0; i < from->n_files; i++)
		ret->files[i] = from->files[i];
	ret->files[spec->n_files++] = (struct file_spec){
		.path = (char *)eval_lane_file(kind), .data = (char *)"", .is_users = true};
	ret->files[spec->n_files++] = eval_warm_program(container->warm);
	return 0;
}

static int open_lane(struct eval_lane *x, enum eval_lane_kind kind,
		     const struct eval_container *container, struct err *e)
{
	struct eval_lane_spec of;
	const struct lane_warm warm = {"/" EVAL_WARM_PROGRAM, container->warm->fd};
	int r = name_new_id(x->ids[kind], e);

	if (r >= 0)
		r = eval_lane_spec(container, kind, &of, e);
	if (r < 0)
		return r;
	of.spec.id = x->ids[kind];
	r = lane_open(&of.spec, container->paths, eval_lane_file(kind), &warm, false,
		      &x->lanes[kind], e);
	x->said->is_clean[kind] = r >= 0;
	return r;
}

struct eval_lane *eval_lanes_before(struct eval_lanes *l, const struct eval_container *container,
				    unsigned slot, unsigned slots)
{
	struct err e = ERR_INIT;
	struct eval_lane *x;
	int r = 0;

	if (!l->is_on || !container->warm || container->warm->fd < 0)
		return NULL;
	if (!lane_is_possible(container->spec) || !make_slots(l, slots)) {
		l->is_on = false;
		return NULL;
	}
	x = &l->items[slot];
	x->said->was_passed_by = 0;
	for (int kind = 0; r >= 0 && kind < EVAL_LANE_KINDS; kind++) {
		if (x->lanes[kind] || (kind == EVAL_LANE_CHECK && !x->said->wants_check))
			continue;
		r = open_lane(x, (enum eval_lane_kind)kind, container, &e);
		l->failures = r < 0 ? l->failures + 1 : 0;
	}
	if (r < 0) {
		log_trace("no lane: %s", e.msg);
		l->is_on = r != -EOPNOTSUPP && l->failures < FAILURES_MAX;
	}
	return x->lanes[EVAL_LANE_SNIPPET] ? x : NULL;
}

bool eval_lanes_has(const struct eval_lanes *l, unsigned slot)
{
	const struct eval_lane *x = slot < l->n ? &l->items[slot] : NULL;

	return x && x->lanes[EVAL_LANE_SNIPPET] &&
	       (x->lanes[EVAL_LANE_CHECK] || !x->said->wants_check);
}

void eval_lanes_after(struct eval_lanes *l, unsigned slot)
{
	struct eval_lane *x = slot < l->n ? &l->items[slot] : NULL;

	for (int kind = 0; x && kind < EVAL_LANE_KINDS; kind++) {
		if (x->lanes[kind] && !x->said->is_clean[kind]) {
			log_trace("lane %u is not as it was", slot);
			lane_close(&x->lanes[kind]);
			x->said->wants_check = 0; /* until the next line that has some */
		}
	}
}

void eval_lanes_close(struct eval_lanes *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		for (int kind = 0; kind < EVAL_LANE_KINDS; kind++)
			lane_close(&l->items[i].lanes[kind]);
	}
	if (l->shared)
		munmap(l->shared, l->n * sizeof(*l->shared));
	free(l->items);
	*l = (struct eval_lanes){0};
}

/* The kind of lane that has the run's one file; EVAL_LANE_KINDS: none. */
static enum eval_lane_kind kind_of(const struct eval_start *s)
{
	const struct file_spec *f = s->files;
	int kind = 0;

	if (s->n_files != 1 || !f->is_users || f->mode)
		return EVAL_LANE_KINDS;
	while (kind < EVAL_LANE_KINDS &&
	       !str_eq(f->path, eval_lane_file((enum eval_lane_kind)kind)))
		kind++;
	return (enum eval_lane_kind)kind;
}

/*
 * What a lane may run: the harness in Python. One with an environment of its own begins with an
 * interpreter that has looked at it.
 */
static bool fits(const struct eval_start *s, const struct container_spec *spec)
{
	return s->may_share && eval_is_harness(s->argv) && s->n_keep_fds == 2 && !s->fetch &&
	       (s->input || spec->proc.close_stdin);
}

/* The lane that this run is to be in, which is its from now on; NULL: none. */
static struct lane *take(struct eval_lane *x, enum eval_lane_kind kind, const struct eval_start *s,
			 const struct container_spec *spec)
{
	struct lane *lane = kind < EVAL_LANE_KINDS ? x->lanes[kind] : NULL;

	if (kind == EVAL_LANE_CHECK)
		x->said->wants_check = 1;
	if (!lane || !fits(s, spec) || !lane_fits(lane, spec))
		return NULL;
	return __atomic_exchange_n(&x->said->is_clean[kind], 0, __ATOMIC_SEQ_CST) ? lane : NULL;
}

bool eval_lane_run(const struct eval_container *container, const struct eval_start *s,
		   const struct container_spec *spec, const struct container_hooks *hooks,
		   struct run_result *ret)
{
	struct eval_lane *x = container->lane;
	enum eval_lane_kind kind = kind_of(s);
	struct lane *lane = x ? take(x, kind, s, spec) : NULL;
	struct err e = ERR_INIT;
	struct lane_file file;
	bool is_clean = false;
	int r;

	if (!lane) {
		if (x)
			x->said->was_passed_by = 1;
		return false;
	}
	file = (struct lane_file){s->files[0].path, s->files[0].data, s->files[0].len};
	r = lane_run(lane, spec, &file, hooks, ret, &is_clean, &e);
	__atomic_store_n(&x->said->is_clean[kind], is_clean, __ATOMIC_SEQ_CST);
	if (r >= 0)
		return true;
	log_trace("the lane is no more: %s", e.msg);
	x->said->was_passed_by = 1;
	run_result_free(ret);
	*ret = (struct run_result){0};
	return false;
}

bool eval_lane_had_all(const struct eval_lane *x)
{
	for (int kind = 0; kind < EVAL_LANE_KINDS; kind++) {
		if (x->lanes[kind] && !x->said->is_clean[kind])
			return false;
	}
	return !x->said->was_passed_by;
}
