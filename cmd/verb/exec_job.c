/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/exec_job.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/options/resolve_env.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_root.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/server/user_files.h"

extern char **environ;

/* In the files as the container's programs have them now. */
static int find_user(struct exec_job *j, struct err *e)
{
	_strbuf_ struct strbuf passwd = STRBUF_INIT, group = STRBUF_INIT;
	struct container_root root = CONTAINER_ROOT_INIT;
	struct user_db db = {0};
	int r = container_root_open(j->paths, &j->rec, &root, e);

	if (r < 0)
		return err_wrap(e, "--user");
	if (user_file_read(root.root_fd, "etc/passwd", &passwd)) {
		db.passwd = strbuf_str(&passwd);
		db.passwd_len = passwd.len;
	}
	if (user_file_read(root.root_fd, "etc/group", &group)) {
		db.group = strbuf_str(&group);
		db.group_len = group.len;
	}
	container_root_close(&root);
	r = user_resolve(&db, j->opts->user, &j->user, e);
	return r < 0 ? err_wrap(e, "--user") : 0;
}

static int set_user(struct exec_job *j, struct err *e)
{
	struct process_spec *p = &j->opts->spec.proc;
	const struct init_msg *start = j->link.start;
	_free_ char *home = NULL;

	p->uid = start->uid;
	p->gid = start->gid;
	if (!j->opts->user) {
		p->n_groups = start->groups.len / sizeof(*p->groups);
		p->groups = exec_start_groups(&j->link);
		return p->n_groups && !p->groups ? err_oom(e) : 0;
	}
	if (find_user(j, e) < 0)
		return -e->code;
	p->uid = j->user.uid;
	p->gid = j->user.gid;
	p->groups = take_ptr(j->user.groups);
	p->n_groups = j->user.n_groups;
	home = str_printf("HOME=%s", j->user.home);
	if (!home)
		return err_oom(e);
	strv_set_env(&p->env, home);
	return 0;
}

static bool wants_tty(const struct exec_job *j)
{
	const struct run_opts *o = j->opts;

	if (o->spec.capture_output || j->detach)
		return false;
	return o->tty == TTY_WISH_YES || (o->tty == TTY_WISH_AUTO && !o->no_stdin &&
					  isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
}

int exec_job_open(struct exec_job *j, struct err *e)
{
	const struct run_opts *o = j->opts;

	if (o->user || o->workdir || wants_tty(j))
		return exec_open(j->paths, &j->rec, &j->link, e);
	return exec_open_ahead(j->paths, &j->rec, j->detach, &j->link, e);
}

int exec_job_fill(struct exec_job *j, int argc, char **argv, struct err *e)
{
	struct run_opts *o = j->opts;
	struct process_spec *p = &o->spec.proc;
	const char *term = j->term ? j->term : getenv("TERM");
	struct winsize size;

	for (int i = 0; i < argc; i++)
		strv_add(&p->argv, argv[i]);
	exec_start_env(&j->link, &p->env);
	if (o->workdir && o->workdir[0] != '/')
		return err_from(
			ERR_WORKDIR, e,
			err_set(e, EINVAL, "--workdir %s: must be an absolute path", o->workdir));
	p->cwd = str_printf("%s", o->workdir ? o->workdir : exec_start_cwd(&j->link));
	p->close_stdin = o->no_stdin;
	p->tty = wants_tty(j) ? TTY_YES : TTY_NO;
	if (p->tty == TTY_YES && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0) {
		p->tty_rows = size.ws_row;
		p->tty_columns = size.ws_col;
	}
	if (!p->cwd || set_user(j, e) < 0)
		return p->cwd ? -e->code : err_oom(e);
	if (p->tty == TTY_YES && !strv_get_env(&p->env, "TERM")) {
		_free_ char *text = str_printf("TERM=%s", term && *term ? term : "xterm");

		strv_add(&p->env, text ? text : "TERM=xterm");
	}
	env_add_list(&p->env, &o->env, environ);
	if (strv_check(&p->argv, e) < 0)
		return -ENOMEM;
	return strv_check(&p->env, e);
}
