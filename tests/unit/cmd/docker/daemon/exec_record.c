/* SPDX-License-Identifier: Apache-2.0 */
/* Execs on disk: what is asked, run, ended, killed, and removed. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/docker/daemon/exec_record.h"
#include "cmd/docker/daemon/exec_session.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"
#include "tests/unit/tap.h"

static struct paths paths;
static char id[DOCKER_EXEC_ID_BYTES];

static void make(void)
{
	_strv_ struct strv argv = STRV_INIT, env = STRV_INIT;
	struct docker_exec_args a = {.user = "app:staff", .tty = true, .interactive = true};
	struct exec_record x;
	struct err e = ERR_INIT;

	strv_add(&argv, "sh");
	strv_add(&argv, "-c");
	strv_add(&argv, "a\nb");
	strv_add(&env, "A=1");
	strv_add(&env, "HOME"); /* of the process that serves the socket: not to go in */
	a.argv = argv;
	a.env = env;
	is_int(exec_record_make(&paths, "c0ffee", &a, id, &e), 0, "made: %s", e.msg);
	is_int((int)strlen(id), 64, "an id of 64 digits");
	is_int(exec_record_open(&paths, id, &x, &e), 0, "opened: %s", e.msg);
	is_str(x.container, "c0ffee", "its container");
	ok(x.args.argv.n == 3 && str_eq(x.args.argv.items[2], "a\nb"), "its words");
	ok(x.args.env.n == 1 && str_eq(x.args.env.items[0], "A=1"), "its environment");
	is_str(x.args.user, "app:staff", "its user");
	ok(!x.args.workdir && x.args.tty && x.args.interactive, "the rest");
	exec_record_close(&x);
}

static void shows(const char *running, const char *code, const char *when)
{
	_docker_value_ struct docker_value *v = NULL;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_free_ char *want = str_printf("\"Running\":%s,\"ExitCode\":%s,", running, code);
	struct docker_fault f = DOCKER_FAULT_INIT;

	is_int(docker_exec_value(&paths, id, &v, &f), 0, "%s: %s", when, f.err.msg);
	if (!v || docker_value_json(v, false, &text, &f.err) < 0)
		return;
	ok(strstr(strbuf_str(&text), want), "%s: %s in %s", when, want, strbuf_str(&text));
}

static void live(void)
{
	struct exec_record x;
	struct exec_record_state s = {.phase = EXEC_RUNNING};
	struct err e = ERR_INIT;

	shows("false", "null", "not started");
	is_int(exec_record_open(&paths, id, &x, &e), 0, "opened");
	is_int(file_lock_try(x.state_fd, true), 0, "a session's lock");
	is_int(exec_record_write_state(&x, &s, &e), 0, "it says that it runs");
	shows("true", "null", "running");
	s.phase = EXEC_ENDED;
	s.exit_code = 7;
	is_int(exec_record_write_state(&x, &s, &e), 0, "it says how it ended");
	shows("false", "7", "ended, and the session is still there");
	s.phase = EXEC_RUNNING;
	is_int(exec_record_write_state(&x, &s, &e), 0, "it runs, and");
	exec_record_close(&x);
	shows("false", "137", "its session was killed");
}

static void start_again(void)
{
	static const int none[3] = {-1, -1, -1};
	struct docker_fault f = DOCKER_FAULT_INIT;
	int out = dup(1), r = docker_exec_start(&paths, id, none, &f);

	dup2(out, 1); /* it was /dev/null */
	close(out);
	is_int(r, -EALREADY, "no second start");
	is_int(docker_fault_status(&f), DOCKER_CONFLICT, "a conflict: %s", f.err.msg);
}

static void sizes(void)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct exec_record_size size;
	struct exec_record x;

	is_int(exec_record_open(&paths, id, &x, NULL), 0, "opened");
	ok(!exec_record_read_size(&x, &size), "no size yet");
	is_int(docker_exec_resize(&paths, id, 24, 80, &f), 0, "resize");
	ok(exec_record_read_size(&x, &size) && size.rows == 24 && size.columns == 80, "the size");
	exec_record_close(&x);
}

static void missing(void)
{
	static const char *const ids[] = {
		"", "zz", "..", "../../x",
		"0000000000000000000000000000000000000000000000000000000000000000"};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct docker_fault f = DOCKER_FAULT_INIT;
		struct docker_value *v;

		is_int(docker_exec_value(&paths, ids[i], &v, &f), -ENOENT, "'%s'", ids[i]);
		is_int(docker_fault_status(&f), DOCKER_NOT_FOUND, "'%s': %s", ids[i], f.err.msg);
	}
}

static void sweep(void)
{
	static const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	_free_ char *state = str_printf("%s/execs/%s/state", paths.runtime, id);
	_free_ char *mark = str_printf("%s/execs/.swept", paths.runtime);
	struct exec_record x;

	exec_records_sweep(&paths);
	ok(access(state, F_OK) == 0, "a young one stays");
	is_int(utimensat(AT_FDCWD, state, old, 0), 0, "it grows old");
	exec_records_sweep(&paths);
	ok(access(state, F_OK) == 0, "not looked at more than once a minute");
	is_int(utimensat(AT_FDCWD, mark, old, 0), 0, "a minute later");
	is_int(exec_record_open(&paths, id, &x, NULL), 0, "opened");
	is_int(file_lock_try(x.state_fd, true), 0, "a session holds it");
	exec_records_sweep(&paths);
	ok(access(state, F_OK) == 0, "what runs stays");
	exec_record_close(&x);
	is_int(utimensat(AT_FDCWD, mark, old, 0), 0, "a minute later");
	exec_records_sweep(&paths);
	ok(access(state, F_OK) < 0, "an old one goes");
}

int main(void)
{
	char dir[TAP_PATH_SIZE];

	if (!tap_mkdtemp(dir))
		return 1;
	paths.runtime = dir;
	make();
	live();
	start_again();
	sizes();
	missing();
	sweep();
	(void)path_remove_tree_at(AT_FDCWD, dir, NULL);
	return done_testing();
}
