/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/lint.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "cmd/judge/harness_frame.h"
#include "cmd/judge/job.h"
#include "cmd/judge/judge.h"
#include "cmd/judge/value/value.h"
#include "cmd/judge/peer.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

static struct value list_of(struct value_pool *pool, const struct strv *texts)
{
	struct value v = {.kind = VALUE_LIST, .n = texts->n};

	v.items = value_alloc(pool, (texts->n + 1) * sizeof(*v.items));
	if (!v.items)
		return (struct value){.kind = VALUE_LIST};
	for (size_t i = 0; i < texts->n; i++)
		v.items[i] = (struct value){
			.kind = VALUE_STR, .n = strlen(texts->items[i]), .text = texts->items[i]};
	return v;
}

/* [deny_import, deny_call, allow_command or None], before anything runs that could wait for it. */
static int send_options(int fd, const struct eval_job *job, struct err *e)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	_strbuf_ struct strbuf payload = STRBUF_INIT, out = STRBUF_INIT;
	struct value items[] = {list_of(&pool, &job->deny_import), list_of(&pool, &job->deny_call),
				list_of(&pool, &job->allow_command)};
	const struct value list = {.kind = VALUE_LIST, .n = 3, .items = items};

	if (!job->allow_command.n)
		items[2].kind = VALUE_NONE;
	value_write_literal(&list, &payload);
	harness_frame_write(&out, 'O', 0, strbuf_str(&payload), payload.len);
	if (out.len > 65536)
		return err_set(e, E2BIG, "--deny-import and the like: too many words");
	return io_write_all(fd, strbuf_str(&out), out.len, e);
}

/* All that was said is there: the container has ended. */
static bool read_findings(int fd, struct strv *found)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct harness_buffer in = {0};
	struct harness_frame f;
	struct value v;
	bool is_known = false;

	while (harness_frame_fill(&in, fd, NULL) > 0)
		;
	if (harness_frame_next(&in, &f, NULL) > 0)
		is_known = f.kind == 'D' || f.kind == 'V';
	if (is_known && f.kind == 'V' &&
	    value_read_literal(&pool, f.payload, f.len, &v, NULL) >= 0 && v.kind == VALUE_LIST) {
		for (size_t i = 0; i < v.n; i++) {
			if (v.items[i].kind == VALUE_STR)
				strv_take(found, str_printf("%.500s", v.items[i].text));
		}
	}
	harness_buffer_free(&in);
	return is_known;
}

static void set_violation(struct eval_verdict *v, const struct strv *found)
{
	struct run_result *r = &v->ended.result;

	if (!run_is_none(r->status)) {
		r->status = RUN_POLICY_VIOLATION;
		r->exit_code = -1;
		r->signal = 0;
	}
	if (!found->n)
		strv_add(&v->feedback, "The program could not be checked for what is not allowed.");
	for (size_t i = 0; i < found->n; i++)
		strv_take(&v->feedback, str_printf("Not allowed: %s.", found->items[i]));
	v->error.message = found->n ? str_printf("%s", found->items[0]) : NULL;
	if (found->n && str_has_prefix(found->items[0], "line "))
		v->error.line = (unsigned)strtoul(found->items[0] + 5, NULL, 10);
}

static int run_lint(const struct eval_container *container, const struct eval_job *job, int pair[2],
		    struct eval_verdict *v, struct err *e)
{
	_close_ int text = eval_harness_fd(container->paths, EVAL_HARNESS_LINT, e);
	_strv_ struct strv argv = STRV_INIT, found = STRV_INIT;
	struct file_spec files[2];
	bool is_known;

	if (text < 0)
		return text;
	{
		const int fds[] = {pair[1], text};
		const struct eval_start start = {
			.argv = &argv,
			.files = files,
			.n_files = eval_job_files(job, files, &argv),
			.keep_fds = fds,
			.n_keep_fds = 2,
			.timeout_ms = container->spec->limits.timeout_ms,
		};

		eval_start(container, &start, &v->ended);
	}
	fd_close(&pair[1]);
	is_known = read_findings(pair[0], &found);
	if (is_known && !found.n)
		return 0;
	set_violation(v, &found);
	return 1;
}

int eval_lint(const struct eval_container *container, const struct eval_job *job,
	      struct eval_verdict *v, struct err *e)
{
	int pair[2], r = peer_pair(pair, e);

	if (r < 0)
		return r;
	r = send_options(pair[0], job, e);
	if (r >= 0)
		r = run_lint(container, job, pair, v, e);
	fd_close(&pair[0]);
	fd_close(&pair[1]);
	if (!r)
		eval_ended_free(&v->ended);
	return r;
}
