/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/exec_session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/show/events.h"
#include "cmd/docker/daemon/exec.h"
#include "cmd/docker/daemon/exec_record.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/exec/client.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/stream/detach_keys.h"

#define KILLED 137 /* a session that was killed takes its processes along */

static void note_created(const struct paths *p, const struct docker_target *t,
			 const struct docker_exec_args *a, const char *id)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	docker_exec_words(a, "exec_create", &text);
	if (!text.failed)
		docker_event_target(p, t, strbuf_str(&text), "execID", id);
}

int docker_exec_create(const struct paths *p, const char *operand, const struct docker_exec_args *a,
		       char ret_id[DOCKER_EXEC_ID_BYTES], struct docker_fault *f)
{
	struct detach_keys keys;
	struct docker_target t;
	int r;

	if (!a->argv.n)
		return docker_refuse(f, "No exec command specified");
	r = docker_target_open(p, operand, &t, f);
	if (r >= 0)
		r = docker_exec_check(p, &t, f);
	if (r >= 0 && detach_keys_parse(a->detach_keys, &keys) < 0)
		r = docker_refuse(f, "Invalid escape keys (%s) provided", a->detach_keys);
	if (r >= 0) {
		exec_records_sweep(p);
		r = exec_record_make(p, docker_target_id(&t), a, ret_id, &f->err);
		if (r >= 0)
			note_created(p, &t, a, ret_id);
	}
	docker_target_close(&t);
	return r;
}

static int open_record(const struct paths *p, const char *id, struct exec_record *x,
		       struct docker_fault *f)
{
	int r = exec_record_open(p, id, x, &f->err);

	return r == -ENOENT ? docker_fault(f, DOCKER_NOT_FOUND, ENOENT,
					   "No such exec instance: %.100s", id)
			    : r;
}

/* --- the session -------------------------------------------------------------------------- */

struct session {
	struct exec_record record;
	struct exec_watch watch;
	int started_fd; /* gets a byte when it runs; -1: no process waits */
};

static void note_started(void *arg, pid_t pid)
{
	struct session *s = arg;
	const struct exec_record_state state = {.phase = EXEC_RUNNING, .pid = pid};

	(void)exec_record_write_state(&s->record, &state, NULL);
	if (s->started_fd >= 0)
		(void)io_write_all(s->started_fd, "", 1, NULL);
	fd_close(&s->started_fd);
}

static bool read_size(void *arg, unsigned *rows, unsigned *columns)
{
	struct session *s = arg;
	struct exec_record_size size;
	char events[4096];

	while (read(s->watch.size_fd, events, sizeof(events)) > 0)
		;
	if (!exec_record_read_size(&s->record, &size))
		return false;
	*rows = size.rows;
	*columns = size.columns;
	return true;
}

/* A write of the size makes it readable, and one write is made here for the size of before. */
static void watch_size(struct session *s)
{
	struct exec_record_size size;
	char path[48];

	s->watch.size_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/size", s->record.dirfd);
	if (s->watch.size_fd < 0 || inotify_add_watch(s->watch.size_fd, path, IN_MODIFY) < 0)
		fd_close(&s->watch.size_fd);
	else if (exec_record_read_size(&s->record, &size))
		(void)exec_record_write_size(&s->record, &size, NULL);
}

static int take_lock(const struct session *s, const char *id, struct docker_fault *f)
{
	struct exec_record_state state;

	if (file_lock_try(s->record.state_fd, true) < 0)
		return docker_fault(f, DOCKER_CONFLICT, EBUSY,
				    "Error: Exec command %s is already running", id);
	if (exec_record_read_state(&s->record, &state, &f->err) < 0)
		return -f->err.code;
	return state.phase == EXEC_MADE
		       ? 0
		       : docker_fault(f, DOCKER_CONFLICT, EALREADY,
				      "Error: Exec command %s has already run", id);
}

static int run_session(const struct paths *p, struct session *s, const char *id,
		       struct docker_fault *f)
{
	const struct docker_exec_how how = {.watch = &s->watch, .id = id};
	struct exec_record_state state = {.phase = EXEC_ENDED};
	int r = take_lock(s, id, f);

	if (r < 0)
		return r;
	if (s->record.args.tty)
		watch_size(s);
	r = docker_exec(p, s->record.container, &s->record.args, &how, f);
	fd_close(&s->watch.size_fd);
	state.exit_code = r >= 0 ? r : f->exit_code;
	/* An exec that was refused before there was a process may be tried again. */
	if (r >= 0 || f->exit_code)
		(void)exec_record_write_state(&s->record, &state, NULL);
	return r;
}

static int start(const struct paths *p, const char *id, int started_fd, struct docker_fault *f)
{
	struct session s = {
		.watch = {.started = note_started, .size_fd = -1, .read_size = read_size},
		.started_fd = started_fd};
	int r = open_record(p, id, &s.record, f);

	s.watch.arg = &s;
	if (r >= 0)
		r = run_session(p, &s, id, f);
	exec_record_close(&s.record);
	return r;
}

/* 0 to 2 become those descriptors; none of them may be one of the three. */
static int place(const int fds[3], struct err *e)
{
	int own[3], r = 0;

	for (int i = 0; i < 3; i++) {
		own[i] = fds[i] >= 0 ? fcntl(fds[i], F_DUPFD_CLOEXEC, 3) : -1;
		if (fds[i] < 0) {
			_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);

			own[i] = null < 0 ? -1 : fcntl(null, F_DUPFD_CLOEXEC, 3);
		}
		if (own[i] < 0)
			r = err_sys(e, "stream %d", i);
	}
	for (int i = 0; i < 3; i++) {
		if (r >= 0 && dup2(own[i], i) < 0)
			r = err_sys(e, "stream %d", i);
		fd_close(&own[i]);
	}
	return r;
}

int docker_exec_start(const struct paths *p, const char *id, const int fds[3],
		      struct docker_fault *f)
{
	int r = place(fds, &f->err);

	return r < 0 ? r : start(p, id, -1, f);
}

/* A child without a parent that waits: it tells by the pipe that it runs, or why it does not. */
static void be_detached(const struct paths *p, const char *id, int pipe_fd)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r;

	if (fork())
		_exit(0);
	setsid();
	/* Whatever else the caller has open, connections above all, must end without us. */
	fd_keep_only(&pipe_fd, 1);
	r = start(p, id, 3, &f);
	if (r < 0)
		(void)io_write_all(3, &f, sizeof(f), NULL);
	_exit(0);
}

int docker_exec_start_detached(const struct paths *p, const char *id, struct docker_fault *f)
{
	_close_ int ours = -1;
	int ends[2];
	ssize_t n;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(&f->err, "pipe");
	child = fork();
	if (child == 0) {
		close(ends[0]);
		be_detached(p, id, ends[1]);
	}
	close(ends[1]);
	ours = ends[0];
	if (child < 0 || waitpid(child, NULL, 0) < 0)
		return err_sys(&f->err, "fork");
	do
		n = read(ours, f, sizeof(*f));
	while (n < 0 && errno == EINTR);
	if (n == 1 || n == 0) {
		*f = (struct docker_fault)DOCKER_FAULT_INIT;
		return n ? 0 : err_set(&f->err, EIO, "the exec's session was killed");
	}
	return f->err.code ? -f->err.code : err_set(&f->err, EIO, "the exec's session failed");
}

/* --- what others ask ------------------------------------------------------------------------ */

int docker_exec_look(const struct paths *p, const char *id, bool *ret_tty, bool *ret_interactive,
		     struct detach_keys *ret_keys, struct docker_fault *f)
{
	struct exec_record x;
	int r = open_record(p, id, &x, f);

	*ret_tty = x.args.tty;
	*ret_interactive = x.args.interactive;
	(void)detach_keys_parse(x.args.detach_keys, ret_keys);
	exec_record_close(&x);
	return r;
}

void docker_exec_is_left(const struct paths *p, const char *id)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct exec_record x;
	struct docker_target t;

	if (open_record(p, id, &x, &f) >= 0 && docker_target_open(p, x.container, &t, &f) >= 0) {
		docker_event_target(p, &t, "exec_detach", "execID", id);
		docker_target_close(&t);
	}
	exec_record_close(&x);
}

int docker_exec_resize(const struct paths *p, const char *id, unsigned rows, unsigned columns,
		       struct docker_fault *f)
{
	const struct exec_record_size size = {(uint16_t)rows, (uint16_t)columns};
	struct exec_record x;
	int r = open_record(p, id, &x, f);

	if (r >= 0)
		r = exec_record_write_size(&x, &size, &f->err);
	exec_record_close(&x);
	return r;
}

/* The last number of "NSpid:\t4711\t12" in /proc/PID/status. */
static long inner_pid(const char *pid)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	char path[48];
	const char *line, *last;

	snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
	if (io_read_path(path, 1u << 16, &text, NULL) < 0)
		return 0;
	line = strstr(strbuf_str(&text), "\nNSpid:");
	if (!line)
		return 0;
	line++;
	last = memrchr(line, '\t', strcspn(line, "\n"));
	return last ? strtol(last + 1, NULL, 10) : 0;
}

/* The process on the host that csbx-init, whose child it is, knows by that number; 0: none. */
static long host_pid(const struct paths *p, const char *container, int32_t inner)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;
	long found = 0;
	char path[64], *save = NULL;

	if (inner <= 0 || docker_target_open(p, container, &t, &f) < 0)
		return 0;
	if (docker_target_instance(p, &t, &f) >= 0) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", t.instance.init,
			 t.instance.init);
		(void)io_read_path(path, 1u << 20, &text, NULL);
	}
	docker_target_close(&t);
	for (char *w = text.len ? strtok_r(text.data, " ", &save) : NULL; w && !found;
	     w = strtok_r(NULL, " ", &save))
		found = inner_pid(w) == inner ? strtol(w, NULL, 10) : 0;
	return found;
}

static struct docker_value *describe(const struct exec_record *x, const char *id,
				     const struct exec_record_state *s, long pid)
{
	struct docker_value *root = docker_value_new(DOCKER_VALUE_STRUCT), *process, *args;
	bool runs = s->phase == EXEC_RUNNING;

	if (!root)
		return NULL;
	docker_value_str(root, "ID", id);
	docker_value_bool(root, "Running", runs);
	if (s->phase == EXEC_ENDED)
		docker_value_int(root, "ExitCode", s->exit_code);
	else
		docker_value_add(root, "ExitCode", DOCKER_VALUE_NIL);
	process = docker_value_add(root, "ProcessConfig", DOCKER_VALUE_STRUCT);
	docker_value_bool(process, "tty", x->args.tty);
	docker_value_str(process, "entrypoint", x->args.argv.items[0]);
	args = docker_value_add(process, "arguments", DOCKER_VALUE_LIST);
	for (size_t i = 1; i < x->args.argv.n; i++)
		docker_value_str(args, NULL, x->args.argv.items[i]);
	docker_value_bool(process, "privileged", false);
	if (x->user && *x->user)
		docker_value_str(process, "user", x->user);
	docker_value_bool(root, "OpenStdin", x->args.interactive);
	docker_value_bool(root, "OpenStderr", true);
	docker_value_bool(root, "OpenStdout", true);
	docker_value_bool(root, "CanRemove", false);
	docker_value_str(root, "ContainerID", x->container);
	docker_value_str(root, "DetachKeys", "");
	docker_value_int(root, "Pid", pid);
	return root;
}

int docker_exec_value(const struct paths *p, const char *id, struct docker_value **ret,
		      struct docker_fault *f)
{
	struct exec_record_state s = {0};
	struct exec_record x;
	int r = open_record(p, id, &x, f);

	*ret = NULL;
	if (r >= 0)
		r = exec_record_read_state(&x, &s, &f->err);
	/* Asked after the state was read: an end is written before the lock is let go. */
	if (r >= 0 && s.phase == EXEC_RUNNING && !file_lock_is_held(x.state_fd)) {
		r = exec_record_read_state(&x, &s, &f->err);
		if (s.phase == EXEC_RUNNING)
			s = (struct exec_record_state){.phase = EXEC_ENDED, .exit_code = KILLED};
	}
	if (r >= 0) {
		*ret = describe(&x, id, &s,
				s.phase == EXEC_RUNNING ? host_pid(p, x.container, s.pid) : 0);
		r = docker_value_check(*ret, &f->err);
	}
	exec_record_close(&x);
	if (r < 0) {
		docker_value_free(*ret);
		*ret = NULL;
	}
	return r;
}
