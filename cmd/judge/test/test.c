/* SPDX-License-Identifier: Apache-2.0 */

/* `csbx test`: a repository, patches, and which of its tests pass then. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/judge/report/report.h"
#include "cmd/judge/test/clone.h"
#include "cmd/judge/test/clone_url.h"
#include "cmd/judge/harness.h"
#include "cmd/judge/test/args.h"
#include "cmd/judge/test/ids.h"
#include "cmd/judge/test/isolate.h"
#include "cmd/judge/test/json.h"
#include "cmd/options/resolve.h"
#include "cmd/frame/verbs.h"
#include "cmd/options/run_container.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/volume.h"
#include "runtime/spec/result.h"
#include "runtime/spec/result_json.h"

#define FAILURES_TOLD 10u

#define AT(member) offsetof(struct test_args, member)

static const struct opt test_opts[] = {
	{OPT_STR, 0, "image", "IMAGE", AT(image), .offers = "image container",
	 .help = "the image or container to run the tests in"},
	{OPT_STR, 0, "repo", "DIR", AT(repo), .offers = "dir",
	 .help = "the repository, a directory of this machine; the container gets a copy of it at "
		 "--workdir and the directory is not changed"},
	{OPT_STR, 0, "repo-in-image", "PATH", AT(repo_in_image),
	 .help = "the repository lies at PATH in the image"},
	{OPT_STR, 0, "clone", "URL", AT(clone),
	 .help = "the repository is fetched from URL (https, http, git, file); the fetched commits "
		 "are kept in the cache, and only the container checks it out"},
	{OPT_STR, 0, "commit", "HASH", AT(commit), .help = "the commit of --clone, in full"},
	{OPT_FLAG, 0, "copy-repo", .offset = AT(copy),
	 .help = "copy the files of --repo one by one instead of laying a writable layer over the "
		 "directory; also done where a file in it is of a user or a group that does not "
		 "exist in the container"},
	{OPT_LIST, 0, "patch", "FILE", AT(patches), .offers = "file",
	 .help = "a patch to apply to the copy, as git diff writes it; several are applied in "
		 "order"},
	{OPT_STR, 0, "test-patch", "FILE", AT(test_patch), .offers = "file",
	 .help = "the patch with the tests, applied last: files that it touches are first put back "
		 "as they were before the other patches"},
	{OPT_LIST, 0, "fail-to-pass", "ID|@FILE", AT(fail_to_pass),
	 .help = "a test that must pass; @FILE has one id a line, or a JSON array"},
	{OPT_LIST, 0, "pass-to-pass", "ID|@FILE", AT(pass_to_pass),
	 .help = "a test that must still pass, and may be skipped"},
	{OPT_FLAG, 0, "strict", .offset = AT(strict),
	 .help = "anything that was seen and looks like tampering with the tests makes the result "
		 "unresolved"},
	{OPT_FLAG, 0, "isolate", .offset = AT(isolate),
	 .help = "run each listed test alone, in a container of its own, and believe it about that "
		 "test only; --timeout is for each"},
	{OPT_CHOICE, 0, "runner", "NAME", AT(runner), .choices = "pytest|unittest",
	 .initial = "pytest", .help = "the program that runs the tests"},
	{OPT_STR, 0, "batch", "FILE", AT(batch), .offers = "file",
	 .help = "judge what each line of FILE (-: standard input) says, a JSON object, and print "
		 "a line for each as it ends; options are what all have in common"},
	{OPT_NUMBER, 0, "jobs", "N", AT(jobs), .max = 1024, .initial = "one a CPU",
	 .help = "how many lines of a batch at a time"},
	{OPT_STR, 0, "output", "FILE", AT(output), .offers = "file",
	 .help = "add the records of a batch to FILE, and pass over lines that have one there"},
	{OPT_FLAG, 0, "ordered", NULL, AT(ordered),
	 .help = "the records of a batch come in the order of its lines"},
	{OPT_STR, 0, "report", "FILE", AT(report), .offers = "file",
	 .help = "write a report on the run, or on all records of a batch, to FILE: JUnit's XML "
		 "where its name ends in .xml, a page with plots where it ends in .html"},
	{OPT_STR, 0, "python", "PATH", AT(python), .initial = "python3",
	 .help = "the interpreter in the image"},
	{0},
};

static const struct opt_table test_table = {"Test", test_opts};

static int make_wish(struct test_args *a, int argc, char **argv, struct test_wish *w, struct err *e)
{
	int r = 0;

	*w = (struct test_wish){
		.repo = a->repo,
		.repo_in_image = a->repo_in_image,
		.clone = a->clone,
		.commit = a->commit,
		.copy = a->copy,
		.argc = argc,
		.argv = argv,
		.runner = (enum test_runner)a->runner,
		.strict = a->strict,
		.isolate = a->isolate,
		.run = &a->run.spec,
	};
	for (size_t i = 0; i < a->patches.n && r >= 0; i++)
		r = test_wish_add_patch_file(w, a->patches.items[i], false, e);
	if (r >= 0 && a->test_patch)
		r = test_wish_add_patch_file(w, a->test_patch, true, e);
	if (r < 0)
		return r;
	if (test_ids_read(&a->fail_to_pass, w->run, &w->lists.ids[LIST_FAIL_TO_PASS], e) < 0)
		return err_wrap(e, "--fail-to-pass");
	if (test_ids_read(&a->pass_to_pass, w->run, &w->lists.ids[LIST_PASS_TO_PASS], e) < 0)
		return err_wrap(e, "--pass-to-pass");
	return 0;
}

/* A message of several lines, each as one: a refused part of a patch is a piece of a patch. */
static void tell_lines(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		cmd_warn("  %.*s", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

/* The listed tests that have not passed: an id with a slip of the pen is among them. */
static void tell_failures(const struct test_run *t)
{
	unsigned told = 0;

	for (int list = 0; list < 2; list++) {
		const struct strv *ids = &t->verdict.failure[list];

		for (size_t i = 0; i < ids->n && told < FAILURES_TOLD; i++, told++) {
			const struct test_case *c = test_report_find(&t->report, ids->items[i]);

			cmd_warn("  %s: %s", ids->items[i],
				 c ? test_outcome_name(test_case_outcome(c))
				   : "missing: no test of this id was run");
		}
	}
}

/* For people; programs have the object. */
static void tell(const struct test_run *t, const struct run_result *result)
{
	const struct test_verdict *v = &t->verdict;

	for (size_t i = 0; i < result->degraded.n; i++)
		cmd_warn("degraded: %s", result->degraded.items[i]);
	for (size_t i = 0; i < t->report.tamper.n; i++)
		cmd_warn("tampering: %s: %s", t->report.tamper.items[i].what,
			 t->report.tamper.items[i].text);
	for (size_t i = 0; i < t->report.patches.n; i++) {
		if (!t->report.patches.items[i].text)
			continue;
		cmd_warn("%s does not apply:", t->report.patches.items[i].what);
		tell_lines(t->report.patches.items[i].text);
	}
	if (v->has_lists && !v->is_none)
		cmd_warn("%s: %zu of %zu fail-to-pass, %zu of %zu pass-to-pass",
			 v->resolved ? "resolved" : "not resolved", v->success[0].n,
			 v->success[0].n + v->failure[0].n, v->success[1].n,
			 v->success[1].n + v->failure[1].n);
	if (v->has_lists && !v->is_none)
		tell_failures(t);
	if (!v->completed && result->status == RUN_EXITED)
		cmd_warn("the test session did not come to its end");
}

static int exit_code(const struct test_run *t, const struct run_result *result)
{
	const struct test_verdict *v = &t->verdict;

	if (result->status != RUN_EXITED)
		return run_exit_code(result);
	return (v->has_lists ? v->resolved : v->all_passed) ? 0 : 1;
}

static int run_tests(struct cmd *c, struct test_args *a, const struct test_wish *w,
		     struct test_run *t, const char *what)
{
	struct run_result result = {0};
	struct result_out out;
	struct result_more more = {.write = test_json_write, .ctx = t};
	struct report report = REPORT_INIT;
	struct err e = ERR_INIT;
	int code;

	if (report_open(&report, a->report, "test", &a->run.spec, &e) < 0 ||
	    result_out_open(&a->run.result, &a->run.spec, &out, &e) < 0)
		return cmd_error(&e, "%s", what);
	test_execute_always(t, w, a, &c->paths, &result);
	code = exit_code(t, &result);
	tell(t, &result);
	if (result.error.code)
		cmd_error(&result.error, "%s", what);
	if (t->report.error_code && str_eq(t->report.error_code, "no_pytest"))
		cmd_hint(
			"docs/customise.md adds packages to an image; --runner unittest needs none");
	more.completed = t->verdict.completed;
	if (result_out_write_more(&out, &a->run.spec, &result, &more, &e) < 0 ||
	    report_run(&report, &a->run.spec, &result, &more, what, &e) < 0)
		code = cmd_error(&e, "%s", what);
	report_free(&report);
	run_result_free(&result);
	return code;
}

static int test_run_verb(struct cmd *c, void *args, int argc, char **argv)
{
	struct test_args *a = args;
	struct test_run t = TEST_RUN_INIT;
	struct test_wish w = {0};
	struct subject subject = {0};
	struct err e = ERR_INIT;
	_free_ char *what = str_printf("test %s", a->image ? a->image : ""), *clone_url = NULL;
	int code;

	cmd_hide_values(c, &a->run.env);
	if (volume_find_all(&c->paths, &a->run.spec, &e) < 0)
		return cmd_error(&e, "test");
	if (a->batch)
		return test_batch(c, a, argc, argv);
	/* It is an argument of ours, which everybody can read. */
	if (a->clone && (clone_url = strdup(a->clone))) {
		clone_url_hide((char *)(uintptr_t)a->clone);
		a->clone = clone_url;
	}
	if (a->output || a->jobs || a->ordered) {
		err_set(&e, EINVAL, "--%s: only with --batch",
			a->output ? "output"
			: a->jobs ? "jobs"
				  : "ordered");
		return cmd_error(&e, "test");
	}
	if (!what || test_check_args(a, &e) < 0)
		return cmd_error(&e, "test");
	if (make_wish(a, argc, argv, &w, &e) < 0 ||
	    test_make_ready(c, a, &w, &subject, &t, &e) < 0) {
		code = cmd_error(&e, "%s", what);
		if (a->image)
			run_explain_missing(a->image, &e);
	} else {
		code = run_tests(c, a, &w, &t, what);
	}
	test_run_done(&t);
	test_wish_free(&w);
	subject_close(&subject);
	return code;
}

static void test_init(void *args)
{
	run_opts_init(&((struct test_args *)args)->run);
}

static void test_done(void *args)
{
	struct test_args *a = args;

	run_opts_done(&a->run);
	strv_free(&a->patches);
	strv_free(&a->fail_to_pass);
	strv_free(&a->pass_to_pass);
}

static const struct verb_example examples[] = {
	{"does this patch repair what the issue is about, and break nothing?",
	 "csbx test --image ./py.sqsh --repo ./src --patch fix.diff --fail-to-pass "
	 "'tests/test_a.py::test_b' --pass-to-pass @still.txt --json"},
	{"the whole suite of a repository that is part of the image, at most ten minutes",
	 "csbx test --image ./py.sqsh --repo-in-image /testbed --timeout 10m"},
	{0},
};

const struct verb verb_test = {
	.name = "test",
	.usage = "[OPTIONS] --image IMAGE (--repo DIR | --repo-in-image PATH | --clone URL "
		 "--commit HASH) [-- ARG...]",
	.description =
		"Runs the tests of a repository in a fresh container, after patches were applied "
		"to a copy of it there, and tells the outcome of each test. With --fail-to-pass "
		"and --pass-to-pass only these run, and the result is resolved when all of them "
		"pass.\n\n"
		"csbx does not believe what the tests print, write and exit with: each result "
		"comes over a channel of its own. docs/judging.md says what that excludes and what "
		"it does not.\n\n"
		"Arguments behind -- go to the runner. Exit codes: 0 resolved (without lists: all "
		"passed), 1 not; 124 and above as those of run.",
	.uses = (const struct opt_use[]){{&test_table, 0}, RUN_OPT_USES(AT(run)), {0}},
	.letters =
		(const struct opt_letter[]){
			{'e', "env"}, {'j', "jobs"}, {'o', "output"}, {'u', "user"}, {0}},
	.examples = examples,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct test_args),
	.init = test_init,
	.done = test_done,
	.run = test_run_verb,
};
