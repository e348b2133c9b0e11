/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/judge/job.h"
#include "cmd/judge/lanes.h"
#include "cmd/judge/value/value.h"
#include "cmd/judge/warm.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/base/patient_fork.h"
#include "runtime/spec/image_id.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/settings/policy.h"

#define HARNESS_BYTES_MAX (256u << 10)
/* As frozen.py looks for it. */
#define HARNESS_SHARED "# until here for both"

#define WARM_FDS 3u /* the channel, the harness, and what is thawed */

/* The container's files and the start's, in one array; their memory stays where it is. */
static int join_files(const struct eval_container *container, const struct eval_start *s,
		      struct container_spec *spec, struct err *e)
{
	size_t own = container->spec->n_files;

	spec->files = calloc(own + s->n_files + 2, sizeof(*spec->files));
	if (!spec->files)
		return err_oom(e);
	for (size_t i = 0; i < own; i++)
		spec->files[i] = container->spec->files[i];
	for (size_t i = 0; i < s->n_files; i++)
		spec->files[own + i] = s->files[i];
	spec->n_files = own + s->n_files;
	if (eval_warm_fits(container, s))
		spec->files[spec->n_files++] = eval_warm_program(container->warm);
	return 0;
}

/* csbx-thaw becomes the interpreter, or starts it where it cannot; fds has room for its own. */
static void begin_warm(const struct eval_container *container, const struct eval_start *s, int *fds,
		       struct container_spec *spec)
{
	memcpy(fds, s->keep_fds, 2 * sizeof(*fds));
	fds[2] = container->warm->fd;
	spec->proc.keep_fds = fds;
	spec->proc.n_keep_fds = WARM_FDS;
	strv_add(&spec->proc.argv, "/" EVAL_WARM_PROGRAM);
	strv_add(&spec->proc.argv, "5");
}

/* The warm start is no part of the result. */
static void end_warm(struct container_spec *spec)
{
	struct strv *argv = &spec->proc.argv;

	for (size_t i = 0; i < EVAL_WARM_WORDS; i++)
		free(argv->items[i]);
	argv->n -= EVAL_WARM_WORDS;
	memmove(argv->items, argv->items + EVAL_WARM_WORDS, (argv->n + 1) * sizeof(*argv->items));
	spec->proc.keep_fds = NULL;
	spec->proc.n_keep_fds = 0;
}

static int copy_spec(const struct eval_container *container, const struct eval_start *s,
		     int *warm_fds, struct container_spec *spec, struct err *e)
{
	char id[NAME_ID_DIGITS + 1];
	int r;

	*spec = *container->spec;
	spec->id = NULL;
	spec->proc.argv = (struct strv)STRV_INIT;
	spec->files = NULL;
	spec->n_files = 0;
	spec->fetch = (struct strv)STRV_INIT;
	r = name_new_id(id, e);
	if (r < 0)
		return r;
	spec->id = str_printf("%s", id);
	spec->proc.keep_fds = (int *)s->keep_fds;
	spec->proc.n_keep_fds = s->n_keep_fds;
	if (eval_warm_fits(container, s))
		begin_warm(container, s, warm_fds, spec);
	for (size_t i = 0; i < s->argv->n; i++)
		strv_add(&spec->proc.argv, s->argv->items[i]);
	for (size_t i = 0; !s->fetch && i < container->spec->fetch.n; i++)
		strv_add(&spec->fetch, container->spec->fetch.items[i]);
	if (s->fetch)
		strv_add(&spec->fetch, s->fetch);
	if (!spec->id || strv_check(&spec->proc.argv, e) < 0 || strv_check(&spec->fetch, e) < 0)
		return err_oom(e);
	spec->limits.timeout_ms = s->timeout_ms;
	return join_files(container, s, spec, e);
}

/* Descriptor 0 is the text until restore_stdin(); *ret_own: what it was. */
static int replace_stdin(const struct value *input, struct container_spec *spec, int *ret_own,
			 struct err *e)
{
	_close_ int fd = memfd_create("csbx-input", MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "memfd_create");
	if (io_pwrite_all(fd, input->text, input->n, 0, e) < 0)
		return err_wrap(e, "standard input");
	*ret_own = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (dup2(fd, STDIN_FILENO) < 0)
		return err_sys(e, "standard input");
	spec->proc.close_stdin = false;
	spec->capture_output = true;
	return 0;
}

/* The next run of this process has no part in the text, which is no longer kept. */
static void restore_stdin(int *own)
{
	if (*own >= 0)
		(void)dup2(*own, STDIN_FILENO);
	fd_close(own);
}

void judge_set_sandbox_error(struct run_result *r)
{
	r->status = RUN_SANDBOX_ERROR;
	r->exit_code = 125;
	r->signal = 0;
	r->timed_out = r->oom_killed = false;
}

bool judge_is_interrupted(struct run_result *result)
{
	if (!result->passed_on && !result->is_asked && !result->is_removed)
		return false;
	if (run_is_none(result->status))
		return true;
	judge_set_sandbox_error(result);
	if (result->passed_on)
		(void)err_set(&result->error, EINTR, "csbx was told to end by signal %d",
			      result->passed_on);
	else
		(void)err_set(&result->error, EINTR, "the container was told to end");
	return true;
}

void judge_look_at_image(const struct container_spec *spec, struct run_result *result)
{
	if (run_is_none(result->status) || !rootfs_was_changed(&spec->rootfs))
		return;
	judge_set_sandbox_error(result);
	err_from(ERR_IMAGE_SERVER, &result->error,
		 err_set(&result->error, ESTALE, "image %s: changed while the program ran",
			 spec->rootfs.path));
}

/* A container that does not come about because the user has as many processes as may be is tried again. */
static int run_patiently(const struct container_spec *spec, const struct paths *paths,
			 const struct container_hooks *hooks, struct run_result *ret, struct err *e)
{
	uint64_t since_ns = 0;
	int r;

	while ((r = container_run(spec, paths, hooks, ret, e)) == -EAGAIN &&
	       patient_wait(&since_ns)) {
		run_result_free(ret);
		*ret = (struct run_result){0};
		*e = (struct err)ERR_INIT;
	}
	return r;
}

void eval_start(const struct eval_container *container, const struct eval_start *s,
		struct eval_ended *ret)
{
	const struct container_hooks hooks = {.started_fd = s->started_fd ? s->started_fd : -1,
					      .channel = s->channel,
					      .owner_fd = container->end_fd};
	struct err e = ERR_INIT;
	int warm_fds[WARM_FDS], r, own_stdin = -1;

	*ret = (struct eval_ended){0};
	r = copy_spec(container, s, warm_fds, &ret->spec, &e);
	if (r >= 0 && s->input)
		r = replace_stdin(s->input, &ret->spec, &own_stdin, &e);
	if (r >= 0 && !eval_lane_run(container, s, &ret->spec, &hooks, &ret->result))
		r = run_patiently(&ret->spec, container->paths, &hooks, &ret->result, &e);
	restore_stdin(&own_stdin);
	if (eval_warm_fits(container, s) && ret->spec.proc.argv.n > EVAL_WARM_WORDS)
		end_warm(&ret->spec);
	if (r < 0) {
		ret->result.status = RUN_SANDBOX_ERROR;
		ret->result.exit_code = 125;
		ret->result.error = e;
	}
	judge_look_at_image(&ret->spec, &ret->result);
}

/* Only what copy_spec() made: the rest is the container's. */
void eval_ended_free(struct eval_ended *x)
{
	free(x->spec.id);
	free(x->spec.files);
	strv_free(&x->spec.proc.argv);
	run_result_free(&x->result);
	strv_free(&x->spec.fetch);
	*x = (struct eval_ended){0};
}

/* Limits of a job's own pass the site's policy as those of the command line have. */
static int set_limits(const struct eval_job *job, struct container_spec *spec, struct err *e)
{
	struct policy policy = POLICY_INIT;
	int r = 0;

	/* Else the program would be blamed for it. */
	if (job->function && job->cases.n && spec->limits.pids == 1)
		return err_from(ERR_LIMIT, e,
				err_set(e, EINVAL,
					"--pids-limit 1: each case of a function runs in a "
					"process of its own; give it 2 or more"));
	if (job->timeout_ms) {
		spec->limits.timeout_ms = job->timeout_ms;
		spec->limits.timeout_is_default = false;
	}
	if (job->memory_bytes) {
		spec->limits.memory_bytes = job->memory_bytes;
		spec->limits.memory_is_default = false;
	}
	if (job->timeout_ms || job->memory_bytes) {
		r = policy_load(&policy, e);
		if (r >= 0)
			r = policy_apply(&policy, spec, e);
		policy_free(&policy);
	}
	return r;
}

int eval_job_container_make(const struct eval_container *from, const struct eval_job *job,
			    struct eval_job_container *ret, struct err *e)
{
	struct container_spec *spec = &ret->spec;
	size_t n = from->spec->n_files;

	*ret = (struct eval_job_container){.container = *from, .spec = *from->spec};
	ret->container.spec = spec;
	spec->proc.env = (struct strv)STRV_INIT;
	if (job->env.n) /* a warm interpreter has looked at its environment */
		ret->container.warm = NULL;
	if (job->n_files)
		ret->container.lane = NULL;
	for (size_t i = 0; i < from->spec->proc.env.n; i++)
		strv_add(&spec->proc.env, from->spec->proc.env.items[i]);
	for (size_t i = 0; i < job->env.n; i++)
		strv_add(&spec->proc.env, job->env.items[i]);
	strv_settle_env(&spec->proc.env);
	spec->files = calloc(n + job->n_files + 1, sizeof(*spec->files));
	if (!spec->files || strv_check(&spec->proc.env, e) < 0)
		return err_oom(e);
	for (size_t i = 0; i < n; i++)
		spec->files[i] = from->spec->files[i];
	for (size_t i = 0; i < job->n_files; i++)
		spec->files[n + i] = job->files[i];
	spec->n_files = n + job->n_files;
	return set_limits(job, spec, e);
}

void eval_job_container_free(struct eval_job_container *b)
{
	strv_free(&b->spec.proc.env);
	free(b->spec.files);
}

/*
 * "=made.py": as a text of that name, MADE, which is compiled when it is needed. "#cases ": a line
 * of that.
 */
static int read_harness(const struct paths *paths, const char *name, struct strbuf *out,
			struct err *e)
{
	bool is_text = *name == '=';
	_free_ char *sub = str_printf("harness/%s", name + is_text);
	_free_ char *path = sub ? paths_helper(paths, sub) : NULL;
	int r;

	if (*name == '#') {
		strbuf_addstr(out, name);
		strbuf_addch(out, '\n');
		return 0;
	}
	if (!path)
		return err_oom(e);
	for (const char *p = name + is_text; is_text && *p != '.'; p++)
		strbuf_addch(out, (char)(*p - 'a' + 'A'));
	strbuf_addstr(out, is_text ? " = r'''" : "");
	r = io_read_path(path, HARNESS_BYTES_MAX, out, e);
	strbuf_addstr(out, is_text ? "'''\n" : "");
	return r;
}

int eval_harness_fd(const struct paths *paths, enum eval_harness which, struct err *e)
{
	/* A warm interpreter knows a text by its first line (frozen.py), and shares what two have. */
	static const char *const files[][20] = {
		[EVAL_HARNESS_SCRIPT] = {"#script", "script.py"},
		[EVAL_HARNESS_CASES] = {"#cases ", "literal.py", "teller.py", "=made.py",
					"=kinds.py", HARNESS_SHARED, "=changed.py", "cases.py"},
		[EVAL_HARNESS_CHECK] = {"#check ", "literal.py", "teller.py", "=made.py",
					"=kinds.py", HARNESS_SHARED, "=told.py", "=objects.py",
					"=errors.py", "=copied.py", "=ordered.py", "=enums.py",
					"=restored.py", "=brought.py", "=suite.py", "carrier.py",
					"functions.py", "check.py"},
		[EVAL_HARNESS_LINT] = {"#lint  ", "literal.py", "lint.py"},
		[EVAL_HARNESS_FROZEN] = {"frozen.py"},
	};
	const char *const *names = files[which];
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_close_ int fd = memfd_create("csbx-harness", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r = fd < 0 ? err_sys(e, "memfd_create") : 0;

	for (; r >= 0 && *names; names++)
		r = read_harness(paths, *names, &text, e);
	if (r >= 0)
		r = strbuf_check(&text, e);
	if (r >= 0)
		r = io_write_all(fd, strbuf_str(&text), text.len, e);
	if (r >= 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		r = err_sys(e, "seal");
	if (r >= 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = err_sys(e, "seek");
	return r < 0 ? err_wrap(e, "harness") : take_fd(&fd);
}

int eval_run_harness_fd(const struct eval_container *container, enum eval_harness which,
			struct err *e)
{
	const struct eval_warm *w = container->warm;
	char path[sizeof("/proc/self/fd/") + 11];
	int fd;

	if (!w || w->fd < 0)
		return eval_harness_fd(container->paths, which, e);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", w->harness_fds[which]);
	fd = open(path, O_RDONLY | O_CLOEXEC); /* at its begin, whatever others have read */
	return fd < 0 ? err_sys(e, "harness") : fd;
}
