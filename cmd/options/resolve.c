/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/resolve.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/env_file.h"
#include "cmd/options/fake_root.h"
#include "cmd/options/input_file.h"
#include "cmd/options/mount_spec.h"
#include "cmd/options/resolve_env.h"
#include "cmd/options/run_opts.h"
#include "cmd/options/signal_name.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/cgroup/parent.h"
#include "runtime/spec/etc_files.h"
#include "runtime/spec/name.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/user.h"
#include "runtime/server/user_files.h"
#include "runtime/userns/userns.h"
#include "runtime/record/volume.h"

extern char **environ;

struct resolve {
	struct cmd *c;
	const struct resolve_request *q;
	const struct image_meta *meta;
	struct run_opts *o;
	struct container_spec *spec;
	struct user user;
	struct user_db db;
	struct strbuf passwd, group; /* of a kept layer */
};

/* A kept layer may have its own /etc/passwd, which hides the image's. */
static void find_user_files(struct resolve *x)
{
	const struct image_meta *m = x->meta;
	const struct rootfs_spec *root = &x->spec->rootfs;

	x->db = (struct user_db){m->passwd, m->group, m->passwd_len, m->group_len};
	if (root->upper != UPPER_KEPT && !root->reads_layer)
		return;
	if (user_file_read_layer(root->layer_path, "etc/passwd", &x->passwd)) {
		x->db.passwd = strbuf_str(&x->passwd);
		x->db.passwd_len = x->passwd.len;
	}
	if (user_file_read_layer(root->layer_path, "etc/group", &x->group)) {
		x->db.group = strbuf_str(&x->group);
		x->db.group_len = x->group.len;
	}
}

/* Supplementary groups of the image's user, as far as the id map will have them. */
static int set_groups(struct resolve *x, struct err *e)
{
	struct process_spec *p = &x->spec->proc;
	struct id_map map;
	int r;

	if (!x->user.n_groups || p->keep_groups)
		return 0;
	r = userns_map_for(p->uid, p->gid, x->spec->ns.userns, &map, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < x->user.n_groups; i++) {
		if (id_extents_have(map.gid, map.n_gid, x->user.groups[i]))
			x->user.groups[p->n_groups++] = x->user.groups[i];
	}
	p->groups = take_ptr(x->user.groups);
	return 0;
}

static int set_user(struct resolve *x, struct err *e)
{
	struct process_spec *p = &x->spec->proc;
	const char *asked = x->o->user ? x->o->user : x->meta->user;
	int r;

	find_user_files(x);
	r = user_resolve(&x->db, asked, &x->user, e);
	if (r < 0)
		return err_wrap(e, x->o->user ? "--user" : "the image's user");
	p->uid = x->user.uid;
	p->gid = x->user.gid;
	p->user_name = take_ptr(x->user.name);
	p->home = take_ptr(x->user.home);
	return set_groups(x, e);
}

/* An entry for the main user where the image's files have none. */
static int set_user_files(struct resolve *x, struct err *e)
{
	const struct process_spec *p = &x->spec->proc;
	struct etc_request q = {
		.image = x->db,
		.uid = p->uid,
		.gid = p->gid,
		.user_name = p->user_name,
		.home = p->home,
		.hostname = "-",
	};
	struct etc_file files[ETC_FILES] = {0};
	int r = etc_files_make(&q, files, e);

	for (int i = ETC_PASSWD; r >= 0 && i <= ETC_GROUP; i++) {
		size_t len = files[i].content.len;

		if (files[i].wanted)
			r = spec_add_file(x->spec, files[i].path + 1,
					  strbuf_take(&files[i].content), len, e);
	}
	etc_files_free(files);
	return r;
}

static void add_words(struct strv *argv, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++)
		strv_add(argv, words->items[i]);
}

static bool is_enroot_image(const struct image_meta *m)
{
	return m->rc && !m->has_config;
}

/* A script of the caller's takes the place of /etc/rc, read-only. */
static int set_rc_mount(struct resolve *x, struct err *e)
{
	struct mount_spec *m = spec_add_mount(x->spec);
	struct err why = ERR_INIT;

	if (!m)
		return err_oom(e);
	m->source = input_path(x->q->rc, x->spec, &why);
	if (!m->source)
		return err_set(e, why.code, "--rc %s", why.msg);
	m->no_links = true;
	m->target = str_printf("/etc/rc");
	m->asked = str_printf("--rc %s", x->q->rc);
	m->readonly = true;
	return m->target && m->asked ? 0 : err_oom(e);
}

/*
 * As docker: arguments replace CMD and follow ENTRYPOINT; --entrypoint replaces both. Images
 * made by enroot have their start in /etc/rc, which gets the arguments.
 */
static int set_argv(struct resolve *x, struct err *e)
{
	struct strv *argv = &x->spec->proc.argv;
	const struct image_meta *m = x->meta;
	bool own_entry = x->o->entrypoint != NULL;

	if (own_entry && *x->o->entrypoint) {
		strv_add(argv, x->o->entrypoint);
	} else if (x->q->rc || (!own_entry && is_enroot_image(m))) {
		strv_add(argv, "/bin/sh");
		strv_add(argv, "/etc/rc");
	} else if (!own_entry) {
		add_words(argv, &m->entrypoint);
	}
	for (int i = 0; i < x->q->argc; i++)
		strv_add(argv, x->q->argv[i]);
	if (!x->q->argc && !own_entry && !x->q->rc)
		add_words(argv, &m->cmd);
	if (!argv->n && !own_entry && m->has_shell)
		strv_add(argv, "/bin/sh");
	if (strv_check(argv, e) < 0)
		return -ENOMEM;
	if (!argv->n)
		return err_from(ERR_NO_COMMAND, e,
				err_set(e, EINVAL,
					"no command: none was given, the image names none%s",
					own_entry ? "" : " and has no /bin/sh"));
	return x->q->rc ? set_rc_mount(x, e) : 0;
}

static void set_default(struct strv *env, const char *name, const char *value)
{
	_free_ char *text = str_printf("%s=%s", name, value);

	if (!text)
		env->failed = true;
	else if (!strv_get_env(env, name))
		strv_add(env, text);
}

static int set_env(struct resolve *x, struct err *e)
{
	struct container_spec *s = x->spec;
	struct strv *env = &s->proc.env;
	const char *term = getenv("TERM");

	env_add_list(env, &x->meta->env, NULL);
	if (is_enroot_image(x->meta))
		env_add_environment_file(env, x->meta->environment, x->meta->environment_len);
	if (!x->o->no_job_env)
		env_add_job(env, environ);
	env_add_list(env, &x->o->env, environ);
	set_default(env, "PATH", ENV_DEFAULT_PATH);
	set_default(env, "HOSTNAME", s->ns.hostname);
	set_default(env, "HOME", s->proc.home ? s->proc.home : "/");
	if (s->proc.tty == TTY_YES)
		set_default(env, "TERM", term && *term ? term : "xterm");
	return strv_check(env, e);
}

static int set_fake_root(struct resolve *x, struct err *e)
{
	return x->o->fake_root ? fake_root_apply(x->spec, e) : 0;
}

static int set_names(struct resolve *x, struct err *e)
{
	struct container_spec *s = x->spec;
	char id[NAME_ID_DIGITS + 1];
	int r = s->id ? 0 : name_new_id(id, e);

	if (r < 0)
		return r;
	if (!s->id)
		s->id = str_printf("%s", id);
	if (s->id && !s->ns.hostname)
		s->ns.hostname = str_printf("%.63s", s->name ? s->name : s->id);
	return s->id && s->ns.hostname ? 0 : err_oom(e);
}

/* The limit of open files that a batch system has given the task takes the place of our default. */
static int set_limits(struct resolve *x, struct err *e)
{
	struct limit_spec *limits = &x->spec->limits;
	struct rlimit now;
	struct rlimit_spec *l;

	if (!cgroup_batch_job() || getrlimit(RLIMIT_NOFILE, &now) < 0)
		return 0;
	for (size_t i = 0; i < limits->n_rlimits; i++) {
		if (limits->rlimits[i].resource == RLIMIT_NOFILE)
			return 0;
	}
	l = spec_add_rlimit(x->spec);
	if (!l)
		return err_oom(e);
	*l = (struct rlimit_spec){RLIMIT_NOFILE, now, true};
	return 0;
}

/* A signal that is none is as good as not named: docker takes it for TERM, too. */
static int set_stop_signal(struct resolve *x, struct err *e)
{
	const char *named = x->meta->stop_signal;

	(void)e;
	if (!x->spec->proc.stop_signal && named &&
	    signal_parse(named, &x->spec->proc.stop_signal, NULL) < 0)
		x->spec->proc.stop_signal = 0;
	return 0;
}

/*
 * The first --mount option on the command line that mounts a directory; NULL: there is none. The
 * mounts that a site's configuration makes everywhere say nothing about this start.
 */
static const char *first_mounted_dir(const struct resolve *x)
{
	const struct strv *dirs = &x->o->mount_dirs;
	size_t n = 0;

	for (size_t i = 0; i < x->c->given.n; i++)
		n += str_eq(x->c->given.items[i], "mount");
	for (size_t i = n < dirs->n ? dirs->n - n : 0; i < dirs->n; i++) {
		if (*dirs->items[i])
			return dirs->items[i];
	}
	return NULL;
}

static int set_workdir(struct resolve *x, struct err *e)
{
	const char *dir = x->o->workdir ? x->o->workdir : x->meta->workdir;

	if (!x->o->workdir && (!dir || !*dir || str_eq(dir, "/")))
		dir = first_mounted_dir(x);
	if (!dir || !*dir)
		dir = "/";
	if (x->o->workdir && *dir != '/')
		return err_from(ERR_WORKDIR, e,
				err_set(e, EINVAL, "--workdir %s: must be an absolute path", dir));
	x->spec->proc.cwd = str_printf("%s%s", *dir == '/' ? "" : "/", dir);
	return x->spec->proc.cwd ? 0 : err_oom(e);
}

/* A terminal is given where both ends are one, unless the user says otherwise. */
static void set_streams(struct resolve *x)
{
	struct process_spec *p = &x->spec->proc;
	bool both = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	p->close_stdin = x->o->no_stdin;
	if (x->o->tty == TTY_WISH_YES)
		p->tty = TTY_YES;
	else if (x->o->tty == TTY_WISH_AUTO)
		p->tty = both && !x->o->no_stdin ? TTY_YES : TTY_NO;
}

static int set_mounts(struct resolve *x, struct err *e)
{
	_free_ char *cwd = NULL;

	for (size_t i = 0; i < x->spec->n_mounts; i++) {
		struct mount_spec *m = &x->spec->mounts[i];

		if (!m->source || m->source[0] == '/')
			continue;
		if (!cwd && !(cwd = getcwd(NULL, 0)))
			return err_sys(e, "mount %s: the current directory", m->asked);
		if (mount_make_absolute(m, cwd, e) < 0)
			return -ENOMEM;
	}
	return volume_open_all(&x->c->paths, x->spec, e);
}

static int apply_policy(struct container_spec *s, struct err *e)
{
	struct policy policy = POLICY_INIT;
	int r = policy_load(&policy, e);

	if (r >= 0)
		r = policy_apply(&policy, s, e);
	policy_free(&policy);
	return r;
}

static void resolve_free(struct resolve *x)
{
	user_free(&x->user);
	strbuf_free(&x->passwd);
	strbuf_free(&x->group);
}

int resolve_main_user(const struct subject *s, struct run_opts *o, struct err *e)
{
	struct resolve x = {.meta = &s->meta, .o = o, .spec = &o->spec};
	int r = set_user(&x, e);

	resolve_free(&x);
	return r;
}

typedef int step(struct resolve *x, struct err *e);

static int run_steps(struct resolve *x, step *const *steps, size_t n, struct err *e)
{
	int r = 0;

	if (x->o->read_only && x->spec->rootfs.upper == UPPER_KEPT)
		return err_set(e, EINVAL, "--rw and --read-only exclude each other");
	if (x->o->read_only)
		x->spec->rootfs.upper = UPPER_READONLY;
	if (x->spec->rootfs.upper == UPPER_KEPT)
		x->spec->rootfs.reads_layer = false;
	set_streams(x);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = steps[i](x, e);
	if (r >= 0)
		r = apply_policy(x->spec, e);
	if (r >= 0)
		r = spec_freeze(x->spec, e);
	resolve_free(x);
	return r;
}

int resolve_rest(struct cmd *c, const struct subject *s, struct run_opts *o, struct err *e)
{
	static step *const steps[] = {set_names, set_mounts, set_stop_signal};
	struct resolve x = {.c = c, .meta = &s->meta, .o = o, .spec = &o->spec};

	if (volume_find_all(&c->paths, &o->spec, e) < 0 ||
	    env_files_take(&o->env_files, &o->spec, &o->env, e) < 0)
		return -e->code;
	return run_steps(&x, steps, sizeof(steps) / sizeof(steps[0]), e);
}

int resolve_spec(struct cmd *c, const struct resolve_request *q, struct run_opts *o, struct err *e)
{
	static step *const steps[] = {
		set_names, set_user,      set_user_files, set_argv,        set_workdir,
		set_env,   set_fake_root, set_mounts,     set_stop_signal, set_limits,
	};
	struct resolve x = {.c = c, .q = q, .meta = &q->subject->meta, .o = o, .spec = &o->spec};

	if (volume_find_all(&c->paths, &o->spec, e) < 0 ||
	    env_files_take(&o->env_files, &o->spec, &o->env, e) < 0)
		return -e->code;
	return run_steps(&x, steps, sizeof(steps) / sizeof(steps[0]), e);
}
