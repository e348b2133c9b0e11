/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/job_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/batch/line.h"
#include "cmd/judge/field_words.h"
#include "cmd/judge/job.h"
#include "cmd/judge/markdown.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"

static int must_be(struct err *e, const char *what)
{
	return err_set(e, EINVAL, "must be %s", what);
}

/* A text that may have any characters. */
static int read_into(struct strbuf *to, const struct value *v, struct err *e)
{
	if (v->kind != VALUE_STR)
		return must_be(e, "a text");
	strbuf_reset(to);
	strbuf_add(to, v->text, v->n);
	return strbuf_check(to, e);
}

static int set_code(struct eval_job *job, const struct value *v, struct err *e)
{
	job->has_code = true;
	return read_into(&job->code, v, e);
}

static int set_file(struct eval_job *job, const struct value *v, struct err *e)
{
	const char *path = NULL;

	if (batch_read_text(v, &path, e) < 0)
		return -EINVAL;
	strbuf_reset(&job->code);
	job->has_code = true;
	return eval_read_file(path, EVAL_CODE_BYTES_MAX, job->run, &job->code, e);
}

static int set_lang(struct eval_job *job, const struct value *v, struct err *e)
{
	static const char *const names[EVAL_LANGS] = {"python", "bash", "node", "c"};

	for (int i = 0; i < EVAL_LANGS; i++) {
		if (value_is_text(v, names[i])) {
			job->lang = (enum eval_lang)i;
			return 0;
		}
	}
	return must_be(e, "one of " EVAL_LANG_CHOICES);
}

static int set_function(struct eval_job *job, const struct value *v, struct err *e)
{
	const char *name = NULL;

	if (batch_read_text(v, &name, e) < 0)
		return -EINVAL;
	return eval_job_set_function(job, name, e);
}

static int set_setup(struct eval_job *job, const struct value *v, struct err *e)
{
	job->has_setup = true;
	return read_into(&job->setup, v, e);
}

static int set_check(struct eval_job *job, const struct value *v, struct err *e)
{
	job->has_check = true;
	return read_into(&job->check, v, e);
}

static int set_stdin(struct eval_job *job, const struct value *v, struct err *e)
{
	job->input = v;
	return v->kind == VALUE_STR || v->kind == VALUE_BYTES ? 0 : must_be(e, "a text");
}

static int set_files(struct eval_job *job, const struct value *v, struct err *e)
{
	if (v->kind != VALUE_DICT)
		return must_be(e, "an object of base64");
	for (size_t i = 0; i < v->n; i += 2) {
		_strbuf_ struct strbuf data = STRBUF_INIT;
		const char *path = NULL;
		int r;

		if (batch_read_text(&v->items[i], &path, e) < 0 ||
		    v->items[i + 1].kind != VALUE_STR)
			return must_be(e, "an object of base64");
		if (base64_decode(v->items[i + 1].text, v->items[i + 1].n, &data) < 0)
			return err_set(e, EINVAL, "%.200s: not base64", path);
		r = eval_job_add_file(job, path, strbuf_str(&data), data.len, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int set_timeout(struct eval_job *job, const struct value *v, struct err *e)
{
	return batch_read_timeout(v, &job->timeout_ms, e);
}

static int set_total_timeout(struct eval_job *job, const struct value *v, struct err *e)
{
	return batch_read_timeout(v, &job->total_timeout_ms, e);
}

static int set_fail_fast(struct eval_job *job, const struct value *v, struct err *e)
{
	job->fail_fast = v->truth;
	return v->kind == VALUE_BOOL ? 0 : must_be(e, "true or false");
}

static int set_markdown(struct eval_job *job, const struct value *v, struct err *e)
{
	job->is_markdown = v->truth;
	return v->kind == VALUE_BOOL ? 0 : must_be(e, "true or false");
}

static int set_in_place(struct eval_job *job, const struct value *v, struct err *e)
{
	job->is_in_place = v->truth;
	return v->kind == VALUE_BOOL ? 0 : must_be(e, "true or false");
}

static int set_memory(struct eval_job *job, const struct value *v, struct err *e)
{
	return batch_read_memory(v, &job->memory_bytes, e);
}

static int set_args(struct eval_job *job, const struct value *v, struct err *e)
{
	strv_free(&job->args);
	return batch_read_texts(v, &job->args, e);
}

static int set_env(struct eval_job *job, const struct value *v, struct err *e)
{
	return batch_read_env(v, &job->env, e);
}

/* Read by the batch itself, or with others (field_words.h); cases come last, when it is known whether there is a function. */
static int pass_over(struct eval_job *job, const struct value *v, struct err *e)
{
	(void)job;
	(void)v;
	(void)e;
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct eval_job *job, const struct value *v, struct err *e);
} members[] = {
	/* by the names that data sets have for them */
	{"entry_point", set_function},
	{"test", set_check},
	{"task_id", pass_over},
	{"prompt", pass_over},
	{"completion", pass_over},
	{"canonical_solution", pass_over},
	{"test_list", pass_over},
	{"test_setup_code", pass_over},
	{"test_imports", pass_over},
	{"text", pass_over},
	{"source_file", pass_over},
	{"challenge_test_list", pass_over},
	/* by ours */
	{"id", pass_over},
	{"cases", pass_over},
	{"code", set_code},
	{"file", set_file},
	{"lang", set_lang},
	{"function", set_function},
	{"setup", set_setup},
	{"check", set_check},
	{"stdin", set_stdin},
	{"args", set_args},
	{"env", set_env},
	{"files", set_files},
	{"timeout", set_timeout},
	{"memory", set_memory},
	{"fail_fast", set_fail_fast},
	{"in_place", set_in_place},
	{"markdown", set_markdown},
	{"total_timeout", set_total_timeout},
};

static int read_member(struct eval_job *job, const struct value *key, const struct value *v,
		       struct err *e)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (!value_is_text(key, members[i].key))
			continue;
		if (v->kind == VALUE_NONE || members[i].set(job, v, e) >= 0)
			return 0;
		return err_wrap(e, "%s", members[i].key);
	}
	return err_set(e, EINVAL, "%.100s: unknown member",
		       key->kind == VALUE_STR ? key->text : "a key that is no text");
}

static bool is_given(const struct value *line, const char *key)
{
	const struct value *v = value_member(line, key);

	return v && v->kind != VALUE_NONE;
}

/*
 * A data set's own solution stands beside the answer that is to be judged: an answer that is null,
 * or a second one, must not have that solution judged in its place.
 */
static int check_answers(const struct value *line, struct err *e)
{
	static const char *const others[] = {"code", "file", "canonical_solution"};
	const struct value *answer = value_member(line, "completion");

	if (is_given(line, "code") && is_given(line, "file"))
		return err_set(e, EINVAL, "code and file: one of them is meant");
	for (size_t i = 0; answer && i < sizeof(others) / sizeof(others[0]); i++) {
		if (!is_given(line, others[i]))
			continue;
		if (answer->kind == VALUE_NONE)
			return err_set(e, EINVAL,
				       "completion: null, so %s would be judged: a sample without "
				       "an answer has the text \"\", a line without a sample no "
				       "completion",
				       others[i]);
		if (i < 2)
			return err_set(e, EINVAL, "%s and completion: one of them is meant",
				       others[i]);
	}
	return 0;
}

static bool is_same_text(const struct value *a, const struct value *b)
{
	return a->kind == VALUE_STR && b->kind == VALUE_STR && a->n == b->n &&
	       !memcmp(a->text, b->text, a->n);
}

/*
 * One of two members that mean the same would be dropped, and with it what a program was to be
 * judged by. Data sets that have a test_list and a test mean both.
 */
static int check_twins(const struct value *line, struct err *e)
{
	static const char *const twins[][2] = {{"function", "entry_point"}, {"check", "test"}};
	const struct value *list = value_member(line, "test_list");

	for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
		const char *a = twins[i][0], *b = twins[i][1];

		if (is_given(line, a) && is_given(line, b) &&
		    !is_same_text(value_member(line, a), value_member(line, b)))
			return err_set(e, EINVAL,
				       "%s and %s: two names of one member, with two values: leave "
				       "one of them out",
				       a, b);
	}
	for (size_t i = 0; list && !(list->kind == VALUE_LIST && !list->n) && i < 2; i++) {
		if (list->kind != VALUE_NONE && is_given(line, twins[1][i]))
			return err_set(e, EINVAL,
				       "test_list and %s: one of them would not be run: leave that "
				       "out, or judge it in a line of its own",
				       twins[1][i]);
	}
	return 0;
}

int eval_job_from_line(const struct value *line, struct eval_job *job, struct err *e)
{
	const struct value *cases = value_member(line, "cases");
	int r = check_answers(line, e);

	if (r >= 0)
		r = check_twins(line, e);
	for (size_t i = 0; r >= 0 && i < line->n; i += 2)
		r = read_member(job, &line->items[i], &line->items[i + 1], e);
	if (r >= 0 && job->is_markdown && job->has_code)
		markdown_take_code(job->lang, &job->code);
	if (r >= 0)
		r = field_words_take(line, job, e);
	if (r >= 0 && !job->has_code)
		r = err_set(e, EINVAL, "code: it is missing, and so is file");
	if (r >= 0 && cases && cases->kind != VALUE_NONE) {
		eval_cases_free(&job->cases);
		r = eval_cases_from_value(cases, job->function != NULL, &job->cases, e);
	}
	return r < 0 ? r : eval_job_check(job, e);
}
