/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build_ahead.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/build/build.h"
#include "cmd/build/dockerfile/expand.h"
#include "cmd/build/dockerfile/mount_words.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/affinity.h"
#include "runtime/kernel/process_id.h"

enum ahead_state { AHEAD_QUEUED, AHEAD_RUNNING, AHEAD_MADE };

struct ahead_item {
	struct build *b;
	struct build_stage *stage;
	struct ahead_failure *failure;
	struct build_child child;
	enum ahead_state state;
};

/* The facts that a failed process leaves besides its error. */
struct ahead_failure {
	bool is_step;
	size_t at; /* the instruction */
	int exit_code;
};

struct ahead_shared {
	struct ahead_failure failures[AHEAD_MAX];
};

/* --- which stages ------------------------------------------------------------------------------ */

struct wanted {
	struct build *b;
	bool *is_needed, *is_side; /* by stage */
};

/* A word that needs values of the stage is looked at when its turn comes. */
static struct build_stage *named(struct build *b, const char *word,
				 const struct build_stage *before)
{
	const struct expand x = {.env = &b->globals, .escape = b->dockerfile.escape};
	struct build_stage *found = NULL;
	_free_ char *name = NULL;

	if (expand_word(&x, word, &name, NULL) >= 0)
		found = stage_of(b, name, before);
	return found;
}

static void want_side(struct wanted *w, const char *word, const struct build_stage *before)
{
	struct build_stage *source = named(w->b, word, before);

	if (source)
		w->is_needed[source - w->b->stages] = w->is_side[source - w->b->stages] = true;
}

/* The step itself tells a fault of its words when its turn comes. */
static void want_mounts(struct wanted *w, const struct instruction *i,
			const struct build_stage *before)
{
	const struct expand x = {.env = &w->b->globals, .escape = w->b->dockerfile.escape};

	for (size_t n = 0; n < i->flags.n; n++) {
		struct run_mount m;

		if (!str_has_prefix(i->flags.items[n], "--mount=") ||
		    run_mount_parse(i->flags.items[n] + strlen("--mount="), &x, &m, NULL) < 0)
			continue;
		if (m.from)
			want_side(w, m.from, before);
		run_mount_free(&m);
	}
}

/* Stages are needed by later ones only: from the last to the first each is seen once. */
static void want(struct wanted *w, const struct build_stage *s)
{
	struct build *b = w->b;
	struct build_stage *base = named(b, b->dockerfile.items[s->first].args.items[0], s);

	if (base)
		w->is_needed[base - b->stages] = true;
	for (size_t n = s->first + 1; n < s->end; n++) {
		const struct instruction *i = &b->dockerfile.items[n];
		const char *flag = i->op == DOCKERFILE_COPY ? instruction_flag(i, "from") : NULL;

		if (flag)
			want_side(w, flag, s);
		if (i->op == DOCKERFILE_RUN)
			want_mounts(w, i, s);
	}
}

/* Takes out the stages that the build makes itself before anything else: the target's line. */
static void leave_own(struct wanted *w, const struct build_stage *target)
{
	struct build *b = w->b;

	while (target) {
		w->is_side[target - b->stages] = false;
		target = named(b, b->dockerfile.items[target->first].args.items[0], target);
	}
}

static void find(struct build *b, struct build_stage *target, bool *is_needed, bool *is_side)
{
	struct wanted w = {.b = b, .is_needed = is_needed};
	struct build_ahead *a = &b->ahead;

	w.is_side = is_side;
	is_needed[target - b->stages] = true;
	for (size_t i = (size_t)(target - b->stages) + 1; i-- > 0;) {
		if (is_needed[i])
			want(&w, &b->stages[i]);
	}
	leave_own(&w, target);
	for (size_t i = 0; i < b->n_stages && a->n < AHEAD_MAX; i++) {
		if (is_side[i])
			a->items[a->n++] = (struct ahead_item){
				.b = b, .stage = &b->stages[i], .child = BUILD_CHILD_INIT};
	}
}

/* --- one process ------------------------------------------------------------------------------- */

/* The build may be in the middle of some, and has what it needs of them. */
static void begin_anew(struct build *b)
{
	for (size_t i = 0; i < b->n_stages; i++) {
		struct build_stage *s = &b->stages[i];

		if (s->is_done)
			continue;
		stage_free(s);
		*s = (struct build_stage){.name = s->name, .first = s->first, .end = s->end};
	}
}

static int make(void *arg, int parent, struct err *e)
{
	struct ahead_item *item = arg;
	struct build *b = item->b;
	const struct instruction *first = b->dockerfile.items;
	int r = process_end_with(parent, e);

	fd_close(&b->ahead.stop[1]);
	b->ahead.is_child = true;
	begin_anew(b);
	if (r >= 0)
		r = b->ahead.make(b, item->stage, e);
	if (r < 0)
		*item->failure = (struct ahead_failure){.is_step = b->at >= first &&
								   b->at < first + b->dockerfile.n,
							.at = (size_t)(b->at - first),
							.exit_code = b->exit_code};
	build_cache_close(&b->cache);
	return r < 0 ? r : 0;
}

static int start(struct build_ahead *a, struct ahead_item *item, struct err *e)
{
	int r = build_child_start(&item->child, make, item, e);

	if (r < 0)
		return r;
	item->state = AHEAD_RUNNING;
	a->n_running++;
	return 0;
}

/* No more than there are CPUs; the build itself is one of them unless it waits. */
static int start_next(struct build *b, bool waits, struct err *e)
{
	struct build_ahead *a = &b->ahead;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < a->n && a->n_running + !waits < a->cpus; i++) {
		if (a->items[i].state == AHEAD_QUEUED)
			r = start(a, &a->items[i], e);
	}
	return r;
}

static int end_one(struct build *b, struct ahead_item *item, struct err *e)
{
	int r = build_child_wait(&item->child, e);

	item->state = AHEAD_MADE;
	b->ahead.n_running--;
	if (r < 0) {
		b->exit_code = item->failure->exit_code;
		if (item->failure->is_step)
			b->at = &b->dockerfile.items[item->failure->at];
	}
	return r;
}

/* --- what others see --------------------------------------------------------------------------- */

size_t build_ahead_polled(const struct build *b, struct pollfd ret[AHEAD_MAX])
{
	const struct build_ahead *a = &b->ahead;
	size_t n = 0;

	if (a->is_child) {
		ret[n++] = (struct pollfd){.fd = a->stop[0], .events = POLLIN};
		return n;
	}
	for (size_t i = 0; i < a->n; i++) {
		if (a->items[i].state == AHEAD_RUNNING)
			ret[n++] = (struct pollfd){.fd = a->items[i].child.answer_fd,
						   .events = POLLIN};
	}
	return n;
}

static bool has_answered(const struct ahead_item *item)
{
	struct pollfd p = {.fd = item->child.answer_fd, .events = POLLIN};

	return item->state == AHEAD_RUNNING && poll(&p, 1, 0) > 0;
}

int build_ahead_see(struct build *b, struct err *e)
{
	struct build_ahead *a = &b->ahead;
	struct pollfd stop = {.fd = a->stop[0], .events = POLLIN};
	int r = 0;

	if (a->is_child)
		return poll(&stop, 1, 0) > 0 ? err_set(e, ECANCELED, "another stage failed") : 0;
	for (size_t i = 0; r >= 0 && i < a->n; i++) {
		if (has_answered(&a->items[i]))
			r = end_one(b, &a->items[i], e);
	}
	return r;
}

int build_ahead_check(struct build *b, struct err *e)
{
	int r = build_ahead_see(b, e);

	return r < 0 || b->ahead.is_child ? r : start_next(b, false, e);
}

int build_ahead_wait(struct build *b, const struct build_stage *s, struct err *e)
{
	struct build_ahead *a = &b->ahead;
	struct ahead_item *item = NULL;
	struct pollfd polled[AHEAD_MAX];
	int r = 0;

	for (size_t i = 0; i < a->n && !a->is_child; i++) {
		if (a->items[i].stage == s)
			item = &a->items[i];
	}
	if (!item)
		return 0;
	if (item->state == AHEAD_QUEUED) {
		item->state = AHEAD_MADE;
		return 0;
	}
	while (r >= 0 && item->state == AHEAD_RUNNING) {
		r = build_ahead_see(b, e);
		if (r >= 0)
			r = start_next(b, true, e);
		if (r >= 0 && item->state == AHEAD_RUNNING)
			(void)poll(polled, build_ahead_polled(b, polled), -1);
	}
	return r < 0 ? r : 1;
}

static int prepare(struct build *b, struct err *e)
{
	struct build_ahead *a = &b->ahead;
	void *shared = mmap(NULL, sizeof(*a->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return err_sys(e, "memory for the stages");
	a->shared = shared;
	for (size_t i = 0; i < a->n; i++)
		a->items[i].failure = &a->shared->failures[i];
	if (pipe2(a->stop, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	return build_cache_share(&b->cache, e);
}

int build_ahead_start(struct build *b, struct build_stage *target, build_ahead_fn *make_stage,
		      struct err *e)
{
	struct build_ahead *a = &b->ahead;
	_free_ bool *flags = calloc(2 * b->n_stages, sizeof(*flags));
	int r;

	a->cpus = affinity_cpus();
	a->make = make_stage;
	/* The classic builder's words are for one step after the other. */
	if (a->cpus < 2 || b->args->is_stream)
		return 0;
	a->items = calloc(b->n_stages, sizeof(*a->items));
	if (!a->items || !flags)
		return err_oom(e);
	find(b, target, flags, flags + b->n_stages);
	if (!a->n)
		return 0;
	r = prepare(b, e);
	if (r >= 0)
		r = build_text_share(&b->progress, e);
	return r < 0 ? r : start_next(b, false, e);
}

void build_ahead_end(struct build *b)
{
	struct build_ahead *a = &b->ahead;

	if (a->stop[1] >= 0)
		(void)!write(a->stop[1], "", 1);
	for (size_t i = 0; i < a->n; i++)
		(void)build_child_wait(&a->items[i].child, NULL);
	fd_close(&a->stop[0]);
	fd_close(&a->stop[1]);
	if (a->shared)
		munmap(a->shared, sizeof(*a->shared));
	free(a->items);
	*a = (struct build_ahead)BUILD_AHEAD_INIT;
}
