/* SPDX-License-Identifier: Apache-2.0 */

/* `csbx test --batch`: a line is what the options say, and replaces them where it speaks. */

#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "cmd/judge/batch/batch.h"
#include "cmd/judge/batch/line.h"
#include "cmd/judge/test/args.h"
#include "cmd/judge/test/ids.h"
#include "cmd/judge/test/json.h"
#include "cmd/judge/value/json.h"
#include "cmd/judge/value/value.h"
#include "cmd/options/resolve.h"
#include "runtime/base/err.h"
#include "runtime/spec/result.h"
#include "runtime/spec/result_json.h"

/* All of it is a line's own: the line is worked on by a fork. */
struct test_line {
	struct cmd *cmd;
	struct test_args *args;
	struct strv runner_args, fail_to_pass, pass_to_pass;
	bool has_args;
	struct test_wish wish;
};

typedef int member_fn(struct test_line *l, const struct value *v, struct err *e);

static int set_image(struct test_line *l, const struct value *v, struct err *e)
{
	return batch_read_text(v, &l->args->image, e);
}

static int set_repo(struct test_line *l, const struct value *v, struct err *e)
{
	return batch_read_text(v, &l->args->repo, e);
}

static int set_repo_in_image(struct test_line *l, const struct value *v, struct err *e)
{
	return batch_read_text(v, &l->args->repo_in_image, e);
}

static int set_clone(struct test_line *l, const struct value *v, struct err *e)
{
	return batch_read_text(v, &l->args->clone, e);
}

static int set_commit(struct test_line *l, const struct value *v, struct err *e)
{
	return batch_read_text(v, &l->args->commit, e);
}

static int add_patch(struct test_line *l, const struct value *v, bool is_tests, struct err *e)
{
	if (v->kind != VALUE_STR)
		return err_set(e, EINVAL, "must be a text");
	return test_wish_add_patch(&l->wish, is_tests ? "test_patch" : "patch", v->text, v->n,
				   is_tests, e);
}

static int set_patch(struct test_line *l, const struct value *v, struct err *e)
{
	return add_patch(l, v, false, e);
}

/*
 * The patch that is judged; "patch" of the same line is the right one then, and not applied. null is
 * what the files of predictions have where a model gave none: an empty patch.
 */
static int set_model_patch(struct test_line *l, const struct value *v, struct err *e)
{
	static const struct value none = {.kind = VALUE_STR, .text = ""};

	return add_patch(l, v->kind == VALUE_NONE ? &none : v, false, e);
}

static int set_test_patch(struct test_line *l, const struct value *v, struct err *e)
{
	return add_patch(l, v, true, e);
}

static int set_patches(struct test_line *l, const struct value *v, struct err *e)
{
	int r = v->kind == VALUE_LIST ? 0 : err_set(e, EINVAL, "must be an array of texts");

	for (size_t i = 0; r >= 0 && i < v->n; i++)
		r = add_patch(l, &v->items[i], false, e);
	return r;
}

/* An array, or a text that is one, as SWE-bench's files have it. */
static int read_ids(const struct value *v, struct strv *ret, struct err *e)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct value list;

	if (v->kind != VALUE_STR)
		return batch_read_texts(v, ret, e);
	if (value_read_json(&pool, v->text, v->n, &list, e) < 0)
		return err_set(e, EINVAL, "must be an array of texts");
	return batch_read_texts(&list, ret, e);
}

static int set_fail_to_pass(struct test_line *l, const struct value *v, struct err *e)
{
	return read_ids(v, &l->fail_to_pass, e);
}

static int set_pass_to_pass(struct test_line *l, const struct value *v, struct err *e)
{
	return read_ids(v, &l->pass_to_pass, e);
}

static int set_args(struct test_line *l, const struct value *v, struct err *e)
{
	l->has_args = true;
	return batch_read_texts(v, &l->runner_args, e);
}

static int set_env(struct test_line *l, const struct value *v, struct err *e)
{
	return batch_read_env(v, &l->args->run.env, e);
}

static int set_timeout(struct test_line *l, const struct value *v, struct err *e)
{
	return batch_read_timeout(v, &l->args->run.spec.limits.timeout_ms, e);
}

static int set_memory(struct test_line *l, const struct value *v, struct err *e)
{
	return batch_read_memory(v, &l->args->run.spec.limits.memory_bytes, e);
}

static int set_strict(struct test_line *l, const struct value *v, struct err *e)
{
	if (v->kind != VALUE_BOOL)
		return err_set(e, EINVAL, "must be true or false");
	l->args->strict = v->truth;
	return 0;
}

static int set_isolate(struct test_line *l, const struct value *v, struct err *e)
{
	if (v->kind != VALUE_BOOL)
		return err_set(e, EINVAL, "must be true or false");
	l->args->isolate = v->truth;
	return 0;
}

static int pass_over(struct test_line *l, const struct value *v, struct err *e)
{
	(void)l;
	(void)v;
	(void)e;
	return 0;
}

static const struct {
	const char *key;
	member_fn *set;
} members[] = {
	{"id", pass_over},
	{"image", set_image},
	{"repo", set_repo},
	{"repo_in_image", set_repo_in_image},
	{"clone", set_clone},
	{"commit", set_commit},
	{"patch", set_patch},
	{"patches", set_patches},
	{"test_patch", set_test_patch},
	{"fail_to_pass", set_fail_to_pass},
	{"pass_to_pass", set_pass_to_pass},
	{"args", set_args},
	{"env", set_env},
	{"timeout", set_timeout},
	{"memory", set_memory},
	{"strict", set_strict},
	{"isolate", set_isolate},
	/* of SWE-bench and of what is handed in for it */
	{"instance_id", pass_over},
	{"base_commit", pass_over},
	{"model_patch", set_model_patch},
	{"FAIL_TO_PASS", set_fail_to_pass},
	{"PASS_TO_PASS", set_pass_to_pass},
	{"problem_statement", pass_over},
	{"hints_text", pass_over},
	{"created_at", pass_over},
	{"version", pass_over},
	{"environment_setup_commit", pass_over},
	{"difficulty", pass_over},
	{"model_name_or_path", pass_over},
};

static int read_member(struct test_line *l, const struct value *key, const struct value *v,
		       struct err *e)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (!value_is_text(key, members[i].key))
			continue;
		if ((v->kind == VALUE_NONE && members[i].set != set_model_patch) ||
		    members[i].set(l, v, e) >= 0)
			return 0;
		return err_wrap(e, "%s", members[i].key);
	}
	return err_set(e, EINVAL, "%.100s: unknown member",
		       key->kind == VALUE_STR ? key->text : "a key that is no text");
}

/* An id of a line is one, also when it begins with @: a line names no files of ids. */
static int take_ids(struct strv *from, struct strv *to, struct err *e)
{
	for (size_t i = 0; i < from->n; i++) {
		if (test_id_check(from->items[i], e) < 0)
			return -EINVAL;
		strv_add(to, from->items[i]);
	}
	return strv_check(to, e);
}

/* If a line says both, csbx's own key wins: model_patch replaces SWE-bench's "patch". */
static bool is_moot(const struct value *line, const struct value *key)
{
	bool has_answer = value_member(line, "model_patch") != NULL;
	bool is_of_a_forge = value_member(line, "base_commit") != NULL;

	return (value_is_text(key, "patch") && has_answer) ||
	       (value_is_text(key, "repo") && is_of_a_forge);
}

/*
 * "repo": "OWNER/NAME" beside a base_commit is a repository of GitHub, and that commit is checked
 * out of it, unless the options have another place for it: an image that has it at that commit.
 */
static int take_forge(struct test_line *l, const struct value *line, struct err *e)
{
	const struct value *commit = value_member(line, "base_commit");
	const struct value *repo = value_member(line, "repo");
	struct test_args *a = l->args;

	if (!commit || commit->kind == VALUE_NONE || a->repo || a->repo_in_image)
		return 0;
	if (!a->clone && repo && repo->kind == VALUE_STR) {
		a->clone = str_printf("https://github.com/%s", repo->text);
		if (!a->clone)
			return err_oom(e);
	}
	if (a->commit || !a->clone)
		return 0;
	return batch_read_text(commit, &a->commit, e) < 0 ? err_wrap(e, "base_commit") : 0;
}

static int read_line(struct test_line *l, const struct value *line, struct err *e)
{
	struct test_args *a = l->args;
	struct test_wish *w = &l->wish;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < line->n; i += 2) {
		if (!is_moot(line, &line->items[i]))
			r = read_member(l, &line->items[i], &line->items[i + 1], e);
	}
	if (r >= 0)
		r = take_forge(l, line, e);
	if (r >= 0)
		r = take_ids(&l->fail_to_pass, &w->lists.ids[LIST_FAIL_TO_PASS], e);
	if (r >= 0)
		r = take_ids(&l->pass_to_pass, &w->lists.ids[LIST_PASS_TO_PASS], e);
	if (r >= 0)
		r = test_check_args(a, e);
	if (l->has_args) {
		w->argc = (int)l->runner_args.n;
		w->argv = l->runner_args.items;
	}
	w->repo = a->repo;
	w->repo_in_image = a->repo_in_image;
	w->clone = a->clone;
	w->commit = a->commit;
	w->strict = a->strict;
	w->isolate = a->isolate;
	return r;
}

/* The process ends after it, so the line's memory is not freed. */
static int run_line(void *ctx, const struct batch_line *line, struct strbuf *record, struct err *e)
{
	struct test_line *l = ctx;
	struct test_run t = TEST_RUN_INIT;
	struct subject subject = {0};
	struct run_result result = {0};
	struct result_more more = {.write = test_json_write,
				   .ctx = &t,
				   .label = line->label ? line->label : "null",
				   .occurrence = line->occurrence};
	int r = read_line(l, line->object, e);

	l->args->run.spec.capture_output = true;
	l->wish.end_fd = line->end_fd;
	if (r >= 0)
		r = test_make_ready(l->cmd, l->args, &l->wish, &subject, &t, e);
	if (r < 0)
		return r;
	test_execute_always(&t, &l->wish, l->args, &l->cmd->paths, &result);
	more.completed = t.verdict.completed;
	r = result_json_more(&l->args->run.spec, &result, true, &more, record, e);
	return r < 0 ? r : run_is_none(result.status);
}

/* Refuses options that only a single run can have. */
static int check_options(const struct test_args *a, struct err *e)
{
	if (a->patches.n || a->test_patch || a->fail_to_pass.n || a->pass_to_pass.n)
		return err_set(e, EINVAL, "--batch: patches and ids are in its lines");
	if (a->run.result.json || a->run.result.fd)
		return err_set(e, EINVAL, "--batch prints JSON in any case");
	return 0;
}

int test_batch(struct cmd *c, struct test_args *a, int argc, char **argv)
{
	struct test_line line = {
		.cmd = c,
		.args = a,
		.wish = {.copy = a->copy,
			 .argc = argc,
			 .argv = argv,
			 .runner = (enum test_runner)a->runner},
	};
	const struct batch b = {
		.spec = &a->run.spec,
		.input = a->batch,
		.output = a->output,
		.report = a->report,
		.jobs = (unsigned)a->jobs,
		.ordered = a->ordered,
		.work = run_line,
		.ctx = &line,
	};
	struct err e = ERR_INIT;
	int r = check_options(a, &e);

	return r < 0 ? cmd_error(&e, "test --batch") : batch_run(&b, "test");
}
