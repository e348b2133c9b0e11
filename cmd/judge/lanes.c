/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/lanes.h"

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

#define OWN_FILES 2u /* the snippet, and the program that thaws an interpreter */

int eval_lanes_choose(int option, const char *configured, bool *ret, struct err *e)
{
	if (option != EVAL_LANES_AUTO)
		configured = NULL;
	*ret = option == EVAL_LANES_YES || (configured && str_eq(configured, "yes"));
	if (configured && !*ret && !str_eq(configured, "no"))
		return err_set(e, EINVAL, "CSBX_LANES %.60s: yes or no", configured);
	return 0;
}

static const char *snippet_name(void)
{
	return eval_snippet_path(EVAL_PYTHON) + 1;
}

static bool make_slots(struct eval_lanes *l, unsigned slots)
{
	void *shared;

	if (l->items)
		return true;
	shared = mmap(NULL, slots, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	l->items = calloc(slots, sizeof(*l->items));
	if (shared == MAP_FAILED || !l->items)
		return false;
	l->shared = shared;
	l->n = slots;
	for (unsigned i = 0; i < slots; i++)
		l->items[i].is_clean = l->shared + i;
	return true;
}

/* The batch's container, with what each snippet has besides. */
static int open_lane(struct eval_lane *x, const struct eval_container *container, struct err *e)
{
	struct container_spec spec = *container->spec;
	struct file_spec files[OWN_FILES + 8];
	const struct lane_warm warm = {"/" EVAL_WARM_PROGRAM, container->warm->fd};
	int r = name_new_id(x->id, e);

	if (r < 0)
		return r;
	if (spec.n_files > 8)
		return err_set(e, EOPNOTSUPP, "lane: too many files");
	for (size_t i = 0; i < spec.n_files; i++)
		files[i] = container->spec->files[i];
	files[spec.n_files++] = (struct file_spec){
		.path = (char *)snippet_name(), .data = (char *)"", .is_users = true};
	files[spec.n_files++] = eval_warm_program(container->warm);
	spec.files = files;
	spec.id = x->id;
	r = lane_open(&spec, container->paths, snippet_name(), &warm, &x->lane, e);
	*x->is_clean = r >= 0;
	return r;
}

struct eval_lane *eval_lanes_before(struct eval_lanes *l, const struct eval_container *container,
				    unsigned slot, unsigned slots)
{
	struct err e = ERR_INIT;
	struct eval_lane *x;

	if (!l->is_on || !container->warm || container->warm->fd < 0)
		return NULL;
	if (!lane_is_possible(container->spec) || !make_slots(l, slots)) {
		l->is_on = false;
		return NULL;
	}
	x = &l->items[slot];
	if (!x->lane && open_lane(x, container, &e) < 0) {
		log_trace("no lanes: %s", e.msg);
		l->is_on = false;
	}
	return x->lane ? x : NULL;
}

bool eval_lanes_has(const struct eval_lanes *l, unsigned slot)
{
	return slot < l->n && l->items[slot].lane;
}

void eval_lanes_after(struct eval_lanes *l, unsigned slot)
{
	if (eval_lanes_has(l, slot) && !*l->items[slot].is_clean) {
		log_trace("lane %u is not as it was", slot);
		lane_close(&l->items[slot].lane);
	}
}

void eval_lanes_close(struct eval_lanes *l)
{
	for (unsigned i = 0; i < l->n; i++)
		lane_close(&l->items[i].lane);
	if (l->shared)
		munmap(l->shared, l->n);
	free(l->items);
	*l = (struct eval_lanes){0};
}

/*
 * What a lane may run: the harness in Python, with the snippet as its one file. One with an
 * environment of its own begins with an interpreter that has looked at it.
 */
static bool fits(const struct lane *lane, const struct eval_start *s,
		 const struct container_spec *spec)
{
	const struct file_spec *f = s->files;

	return s->may_share && eval_is_harness(s->argv) && s->n_keep_fds == 2 && !s->fetch &&
	       (s->input || spec->proc.close_stdin) && s->n_files == 1 &&
	       str_eq(f->path, snippet_name()) && f->is_users && !f->mode && lane_fits(lane, spec);
}

/* True where this run is to be in the lane, which is its from now on. */
static bool take(const struct eval_lane *x, const struct eval_start *s,
		 const struct container_spec *spec)
{
	return x && x->lane && fits(x->lane, s, spec) &&
	       __atomic_exchange_n(x->is_clean, 0, __ATOMIC_SEQ_CST);
}

bool eval_lane_run(const struct eval_container *container, const struct eval_start *s,
		   const struct container_spec *spec, const struct container_hooks *hooks,
		   struct run_result *ret)
{
	struct eval_lane *x = container->lane;
	struct err e = ERR_INIT;
	struct lane_file file;
	bool is_clean = false;
	int r;

	if (!take(x, s, spec)) {
		if (x)
			x->was_passed_by = true;
		return false;
	}
	file = (struct lane_file){s->files[0].path, s->files[0].data, s->files[0].len};
	r = lane_run(x->lane, spec, &file, hooks, ret, &is_clean, &e);
	__atomic_store_n(x->is_clean, is_clean, __ATOMIC_SEQ_CST);
	if (r >= 0)
		return true;
	log_trace("the lane is no more: %s", e.msg);
	x->was_passed_by = true;
	run_result_free(ret);
	*ret = (struct run_result){0};
	return false;
}

bool eval_lane_had_all(const struct eval_lane *x)
{
	return x->lane && *x->is_clean && !x->was_passed_by;
}
