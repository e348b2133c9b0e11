/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/run.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/judge/container.h"
#include "cmd/judge/test/clone.h"
#include "cmd/judge/harness.h"
#include "cmd/judge/test/input.h"
#include "cmd/judge/test/own.h"
#include "cmd/options/input_file.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/start/container.h"
#include "runtime/spec/result.h"
#include "runtime/spec/spec.h"

#define TARGET_DEFAULT "/testbed"
#define COPY_SOURCE "/run/csbx-repo"
#define CLONE_SOURCE "/run/csbx-clone.git"

const char *test_repo_target(const struct test_wish *w, const char *workdir)
{
	if (w->repo_in_image)
		return w->repo_in_image;
	return workdir ? workdir : TARGET_DEFAULT;
}

int test_add_repo(const struct test_wish *w, struct container_spec *spec, const char *target,
		  struct err *e)
{
	_free_ char *source = NULL;
	struct err why = ERR_INIT;
	struct mount_spec *m;
	int own;

	if (!w->repo)
		return 0;
	source = input_directory_path(w->repo, spec, &why);
	if (!source)
		return err_set(e, why.code, "--repo %s", why.msg);
	/* A file that the overlay could not change would be blamed on the patch. */
	own = w->copy ? 0 : test_tree_is_own(source, spec->ns.userns, e);
	if (own < 0)
		return own;
	m = spec_add_mount(spec);
	if (m) {
		m->kind = own ? MOUNT_COPY : MOUNT_BIND;
		m->readonly = m->kind == MOUNT_BIND;
		m->no_links = true;
		m->source = take_ptr(source);
		m->target = str_printf("%s", m->kind == MOUNT_COPY ? target : COPY_SOURCE);
		m->asked = str_printf("--repo %s", w->repo);
	}
	return m && m->source && m->target && m->asked ? 0 : err_oom(e);
}

static int add_channel(struct test_run *t, struct container_spec *spec, struct err *e)
{
	int *fds = calloc(2, sizeof(*fds));

	if (!fds)
		return err_oom(e);
	fds[0] = t->channel.guest_fd;
	fds[1] = t->input_fd;
	spec->proc.keep_fds = fds;
	spec->proc.n_keep_fds = 2;
	return 0;
}

static int take_record(void *ctx, const char *json, size_t len)
{
	struct test_run *t = ctx;

	return test_report_add(&t->report, json, len, NULL);
}

static bool is_copied(const struct container_spec *spec)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		if (str_eq(spec->mounts[i].target, COPY_SOURCE))
			return true;
	}
	return false;
}

/*
 * A repository on this machine by its path without links, of which csbx follows none that another
 * user or a program has made. What is missing is git's to say, and may be in the cache.
 */
static char *without_links(const char *url, const struct container_spec *spec, struct err *e)
{
	static const char scheme[] = "file://", *const ends[] = {"", ".git"};
	const bool has_scheme = str_has_prefix(url, scheme);
	const char *path = has_scheme ? url + sizeof(scheme) - 1 : url;

	for (size_t i = 0; *path == '/' && i < 2; i++) {
		_free_ char *tried = str_printf("%s%s", path, ends[i]), *real = NULL;

		if (!tried)
			break;
		real = input_path(tried, spec, e);
		if (real)
			return str_printf("%s%s", has_scheme ? scheme : "", real);
		if (e->code != ENOENT)
			return NULL;
	}
	return str_printf("%s", url);
}

static int add_clone(struct test_run *t, const struct test_wish *w, const struct paths *paths,
		     struct container_spec *spec, struct err *e)
{
	struct err why = ERR_INIT;
	_free_ char *url = without_links(w->clone, spec, &why);
	struct mount_spec *m;
	int r;

	if (!url)
		return err_set(e, why.code ? why.code : ENOMEM, "--clone %s", why.msg);
	r = clone_fetch(paths, url, w->commit, &t->clone, e);
	if (r < 0)
		return r;
	m = spec_add_mount(spec);
	if (m) {
		m->source = strdup(t->clone.dir);
		m->target = str_printf(CLONE_SOURCE);
		m->asked = str_printf("--clone %s", t->clone.url);
		m->readonly = true;
	}
	return m && m->source && m->target && m->asked ? 0 : err_oom(e);
}

int test_open(struct test_run *t, const struct test_input *in, struct err *e)
{
	int r = channel_open(&t->channel, take_record, t, e);

	t->input = *in;
	t->input.secret = t->channel.secret;
	if (r >= 0)
		r = t->input_fd = test_input_make(&t->input, e);
	return r < 0 ? r : 0;
}

int test_prepare(struct test_run *t, const struct test_wish *w, const struct paths *paths,
		 struct container_spec *spec, const char *target, struct err *e)
{
	const struct test_input in = {
		.wish = w,
		.repo = target,
		.copy_from = is_copied(spec) ? COPY_SOURCE : NULL,
		.clone_from = w->clone ? CLONE_SOURCE : NULL,
	};
	int r = w->clone ? add_clone(t, w, paths, spec, e) : 0;

	if (r >= 0)
		r = test_open(t, &in, e);
	if (r >= 0)
		r = harness_mount(spec, e);
	return r < 0 ? r : add_channel(t, spec, e);
}

/* A record on the channel that the harness does not vouch for is told, never used. */
static int note_channel(struct test_run *t, struct err *e)
{
	const struct channel *c = &t->channel;
	_free_ char *refused = str_printf("%llu packets that the harness did not send",
					  (unsigned long long)c->n_refused);
	_free_ char *malformed =
		str_printf("%llu records that make no sense", (unsigned long long)c->n_malformed);
	int r = 0;

	if (!refused || !malformed)
		return err_oom(e);
	if (c->n_refused)
		r = test_notes_add(&t->report.tamper, "channel", refused, e);
	if (r >= 0 && c->n_malformed)
		r = test_notes_add(&t->report.tamper, "channel", malformed, e);
	if (r >= 0 && c->is_deaf)
		r = test_notes_add(&t->report.tamper, "channel", "flooded", e);
	return r;
}

/* The harness could not do its work: no verdict on the program. */
static void take_error(const struct test_run *t, struct run_result *result)
{
	const struct test_report *report = &t->report;
	static const char *const words[] = {"no_git", "no_pytest", "no_repository", "no_commit"};

	for (size_t i = 0; report->error_code && i < sizeof(words) / sizeof(words[0]); i++) {
		if (!str_eq(report->error_code, words[i]))
			continue;
		result->status = RUN_LAUNCH_ERROR;
		result->exit_code = 125;
		result->error_word = words[i];
		err_set(&result->error, ENOENT, "prepare the tests: %s", report->error_message);
		err_sanitize(&result->error);
		if (t->clone.dir && str_eq(words[i], "no_commit"))
			err_append(&result->error, "if the copy in the cache is damaged, remove %s",
				   t->clone.dir);
	}
}

int test_execute(struct test_run *t, const struct test_wish *w, const struct container_spec *spec,
		 const struct paths *paths, struct run_result *result, struct err *e)
{
	const struct container_channel channel = {t->channel.fd, channel_handle, &t->channel};
	const struct container_hooks hooks = {
		.started_fd = -1, .channel = &channel, .owner_fd = w->end_fd};
	int r = container_run(spec, paths, &hooks, result, e);

	if (r < 0)
		return r;
	judge_look_at_image(spec, result);
	(void)judge_is_interrupted(result);
	/* All of the container is dead: no more records come than are queued. */
	channel_drain(&t->channel);
	r = note_channel(t, e);
	if (r >= 0)
		r = test_verdict_reach(&t->report, &w->lists, w->strict, &t->verdict, e);
	if (r >= 0 && result->status == RUN_EXITED)
		take_error(t, result);
	return r;
}

void test_run_done(struct test_run *t)
{
	channel_close(&t->channel);
	fd_close(&t->input_fd);
	clone_close(&t->clone);
	test_report_free(&t->report);
	test_verdict_free(&t->verdict);
}
