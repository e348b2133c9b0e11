/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/eval_batch.h"

#include "cmd/judge/batch/batch.h"
#include "cmd/judge/job_line.h"
#include "cmd/judge/job.h"
#include "cmd/judge/judge.h"
#include "cmd/judge/lanes.h"
#include "cmd/judge/warm.h"
#include "runtime/base/err.h"
#include "runtime/spec/result_json.h"

#define WARM_AFTER_LINES 4u /* of a shorter batch it takes longer than it saves */

struct eval_batch {
	struct eval_container container;
	struct eval_job *job; /* of all lines */
	struct eval_warm warm;
	struct eval_lanes lanes;
	unsigned lines; /* that were begun */
	bool is_warm_tried;
};

static int judge_line(struct eval_batch *b, struct eval_job *job, const struct batch_line *line,
		      struct strbuf *record, struct err *e)
{
	struct eval_job_container own;
	struct eval_verdict verdict = {0};
	struct result_more more = {.write = eval_verdict_write,
				   .ctx = &verdict,
				   .label = line->label ? line->label : "null",
				   .occurrence = line->occurrence};
	int r = eval_job_from_line(line->object, job, e);

	b->container.end_fd = line->end_fd;
	if (r >= 0)
		r = eval_job_container_make(&b->container, job, &own, e);
	if (r >= 0)
		r = eval_judge(&own.container, job, &verdict, e);
	if (r < 0)
		return r;
	(void)judge_is_interrupted(&verdict.ended.result);
	more.completed = verdict.completed;
	r = result_json_more(&verdict.ended.spec, &verdict.ended.result, true, &more, record, e);
	if (r >= 0)
		r = run_is_none(verdict.ended.result.status);
	*line->goes_on = own.container.lane && eval_lane_had_all(own.container.lane);
	eval_verdict_free(&verdict);
	eval_job_container_free(&own);
	return r;
}

/*
 * A line's process. It may have another one behind it where the line's job is its own, nothing was
 * added to that of all lines, and all that it ran was in the lane.
 */
static int run_line(void *ctx, const struct batch_line *line, struct strbuf *record, struct err *e)
{
	struct eval_batch *b = ctx;
	struct eval_job own = *b->job;
	bool is_bare = eval_job_is_bare(b->job);
	int r = judge_line(b, is_bare ? &own : b->job, line, record, e);

	if (is_bare)
		eval_job_free(&own);
	*line->goes_on = *line->goes_on && is_bare;
	return r;
}

/* Before the first line where it is known that there are so many, which saves their time. */
static bool is_warm_due(struct eval_batch *b, uint64_t left)
{
	if (b->is_warm_tried || b->job->lang != EVAL_PYTHON)
		return false;
	b->is_warm_tried = b->lines + left > WARM_AFTER_LINES || b->lines == WARM_AFTER_LINES;
	return b->is_warm_tried;
}

static bool before_line(void *ctx, unsigned slot, unsigned slots, uint64_t left)
{
	struct eval_batch *b = ctx;
	bool is_same = eval_lanes_has(&b->lanes, slot);

	b->lines++;
	if (is_warm_due(b, left))
		eval_warm_make(&b->warm, &b->container);
	if (b->warm.fd >= 0)
		b->container.warm = &b->warm;
	b->container.lane = eval_lanes_before(&b->lanes, &b->container, slot, slots);
	return is_same;
}

static void after_line(void *ctx, unsigned slot)
{
	struct eval_batch *b = ctx;

	eval_lanes_after(&b->lanes, slot);
}

int eval_batch_run(const struct paths *paths, const struct container_spec *spec,
		   struct eval_job *job, bool has_lanes, struct batch *b)
{
	struct eval_batch ctx = {
		.container = {.paths = paths, .spec = spec},
		.job = job,
		.warm = EVAL_WARM_INIT,
		.lanes = {.is_on = has_lanes},
	};
	int code;

	b->work = run_line;
	b->before = before_line;
	b->after = after_line;
	b->ctx = &ctx;
	code = batch_run(b, "eval");
	eval_lanes_close(&ctx.lanes);
	eval_warm_free(&ctx.warm);
	return code;
}
