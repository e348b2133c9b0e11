/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/cmd.h"
#include "cmd/judge/test/clone.h"
#include "cmd/judge/harness.h"
#include "cmd/judge/test/args.h"
#include "cmd/judge/test/isolate.h"
#include "cmd/options/resolve.h"
#include "runtime/base/err.h"
#include "runtime/record/volume.h"
#include "runtime/spec/result.h"

int test_check_args(const struct test_args *a, struct err *e)
{
	if (!a->image)
		return err_set(e, EINVAL, "--image is missing");
	if (!!a->repo + !!a->repo_in_image + !!a->clone != 1)
		return err_set(
			e, EINVAL,
			"one of --repo, --repo-in-image and --clone is needed, and one only");
	if (a->clone && clone_check(a->clone, a->commit, e) < 0)
		return -EINVAL;
	if (a->commit && !a->clone)
		return err_set(e, EINVAL, "--commit: needs --clone");
	if (a->repo_in_image && *a->repo_in_image != '/')
		return err_set(e, EINVAL, "--repo-in-image %s: must be an absolute path",
			       a->repo_in_image);
	if (a->run.workdir && *a->run.workdir != '/')
		return err_set(e, EINVAL, "--workdir %s: must be an absolute path", a->run.workdir);
	if (a->run.workdir && a->repo_in_image)
		return err_set(e, EINVAL, "--workdir and --repo-in-image exclude each other");
	if (a->run.entrypoint || a->run.stdin_path)
		return err_set(e, EINVAL, "%s: not for test",
			       a->run.entrypoint ? "--entrypoint" : "--stdin");
	return 0;
}

int test_make_ready(struct cmd *c, struct test_args *a, const struct test_wish *w,
		    struct subject *subject, struct test_run *t, struct err *e)
{
	static char harness[] = HARNESS_TARGET "/csbx_test.py";
	struct run_opts *o = &a->run;
	const char *target = test_repo_target(w, o->workdir);
	char *argv[] = {harness, NULL};
	const struct resolve_request resolve = {subject, 1, argv, NULL};
	int r = w->isolate && !w->lists.ids[0].n && !w->lists.ids[1].n
			? err_set(e, EINVAL, "--isolate: needs --fail-to-pass or --pass-to-pass")
			: subject_open(c, a->image, o, subject, e);

	/* The harness goes to the repository when it is there. */
	o->workdir = "/";
	o->entrypoint = a->python ? a->python : "python3";
	o->no_stdin = true;
	o->tty = TTY_WISH_NO;
	if (r >= 0) /* again: one line of a batch may make a volume that the next one has, too */
		r = volume_find_all(&c->paths, &o->spec, e);
	if (r >= 0)
		r = test_add_repo(w, &o->spec, target, e);
	if (r >= 0)
		r = resolve_spec(c, &resolve, o, e);
	return r < 0 ? r : test_prepare(t, w, &c->paths, &o->spec, target, e);
}

void test_execute_always(struct test_run *t, const struct test_wish *w, const struct test_args *a,
			 const struct paths *paths, struct run_result *result)
{
	struct err e = ERR_INIT;

	if ((w->isolate ? test_isolate_execute : test_execute)(t, w, &a->run.spec, paths, result,
							       &e) < 0) {
		result->status = RUN_SANDBOX_ERROR;
		result->exit_code = CMD_EXIT_FAILED;
		result->error = e;
	}
	t->verdict.is_none = run_is_none(result->status);
}
