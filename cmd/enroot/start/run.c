/* SPDX-License-Identifier: Apache-2.0 */

/*
 * From what was asked to a container that runs: the caller's own user, the host's network, a root
 * that is read-only. CSBX_* variables and configuration say what they say in all dialects: that is
 * how limits and isolation come to a command line that has no words for them.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/enroot/frame/compose.h"
#include "cmd/enroot/conf/script.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/start/args.h"
#include "cmd/frame/frame.h"
#include "cmd/options/apt_as_root.h"
#include "cmd/options/resolve.h"
#include "cmd/options/run_container.h"
#include "cmd/options/run_opts.h"
#include "runtime/start/bare.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/settings/config.h"
#include "runtime/start/container.h"
#include "runtime/server/image_file.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/name.h"
#include "runtime/spec/result.h"
#include "runtime/server/proto.h"
#include "runtime/server/unpacked.h"

extern char **environ;

struct starting {
	struct enroot *x;
	struct enroot_start_args *a;
	struct run_opts opts;
	struct subject subject;
	struct conf_script script;
	struct strv settings; /* ENROOT_X=value, for scripts and hooks */
	bool is_sandbox;      /* csbx's isolation in place of enroot's */
	int argc;             /* the operand, the command and its arguments */
	char **argv;
};

static int lookup(void *ctx, const char *key, size_t i, const char **ret_value,
		  const char **ret_place)
{
	return config_get_nth(ctx, key, i, ret_value, ret_place);
}

static int set_profile(struct starting *s, struct err *e)
{
	const char *profile = config_get(s->x->cmd.config, "CSBX_ENROOT_PROFILE");

	s->is_sandbox = profile && str_eq(profile, "sandbox");
	if (profile && !s->is_sandbox && !str_eq(profile, "none"))
		return err_set(e, EINVAL, "CSBX_ENROOT_PROFILE must be none or sandbox");
	return 0;
}

/* Namespaces are the host's unless the caller says otherwise. */
static void set_defaults(struct starting *s)
{
	struct container_spec *spec = &s->opts.spec;
	const struct config *config = s->x->cmd.config;

	s->opts.no_job_env = true;
	spec->rootfs.upper = UPPER_READONLY;
	spec->ns.userns = USERNS_ONE; /* all files of the image are the caller's */
	if (s->is_sandbox)
		return;
	spec->ns.net = NET_HOST;
	spec->ns.ipc = IPC_HOST;
	spec->ns.net_is_default = !config_get(config, "CSBX_NETWORK");
	spec->ns.ipc_is_default = !config_get(config, "CSBX_IPC");
	spec->ns.uts = UTS_HOST;
	spec->ns.pid = PID_HOST;
	spec->ns.cgroup = CGROUPNS_HOST;
	spec->limits.pids = PIDS_AS_POLICY;
}

/* There is a supervisor then. */
static void set_own_processes(struct container_spec *spec)
{
	spec->ns.pid = PID_PRIVATE;
	spec->ns.cgroup = CGROUPNS_PRIVATE;
}

/* enroot's defaults, then what csbx's configuration says, then the options. */
static int set_options(struct starting *s, struct err *e)
{
	static const struct opt_use uses[] = {RUN_OPT_USES(0), {0}};
	const struct opt_parser parser = {
		.uses = uses,
		.args = &s->opts,
		.lookup = lookup,
		.read_conf = cmd_read_conf,
		.lookup_ctx = s->x->cmd.config,
	};
	const struct enroot_conf *c = &s->x->conf;
	struct container_spec *spec = &s->opts.spec;
	char *none[] = {s->argv[0], NULL};
	int r = set_profile(s, e);

	set_defaults(s);
	if (r >= 0)
		r = opt_parse(&parser, 1, none, e);
	if (r < 0)
		return r;
	if (s->a->rw || enroot_conf_flag(c, "ENROOT_ROOTFS_WRITABLE", false))
		spec->rootfs.upper = UPPER_KEPT;
	if (s->a->net || enroot_conf_flag(c, "ENROOT_UNSHARE_NET", false))
		spec->ns.net = NET_NONE;
	if (s->a->ipc || enroot_conf_flag(c, "ENROOT_UNSHARE_IPC", false))
		spec->ns.ipc = IPC_PRIVATE;
	if (s->a->uts || enroot_conf_flag(c, "ENROOT_UNSHARE_UTS", false))
		spec->ns.uts = UTS_PRIVATE;
	if (s->a->pid || enroot_conf_flag(c, "ENROOT_UNSHARE_PID", false))
		set_own_processes(spec);
	/* The list of mounts follows from them. */
	return policy_settle_defaults(spec, e);
}

/*
 * A regular file that is an image is meant as such, also without a slash in its name: 0. Else why
 * not, of which a path has the words that callers look for.
 */
static int look_at_file(const char *operand, struct err *e)
{
	_close_ int fd = -1;
	enum rootfs_kind kind;
	struct image_id id;
	struct err why = ERR_INIT;
	struct stat st;

	if (stat(operand, &st) < 0 && errno == ENOENT)
		return err_set(e, ENOENT, "No such file or directory: %s", operand);
	fd = image_open(operand, &kind, &id, &why);
	if (fd >= 0 && kind == ROOTFS_SQUASHFS)
		return 0;
	if (fd >= 0 || why.code == EINVAL)
		return err_set(e, EINVAL, "Invalid image format: %s%s%s%s", operand,
			       fd < 0 ? " (" : "", fd < 0 ? why.msg : "", fd < 0 ? ")" : "");
	*e = why;
	return -why.code;
}

/* An image has no layer of its own, unless a bundle keeps one: written files are thrown away. */
static int set_image_layer(struct starting *s, struct err *e)
{
	struct rootfs_spec *root = &s->opts.spec.rootfs;

	if (!s->a->layer) {
		if (root->upper == UPPER_KEPT)
			root->upper = UPPER_THROWAWAY;
		return 0;
	}
	root->layer_path = str_printf("%s/%s", s->x->cmd.paths.layers, s->a->layer);
	root->reads_layer = true;
	s->opts.spec.name = str_printf("%s", s->a->layer);
	return root->layer_path && s->opts.spec.name ? 0 : err_oom(e);
}

static int open_subject(struct starting *s, struct err *e)
{
	const char *operand = s->argv[0];
	int r = look_at_file(operand, e);
	_free_ char *path = r < 0 ? NULL : realpath(operand, NULL);

	if (r < 0 && strchr(operand, '/'))
		return r;
	if (!path && !name_is_valid(operand))
		return err_set(e, EINVAL, "Invalid argument: %s", operand);
	if (!path && enroot_name_look(s->x, operand) == ENROOT_NAME_OTHERS)
		return err_set(e, EINVAL, "%s: it has its own command: docker start, csbx start",
			       operand);
	r = subject_open(&s->x->cmd, path ? path : operand, &s->opts, &s->subject, e);
	if (r >= 0 && !s->subject.record.memory) /* a file, or an image that the site offers */
		r = set_image_layer(s, e);
	if (r == -ENOENT && !path && enroot_name_look(s->x, operand) == ENROOT_NAME_FREE)
		return err_set(e, ENOENT, "No such file or directory: %s/containers/%s",
			       s->x->cmd.paths.data, operand);
	return r < 0 && !path ? err_wrap(e, "%s", operand) : r;
}

/* Settings in the script of --conf win over the environment; batch has read the script already. */
static int read_script(struct starting *s, struct err *e)
{
	if (!s->a->conf)
		return 0;
	return enroot_script_read(s->x, s->a->conf, &s->script, e);
}

static int list_settings(struct starting *s, struct err *e)
{
	const struct enroot_conf *c = &s->x->conf;

	for (size_t i = 0; i < c->n; i++) {
		_free_ char *text = str_printf("%s=%s", c->items[i].key, c->items[i].value);

		strv_set_env(&s->settings, text ? text : "=");
		s->settings.failed |= !text;
	}
	return strv_check(&s->settings, e);
}

static bool is_remapped(const struct starting *s)
{
	return s->a->root || enroot_conf_flag(&s->x->conf, "ENROOT_REMAP_ROOT", false);
}

static int compose(struct starting *s, struct err *e)
{
	const struct enroot_conf *c = &s->x->conf;
	_free_ char *system = enroot_sysconf_dir(c), *user = enroot_config_dir(c);
	_strv_ struct strv warnings = STRV_INIT;
	const struct enroot_start q = {
		.meta = &s->subject.meta,
		.system_dir = system,
		.user_dir = user,
		.script = s->a->conf ? &s->script : NULL,
		.env = &s->opts.env,
		.mounts = &s->a->mounts,
		.rc = s->a->rc,
		.argc = s->argc - 1,
		.argv = s->argv + 1,
		.no_entrypoint = s->a->no_entrypoint,
		.remap_root = is_remapped(s),
		.login_shell = enroot_conf_flag(c, "ENROOT_LOGIN_SHELL", true),
		.mount_home = enroot_conf_flag(c, "ENROOT_MOUNT_HOME", false),
		.restrict_dev = enroot_conf_flag(c, "ENROOT_RESTRICT_DEV", false),
		.is_sandbox = s->is_sandbox,
		.settings = &s->settings,
		.host_env = environ,
		.runtime_dir = s->x->cmd.paths.runtime,
		.warnings = &warnings,
	};
	int r = system && user ? list_settings(s, e) : err_oom(e);

	if (r >= 0)
		r = enroot_compose(&q, &s->opts.spec, e);
	for (size_t i = 0; i < warnings.n; i++)
		enroot_warn("%s", warnings.items[i]);
	return r;
}

static int prepare(struct starting *s, struct err *e)
{
	int r = read_script(s, e);

	if (r >= 0)
		r = set_options(s, e);
	if (r >= 0)
		r = open_subject(s, e);
	for (size_t i = 0; r >= 0 && i < s->a->env.n; i++)
		strv_add(&s->opts.env, s->a->env.items[i]);
	/* Its terminals are the host's: the caller's own goes on to be the command's. */
	if (!s->is_sandbox)
		s->opts.tty = TTY_WISH_NO;
	/* There is one id: package managers must not fail for what it cannot be. */
	s->opts.spec.sec.fake_ids = is_remapped(s);
	/* Nor is there isolation, and a root without an overlay is read faster. */
	s->opts.spec.sec.root_shared = s->opts.spec.sec.root_shared_is_default = !s->is_sandbox;
	if (r >= 0)
		r = compose(s, e);
	if (r >= 0 && s->opts.spec.sec.fake_ids)
		r = apt_as_root(&s->opts.spec, e);
	return r < 0 ? r : resolve_rest(&s->x->cmd, &s->subject, &s->opts, e);
}

/*
 * Without --pid this process becomes the command; unless somebody must be there to hold a limit, or
 * to unpack an image that cannot be mounted.
 */
static int become_or_run(struct starting *s, struct run_result *result, struct err *e)
{
	const struct bare_how how = {"[ERROR] ", ENROOT_EXIT_FAILED};
	struct container_spec *spec = &s->opts.spec;
	struct container_hooks hooks = {.started_fd = -1, .client_sock = -1};
	int r;

	if (spec->ns.pid == PID_HOST && !bare_refusal(spec) && !unpacked_is_needed()) {
		r = bare_start(spec, &s->x->cmd.paths, &how, e);
		if (r != -SQUASHD_NO_FUSE)
			return r;
	}
	set_own_processes(spec);
	/* As without a supervisor; but nothing that the command does stops the clock. */
	hooks.stops_along = !spec->limits.timeout_ms;
	return container_run(spec, &s->x->cmd.paths, &hooks, result, e);
}

/* enroot dies as its command did, and so does a bare start: callers read the signal from us. */
static void die_likewise(int sig)
{
	const struct rlimit none = {0};
	sigset_t mask;

	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, sig);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	raise(sig);
}

/* The command's own code; a failure of csbx is enroot's code 1. */
static int run(struct starting *s)
{
	struct run_result result = {0};
	struct err e = ERR_INIT;
	int code, sig = 0, r = become_or_run(s, &result, &e);

	for (size_t i = 0; i < result.degraded.n; i++)
		enroot_warn("%s", result.degraded.items[i]);
	code = r < 0 || result.status == RUN_SANDBOX_ERROR ? ENROOT_EXIT_FAILED
							   : run_exit_code(&result);
	if (r < 0 || result.error.code)
		enroot_fail(r < 0 ? &e : &result.error);
	if (r >= 0 && result.status == RUN_SIGNALED)
		sig = result.signal;
	run_result_free(&result);
	if (sig)
		die_likewise(sig);
	return code;
}

int enroot_start(struct enroot *x, struct enroot_start_args *a, int argc, char **argv)
{
	struct starting s = {.x = x, .a = a, .argc = argc, .argv = argv};
	struct err e = ERR_INIT;
	int code;

	run_opts_init(&s.opts);
	code = prepare(&s, &e);
	cmd_hide_values(&x->cmd, &a->env);
	code = code < 0 ? enroot_fail(&e) : run(&s);
	subject_close(&s.subject);
	run_opts_done(&s.opts);
	conf_script_free(&s.script);
	strv_free(&s.settings);
	return code;
}
