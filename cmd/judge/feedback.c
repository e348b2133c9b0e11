/* SPDX-License-Identifier: Apache-2.0 */

/* A verdict in words: error_summary and feedback[], fit to be shown to the author of the code. */

#include <stdlib.h>
#include <string.h>

#include "cmd/judge/job.h"
#include "cmd/judge/judge.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

#define MESSAGE_BYTES_MAX 400

static void say(struct eval_verdict *v, char *sentence)
{
	strv_take(&v->feedback, sentence);
}

/* The last line of text that is not blank: programs put the cause of their end there. */
static char *last_line(const struct strbuf *text)
{
	const char *s = strbuf_str(text), *end = s + text->len, *begin;

	while (end > s && strchr(" \t\r\n", end[-1]))
		end--;
	begin = end;
	while (begin > s && begin[-1] != '\n')
		begin--;
	if (begin == end)
		return NULL;
	return str_printf("%.*s",
			  end - begin > MESSAGE_BYTES_MAX ? MESSAGE_BYTES_MAX : (int)(end - begin),
			  begin);
}

/*
 * The first complaint of a compiler, as gcc, clang and tcc put it: "FILE:LINE:COLUMN: error: TEXT",
 * with or without a column, "fatal error" too. Later complaints are often consequences of the
 * first, and the last line is a drawing or a count. False: no line is of that form.
 */
static bool first_complaint(const struct strbuf *text, const char *file, struct eval_error *ret)
{
	static const char mark[] = "error: ";
	const char *s = strbuf_str(text);
	size_t n = strlen(file);

	for (const char *end; *s; s = *end ? end + 1 : end) {
		const char *at, *what;

		end = strchrnul(s, '\n');
		at = memmem(s, (size_t)(end - s), file, n);
		what = memmem(s, (size_t)(end - s), mark, sizeof(mark) - 1);
		if (!at || !what || what < at + n || at[n] != ':')
			continue;
		what += sizeof(mark) - 1;
		ret->line = (unsigned)strtoul(at + n + 1, NULL, 10);
		ret->message = str_printf("%.*s",
					  end - what > MESSAGE_BYTES_MAX ? MESSAGE_BYTES_MAX
									 : (int)(end - what),
					  what);
		return ret->message;
	}
	return false;
}

static void explain_compile(const struct eval_job *job, struct eval_verdict *v)
{
	const struct strbuf *text = &v->ended.result.err.text;
	_free_ char *where = NULL;

	if (first_complaint(text, eval_snippet_path(job->lang), &v->error))
		where = str_printf(" in line %u", v->error.line);
	else
		v->error.message = last_line(text);
	say(v, str_printf("The program does not compile%s%s%s.", where ? where : "",
			  v->error.message ? ": " : "", v->error.message ? v->error.message : ""));
}

static void explain_exception(const struct eval_error *x, struct eval_verdict *v)
{
	_free_ char *where = x->line ? str_printf(" in line %u", x->line) : str_printf("%s", "");
	const char *colon = x->message && *x->message ? ": " : "";

	if (str_eq(x->type, "SystemExit"))
		say(v, str_printf("The program left by sys.exit()%s before its last statement was "
				  "done.",
				  where ? where : ""));
	else
		say(v, str_printf("%s%s%s%s.", x->type, where ? where : "", colon,
				  x->message ? x->message : ""));
}

static void explain_exit(const struct eval_job *job, struct eval_verdict *v)
{
	const struct run_result *r = &v->ended.result;

	if (v->error.type) {
		explain_exception(&v->error, v);
	} else if (r->exit_code) {
		v->error.message = last_line(&r->err.text);
		say(v, str_printf("The program ended with exit code %d%s%s.", r->exit_code,
				  v->error.message ? ": " : "",
				  v->error.message ? v->error.message : ""));
	} else if (!v->completed) {
		say(v, str_printf("The program ended with exit code 0 before its last statement "
				  "was done%s.",
				  job->lang == EVAL_PYTHON ? " (os._exit(), closed descriptors)"
							   : ""));
	}
	if (r->net_tried)
		say(v, str_printf("It looked for a network; there is none here."));
}

static void explain_run(const struct eval_job *job, struct eval_verdict *v)
{
	const struct run_result *r = &v->ended.result;
	const struct limit_spec *l = &v->ended.spec.limits;

	switch (r->status) {
	case RUN_EXITED:
		explain_exit(job, v);
		break;
	case RUN_SIGNALED:
		say(v, str_printf("The program was ended by signal %d (%s).", r->signal,
				  strsignal(r->signal)));
		break;
	case RUN_TIMEOUT:
		if (v->is_out_of_time)
			break; /* the cases say so */
		say(v, str_printf("The program was not done within %llu.%03llu s: look for an "
				  "endless loop, for waiting, or for a slow algorithm.",
				  (unsigned long long)l->timeout_ms / 1000,
				  (unsigned long long)l->timeout_ms % 1000));
		break;
	case RUN_OOM:
		say(v, str_printf("The program needed more than %llu MiB of memory.",
				  (unsigned long long)(l->memory_bytes >> 20)));
		break;
	case RUN_OUTPUT_LIMIT:
		say(v, str_printf("The program wrote more than %llu bytes.",
				  (unsigned long long)l->output_kill_bytes));
		break;
	case RUN_PIDS_LIMIT:
		say(v, str_printf("The program started more than %llu processes.",
				  (unsigned long long)l->pids));
		break;
	case RUN_COMPILE_ERROR:
		explain_compile(job, v);
		break;
	default:
		break;
	}
}

static void explain_cases(const struct eval_job *job, struct eval_verdict *v)
{
	for (size_t i = 0; i < job->cases.n; i++) {
		if (job->cases.items[i].outcome != EVAL_PASSED)
			say(v, eval_case_sentence(&job->cases.items[i], job->function));
	}
}

static void explain_check(struct eval_verdict *v)
{
	const struct eval_error *x = &v->check.error;
	_free_ char *where =
		x->line ? str_printf(" in line %u of it", x->line) : str_printf("%s", "");

	if (x->type)
		say(v, str_printf("The check failed%s: %s%s%s.", where ? where : "", x->type,
				  x->message && *x->message ? ": " : "",
				  x->message ? x->message : ""));
	else if (x->message)
		say(v, str_printf("The check has not passed: %s.", x->message));
	else
		say(v, str_printf("The check did not come to its end."));
}

void eval_explain(const struct eval_job *job, struct eval_verdict *v)
{
	if (!job->cases.n || !eval_cases_all_passed(&job->cases))
		explain_run(job, v);
	if (v->check.is_there && !v->check.passed)
		explain_check(v);
	explain_cases(job, v);
}

static void write_error(struct json_out *j, const struct eval_error *x)
{
	json_key(j, "error_summary");
	if (!x->type && !x->message) {
		json_null(j);
		return;
	}
	json_begin_object(j);
	json_kstr(j, "type", x->type);
	json_kstr(j, "message", x->message);
	json_key(j, "line");
	if (x->line)
		json_u64(j, x->line);
	else
		json_null(j);
	json_end_object(j);
}

static void write_check(struct json_out *j, const struct eval_check *c)
{
	json_key(j, "check");
	json_begin_object(j);
	json_kbool(j, "passed", c->passed);
	write_error(j, &c->error);
	json_key(j, "result");
	json_raw(j, c->result);
	json_end_object(j);
	json_kbool(j, "all_passed", c->passed);
	json_ku64(j, "score", c->passed);
}

void eval_verdict_write(void *ctx, struct json_out *j)
{
	const struct eval_verdict *v = ctx;

	if (v->job->cases.n)
		eval_cases_write(&v->job->cases, j);
	if (v->check.is_there)
		write_check(j, &v->check);
	write_error(j, &v->error);
	json_kstrv(j, "feedback", &v->feedback);
}
