/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/json.h"
#include "cmd/judge/job.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"

static int must_be(struct err *e, const char *what)
{
	return err_set(e, EINVAL, "must be %s", what);
}

static int read_text(const struct value *v, const char **ret, struct err *e)
{
	if (v->kind != VALUE_STR || strlen(v->text) != v->n)
		return must_be(e, "a text");
	*ret = v->text;
	return 0;
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

	if (read_text(v, &path, e) < 0)
		return -EINVAL;
	strbuf_reset(&job->code);
	job->has_code = true;
	return eval_read_file(path, EVAL_CODE_BYTES_MAX, &job->code, e);
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

	if (read_text(v, &name, e) < 0)
		return -EINVAL;
	free(job->function);
	job->function = str_printf("%s", name);
	return job->function ? 0 : err_oom(e);
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

		if (read_text(&v->items[i], &path, e) < 0 || v->items[i + 1].kind != VALUE_STR)
			return must_be(e, "an object of base64");
		if (base64_decode(v->items[i + 1].text, v->items[i + 1].n, &data) < 0)
			return err_set(e, EINVAL, "%.200s: not base64", path);
		r = eval_job_add_file(job, path, strbuf_str(&data), data.len, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int batch_read_timeout(const struct value *v, uint64_t *ret_ms, struct err *e)
{
	double s = v->kind == VALUE_FLOAT ? v->number
		   : v->kind == VALUE_INT ? strtod(v->text, NULL)
					  : 0;

	if (v->kind == VALUE_STR && num_parse_duration(v->text, ret_ms) >= 0 && *ret_ms)
		return 0;
	if (!(s >= 0.001 && s < 1e7))
		return must_be(e, "seconds, or a text as --timeout takes");
	*ret_ms = (uint64_t)(s * 1000);
	return 0;
}

int batch_read_memory(const struct value *v, uint64_t *ret_bytes, struct err *e)
{
	if ((v->kind != VALUE_STR && v->kind != VALUE_INT) ||
	    num_parse_bytes(v->text, ret_bytes) < 0 || !*ret_bytes)
		return must_be(e, "bytes, or a text as --memory takes");
	return 0;
}

int batch_read_text(const struct value *v, const char **ret, struct err *e)
{
	return read_text(v, ret, e);
}

int batch_read_texts(const struct value *v, struct strv *ret, struct err *e)
{
	const char *text = NULL;

	if (v->kind != VALUE_LIST)
		return must_be(e, "an array of texts");
	for (size_t i = 0; i < v->n; i++) {
		if (read_text(&v->items[i], &text, e) < 0)
			return must_be(e, "an array of texts");
		strv_add(ret, text);
	}
	return strv_check(ret, e);
}

int batch_read_env(const struct value *v, struct strv *env, struct err *e)
{
	if (v->kind != VALUE_DICT)
		return must_be(e, "an object of texts");
	for (size_t i = 0; i < v->n; i += 2) {
		const char *name = NULL, *text = NULL;

		if (read_text(&v->items[i], &name, e) < 0 || !*name || strchr(name, '=') ||
		    read_text(&v->items[i + 1], &text, e) < 0)
			return must_be(e, "an object of texts");
		strv_take(env, str_printf("%s=%s", name, text));
	}
	return strv_check(env, e);
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

/* Read by the batch itself; cases come last, when it is known whether there is a function. */
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

int eval_job_from_line(const struct value *line, struct eval_job *job, struct err *e)
{
	const struct value *cases = value_member(line, "cases");
	int r = 0;

	for (size_t i = 0; r >= 0 && i < line->n; i += 2)
		r = read_member(job, &line->items[i], &line->items[i + 1], e);
	if (r >= 0 && !job->has_code)
		r = err_set(e, EINVAL, "code: it is missing, and so is file");
	if (r >= 0 && cases && cases->kind != VALUE_NONE) {
		eval_cases_free(&job->cases);
		r = eval_cases_from_value(cases, job->function != NULL, &job->cases, e);
	}
	return r < 0 ? r : eval_job_check(job, e);
}

int batch_read_line(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		    struct strbuf *ret_label, struct err *e)
{
	const struct value *id;
	int r = value_read_json(pool, text, len, ret, e);

	if (r < 0)
		return r;
	if (ret->kind != VALUE_DICT)
		return err_set(e, EBADMSG, "not an object");
	id = value_member(ret, "id");
	if (!id || id->kind == VALUE_NONE)
		return 0;
	if (id->kind != VALUE_STR && id->kind != VALUE_INT)
		return err_set(e, EBADMSG, "id: must be a text or a whole number");
	value_write_json(id, ret_label);
	return strbuf_check(ret_label, e);
}
