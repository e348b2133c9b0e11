/* SPDX-License-Identifier: Apache-2.0 */

/*
 * RUN: a container whose written files are kept. It is started in a child, so that its output comes
 * through a pipe and a killed build takes it along.
 */

#include "cmd/build/build.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cmd/build/build_child.h"
#include "cmd/build/dockerfile/expand.h"
#include "cmd/build/dockerfile/heredoc_text.h"
#include "cmd/build/run_mounts.h"
#include "cmd/docker/daemon/etc.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/frame/cmd.h"
#include "cmd/options/fake_root.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/settings/config.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/result.h"
#include "runtime/start/container.h"

#define DEFAULT_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct run_work {
	struct build *b;
	struct build_stage *s;
	const struct instruction *i;
	struct strv argv, env;
	struct run_opts opts;
	struct subject subject;
	struct run_mounts mounts;
	char *script; /* of a here-document that is a program; NULL: none is */
	int out;      /* the pipe's end for the program */
	int stop;     /* an eventfd: it is to end */
	bool is_cancelled;
};

/* --- the command ----------------------------------------------------------------------------- */

/* "RUN <<EOF" alone: the body is the script. Else the shell gets here-documents as they stand. */
static char *shell_text(const struct instruction *i)
{
	struct strbuf out = STRBUF_INIT;

	if (i->n_heredocs == 1 && !strpbrk(i->args.items[0], " \t"))
		return heredoc_text(&i->heredocs[0]);
	strbuf_addstr(&out, i->args.items[0]);
	for (size_t n = 0; n < i->n_heredocs; n++)
		strbuf_addf(&out, "\n%s%s", i->heredocs[n].data, i->heredocs[n].name);
	return strbuf_take(&out);
}

static int make_argv(struct run_work *w, struct err *e)
{
	_free_ char *text = NULL;

	if (w->i->is_json) {
		for (size_t n = 0; n < w->i->args.n; n++)
			strv_add(&w->argv, w->i->args.items[n]);
		return strv_check(&w->argv, e);
	}
	text = shell_text(w->i);
	if (!text)
		return err_oom(e);
	/* A script with an interpreter of its own is a program. */
	if (w->i->n_heredocs == 1 && str_has_prefix(text, "#!")) {
		w->script = take_ptr(text);
		strv_take(&w->argv, str_printf("/dev/pipes/%s", w->i->heredocs[0].name));
		return strv_check(&w->argv, e);
	}
	build_config_shell(&w->s->config, text, &w->argv);
	return strv_check(&w->argv, e);
}

static void add_words(struct strbuf *out, const struct strv *words)
{
	for (size_t n = 0; n < words->n; n++)
		strbuf_addf(out, "%s%s", n ? " " : "", words->items[n]);
}

/* An ENV of the same name hides the ARG. */
static bool is_seen(const struct run_work *w, const char *arg)
{
	_free_ char *name = strndup(arg, strcspn(arg, "="));

	return !name || !strv_get_env(&w->s->config.env, name);
}

/* As history has it, and docker's builder: the values of ARGs, then the words. */
static void describe(const struct run_work *w, struct strbuf *out)
{
	size_t count = 0;

	strbuf_addstr(out, "RUN ");
	for (size_t n = 0; n < w->s->args.n; n++)
		count += is_seen(w, w->s->args.items[n]);
	if (count)
		strbuf_addf(out, "|%zu ", count);
	for (size_t n = 0; n < w->s->args.n; n++) {
		if (is_seen(w, w->s->args.items[n]))
			strbuf_addf(out, "%s ", w->s->args.items[n]);
	}
	add_words(out, &w->argv);
}

/* --- the environment ------------------------------------------------------------------------- */

/* Given by --build-arg they are there without an ARG, and no part of a key. */
static void add_proxies(struct run_work *w)
{
	static const char *const names[] = {
		"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "FTP_PROXY",
		"ftp_proxy",  "NO_PROXY",   "no_proxy",    "ALL_PROXY",   "all_proxy"};
	const struct strv *given = &w->b->args->build_args;

	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		const char *value = strv_get_env(given, names[n]);
		_free_ char *text = value ? str_printf("%s=%s", names[n], value) : NULL;

		if (text)
			strv_set_env(&w->env, text);
	}
}

static int make_env(struct run_work *w, const struct user *user, struct err *e)
{
	int r;

	add_proxies(w);
	r = stage_values(w->s, &w->env, e);
	if (r < 0)
		return r;
	if (!strv_get_env(&w->env, "PATH"))
		strv_add(&w->env, DEFAULT_PATH);
	if (!strv_get_env(&w->env, "HOME"))
		strv_take(&w->env, str_printf("HOME=%s", user->home ? user->home : "/"));
	return strv_check(&w->env, e);
}

/* --- the specification ----------------------------------------------------------------------- */

static int set_user(struct run_work *w, struct err *e)
{
	struct strbuf memory[2] = {STRBUF_INIT, STRBUF_INIT};
	struct process_spec *p = &w->opts.spec.proc;
	struct user user = USER_INIT;
	struct user_db db;
	int r;

	build_root_users(&w->s->root, &w->subject, memory, &db);
	r = user_resolve(&db, w->s->config.user, &user, e);
	if (r < 0)
		(void)err_wrap(e, "USER");
	else
		r = make_env(w, &user, e);
	if (r >= 0) {
		p->uid = user.uid;
		p->gid = user.gid;
		p->user_name = take_ptr(user.name);
		p->home = take_ptr(user.home);
	}
	user_free(&user);
	strbuf_free(&memory[0]);
	strbuf_free(&memory[1]);
	return r;
}

/* NULL: neither the command line nor the configuration says. */
static const char *callers_network(const struct build *b)
{
	const char *all = b->args->network;

	if (all && !str_eq(all, "default") && !str_eq(all, "bridge"))
		return all;
	return config_get(b->cmd->config, "CSBX_DOCKER_NETWORK");
}

/* NULL: neither the file, nor the command line, nor the configuration says. */
static const char *named_network(const struct build *b, const char *own)
{
	return own && !str_eq(own, "default") ? own : callers_network(b);
}

const char *build_network(const struct build *b, const char *own)
{
	const char *named = named_network(b, own);

	return named ? named : "host";
}

/* The file may be a stranger's: it gives up a network, and takes none that the caller refused. */
static bool is_refused(const struct build *b, const char *mode)
{
	const char *callers = callers_network(b);

	return callers && str_eq(callers, "none") && !str_eq(mode, "none");
}

static int set_network(struct run_work *w, struct err *e)
{
	const char *own = instruction_flag(w->i, "network"), *mode = build_network(w->b, own);
	struct container_spec *s = &w->opts.spec;

	if (is_refused(w->b, mode))
		return err_set(e, EPERM,
			       "RUN --network=%.60s: the build has no network (--network none, or "
			       "CSBX_DOCKER_NETWORK); --network host allows it",
			       mode);
	if (str_eq(mode, "none"))
		s->ns.net = NET_NONE;
	else if (str_eq(mode, "host"))
		s->ns.net = NET_HOST;
	else
		return err_set(e, EINVAL, "network mode \"%.60s\": none, host and default are done",
			       mode);
	s->ns.net_is_default = !named_network(w->b, own);
	return policy_settle_defaults(s, e);
}

/* --shm-size and --ulimit, as run has them. */
static int set_limits(struct run_work *w, struct err *e)
{
	static const struct opt_use uses[] = {RUN_OPT_USES(0), {0}};
	const struct opt_parser parser = {.uses = uses, .args = &w->opts};
	const struct build_args *a = w->b->args;
	_strv_ struct strv words = STRV_INIT;
	int r;

	strv_add(&words, "build");
	if (a->shm_size)
		strv_take(&words, str_printf("--shm-size=%s", a->shm_size));
	if (a->memory)
		strv_take(&words, str_printf("--memory=%s", a->memory));
	for (size_t i = 0; i < a->ulimits.n; i++)
		strv_take(&words, str_printf("--ulimit=%s", a->ulimits.items[i]));
	r = strv_check(&words, e);
	if (r >= 0)
		r = opt_parse(&parser, (int)words.n, words.items, e);
	return r < 0 ? r : 0;
}

/* --add-host. */
static int set_hosts(struct run_work *w, struct err *e)
{
	const struct docker_run_args hosts = {.add_hosts = w->b->args->hosts};

	return hosts.add_hosts.n ? docker_etc_add(&hosts, &w->opts.spec, e) : 0;
}

static int fill_spec(struct run_work *w, const struct build_step *step, struct err *e)
{
	struct container_spec *s = &w->opts.spec;
	const char *dir = w->s->config.workdir;
	struct id_map map;
	int r = set_user(w, e);

	if (r >= 0)
		r = set_network(w, e);
	if (r >= 0)
		r = set_hosts(w, e);
	if (r >= 0)
		r = userns_map_for(0, 0, s->ns.userns, &map, e);
	if (r < 0)
		return r;
	/* All steps see the files by one map, for every user in them. */
	s->proc.root_is_caller = !id_map_is_one(&map);
	s->proc.argv = w->argv;
	s->proc.env = w->env;
	w->argv = w->env = (struct strv)STRV_INIT;
	s->proc.cwd = build_config_path(&w->s->config, dir ? dir : "/");
	s->rootfs.upper = UPPER_KEPT;
	s->rootfs.layer_path = build_step_path(&w->b->cache, step);
	if (!s->proc.cwd || !s->rootfs.layer_path)
		return err_oom(e);
	w->opts.no_stdin = true;
	w->opts.no_job_env = true;
	w->opts.tty = TTY_WISH_NO;
	s->limits.pids = PIDS_AS_POLICY;
	s->sec.new_privs = s->sec.new_privs_is_default = true;
	s->sec.caps_of_root = true;
	r = fake_root_apply(s, e);
	if (r >= 0)
		r = run_mounts_add(w->b, w->s, &w->mounts, s, e);
	if (r >= 0 && w->script)
		r = run_script_add(w->b, &w->mounts, s->proc.argv.items[0], w->script, s, e);
	return r < 0 ? r : resolve_rest(w->b->cmd, &w->subject, &w->opts, e);
}

/* --- the container --------------------------------------------------------------------------- */

/* May be read when the one or the other may. */
static int either(int a, int b, struct err *e)
{
	struct epoll_event on = {.events = EPOLLIN};
	_close_ int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0 || epoll_ctl(fd, EPOLL_CTL_ADD, a, &on) < 0 ||
	    epoll_ctl(fd, EPOLL_CTL_ADD, b, &on) < 0)
		return err_sys(e, "the end of the step");
	return take_fd(&fd);
}

/* Runs the step's program; returns its exit code, or -errno. */
static int run_child(void *arg, int parent, struct err *e)
{
	struct run_work *w = arg;
	_close_ int owner = either(parent, w->stop, e);
	const struct container_hooks hooks = {
		.started_fd = -1, .client_sock = -1, .owner_fd = owner, .removed_after = true};
	struct run_result result = {0};
	int r;

	if (owner < 0)
		return owner;
	if (dup2(w->out, STDOUT_FILENO) < 0 || dup2(w->out, STDERR_FILENO) < 0)
		return err_sys(e, "streams of the step");
	fd_close(&w->out);
	r = container_run(&w->opts.spec, &w->b->cache.paths, &hooks, &result, e);
	if (r >= 0 && (result.status == RUN_LAUNCH_ERROR || result.status == RUN_SANDBOX_ERROR)) {
		*e = result.error;
		r = -(e->code ? e->code : EIO);
	} else if (r >= 0) {
		r = run_exit_code(&result);
	}
	run_result_free(&result);
	return r;
}

/* Until the program's end; -errno: another stage failed. */
static int relay(struct build *b, int fd, struct err *e)
{
	struct pollfd polled[AHEAD_MAX + 1];
	char buf[16384];
	ssize_t n = 1;
	int r = 0;

	while (r >= 0 && (n > 0 || errno == EINTR)) {
		polled[0] = (struct pollfd){.fd = fd, .events = POLLIN};
		n = poll(polled, 1 + build_ahead_polled(b, polled + 1), -1);
		if (n > 0 && polled[0].revents) {
			n = read(fd, buf, sizeof(buf));
			if (n > 0)
				build_text_output(&b->progress, buf, (size_t)n);
			else if (!n)
				break;
		} else if (n > 0) {
			r = build_ahead_see(b, e);
		}
	}
	return r;
}

static int start(struct run_work *w, struct err *e)
{
	struct build_child child = BUILD_CHILD_INIT;
	int ends[2], r;

	w->stop = eventfd(0, EFD_CLOEXEC);
	if (w->stop < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	w->out = ends[1];
	r = build_child_start(&child, run_child, w, e);
	close(ends[1]);
	if (r >= 0)
		r = relay(w->b, ends[0], e);
	close(ends[0]);
	w->is_cancelled = r < 0 && child.pid;
	if (w->is_cancelled)
		(void)eventfd_write(w->stop, 1);
	return r < 0 ? (build_child_wait(&child, NULL), r) : build_child_wait(&child, e);
}

/* Files that csbx gave the container lie elsewhere; a program's changes to them do not stay. */
static void drop_own_files(const struct run_work *w)
{
	static const char *const names[] = {"hosts", "hostname", "resolv.conf"};
	_free_ char *path = str_printf("%s/upper/etc", w->opts.spec.rootfs.layer_path);
	_close_ int dir = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

	for (size_t n = 0; dir >= 0 && n < sizeof(names) / sizeof(names[0]); n++)
		(void)unlinkat(dir, names[n], 0);
}

/*
 * The program was told that its change of ids was done, but it was not: that may be why it failed.
 */
static void say_one_id(struct build *b)
{
	static const char text[] =
		"csbx: without id ranges a step has one user, and programs that need another fail "
		"(initdb, sshd, su); ranges in /etc/subuid and /etc/subgid give it more: csbx "
		"doctor\n";

	if (b->progress.line.len)
		build_text_output(&b->progress, "\n", 1);
	build_text_output(&b->progress, text, sizeof(text) - 1);
}

static int make(struct build *b, struct build_stage *s, const struct build_step *step, void *arg,
		struct err *e)
{
	struct run_work *w = arg;
	_strbuf_ struct strbuf words = STRBUF_INIT;
	_free_ char *why = NULL;
	int r = set_limits(w, e);

	if (r >= 0)
		r = build_root_open(b->cmd, &b->cache, &s->root, &w->opts, &w->subject, e);
	add_words(&words, &w->argv);
	if (r >= 0)
		r = fill_spec(w, step, e);
	if (r >= 0)
		r = start(w, e);
	drop_own_files(w);
	if (!r)
		return mount_targets_clean(b, s, step, &w->mounts, e);
	if (r > 0) {
		if (w->opts.spec.sec.fake_ids)
			say_one_id(b);
		b->exit_code = r;
		free(b->failed);
		b->failed = strdup(strbuf_str(&words));
	}
	if (r > 0)
		r = err_set(e, ECHILD,
			    "process \"%.300s\" did not complete successfully: exit code: %d",
			    strbuf_str(&words), r);
	if (w->is_cancelled) {
		build_text_cancelled(&b->progress);
		return r;
	}
	why = strdup(e->msg);
	build_text_failed(&b->progress, why ? why : "");
	return r;
}

static int hash(struct run_work *w, struct err *e)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;

	key_add(&all, "RUN");
	for (size_t n = 0; n < w->s->args.n; n++) {
		if (is_seen(w, w->s->args.items[n]))
			key_add(&all, w->s->args.items[n]);
	}
	key_add_words(&all, &w->i->flags);
	key_add_words(&all, &w->argv);
	key_add(&all, w->i->is_json ? "words" : "shell");
	key_add(&all, w->script ? w->script : "");
	if (run_mounts_hash(w->b, &w->mounts, &all, e) < 0)
		return -EINVAL;
	return stage_next_key(w->s, &all, e);
}

int run_step(struct build *b, struct build_stage *s, const struct instruction *i, struct err *e)
{
	struct run_work w = {.b = b, .s = s, .i = i, .out = -1, .stop = -1};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r;

	run_opts_init(&w.opts);
	r = make_argv(&w, e);
	describe(&w, &text);
	if (r >= 0)
		r = run_mounts_read(b, s, i, &w.mounts, e);
	b->at = i;
	if (r >= 0)
		r = hash(&w, e);
	if (r >= 0)
		r = stage_step(b, s, make, &w, e);
	strbuf_addstr(&text, " # buildkit");
	if (r >= 0)
		r = build_config_history(&s->config, strbuf_str(&text), false, clock_realtime_ns(),
					 e);
	fd_close(&w.stop);
	run_mounts_done(b, &w.mounts);
	subject_close(&w.subject);
	run_opts_done(&w.opts);
	free(w.script);
	strv_free(&w.argv);
	strv_free(&w.env);
	return r;
}
