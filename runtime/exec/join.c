/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csbx finds the container of a process by its user and mount namespace: it compares them with
 * those of the main processes on record. A record names its process by number and start time. A
 * process that unshared a mount namespace of its own inside is in no container: it could be any
 * process.
 *
 * A descriptor of /proc/PID is of that process, whatever becomes of the number: everything of the
 * target is opened beneath one, and reading it fails once the process is gone.
 *
 * A start is on record, and listed, before it has become the program: until then its namespaces are
 * the caller's or A's, or it is csbx-init, by its name, and not to be looked at. A process that
 * joins waits for that (-EAGAIN below).
 */
#include "runtime/exec/join.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/server/init_file.h"
#include "runtime/child/init_msg.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/process_id.h"
#include "runtime/spec/spec.h"

#define ENVIRON_BYTES_MAX (4u << 20)
#define CWD_BYTES 4096
#define START_MS 10000 /* to wait for a start that is not done */
#define LOOK_MS 2      /* the first pause between two looks; each is twice the one before */
#define LOOK_MS_MAX 32

struct space {
	dev_t user_dev, mnt_dev;
	ino_t user, mnt;
};

static int not_ours(pid_t pid, struct err *e)
{
	return err_set(e, ESRCH, "process %d is in no container of yours", pid);
}

static int open_proc(pid_t pid, struct err *e)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? not_ours(pid, e) : fd;
}

static int space_of(int proc, struct space *ret)
{
	struct stat user, mnt;

	if (fstatat(proc, "ns/user", &user, 0) < 0 || fstatat(proc, "ns/mnt", &mnt, 0) < 0)
		return -errno;
	*ret = (struct space){user.st_dev, mnt.st_dev, user.st_ino, mnt.st_ino};
	return 0;
}

static bool is_same(const struct space *a, const struct space *b)
{
	return a->user == b->user && a->mnt == b->mnt && a->user_dev == b->user_dev &&
	       a->mnt_dev == b->mnt_dev;
}

/* Its pid namespace is its own where it has an init, else it shares both others with its main
 * process. */
static bool record_has(const struct instance_record *rec, int proc, const struct space *space)
{
	_close_ int main = open_proc(rec->init, NULL);
	struct stat a, b;
	struct space its;

	if (main < 0)
		return false;
	if (!rec->is_bare)
		return fstatat(main, "ns/pid", &a, 0) == 0 && fstatat(proc, "ns/pid", &b, 0) == 0 &&
		       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
	/* Before csbx-init has made B it has the caller's own, or A's. */
	return space_of(main, &its) == 0 && is_same(&its, space) &&
	       process_is(rec->init, rec->start_ticks);
}

static int not_started(pid_t pid, struct err *e)
{
	return err_set(e, EAGAIN, "process %d: its start is not done", pid);
}

static bool is_in_callers(const struct space *space)
{
	_close_ int self = open_proc(getpid(), NULL);
	struct space its;

	return self < 0 || space_of(self, &its) < 0 || its.user == space->user ||
	       its.mnt == space->mnt;
}

static bool is_main_of_bare(const struct instance_record *rec, pid_t pid)
{
	return rec->is_bare && rec->init == pid && process_is(pid, rec->start_ticks);
}

/* 0, or 1 for a bare container's main process that is still in the caller's namespaces. */
static int find(const struct paths *p, pid_t pid, int proc, struct instance_record *ret,
		struct err *e)
{
	struct instance_list l;
	struct space space;
	bool is_outside;
	int r;

	if (space_of(proc, &space) < 0)
		return not_ours(pid, e);
	is_outside = is_in_callers(&space);
	r = instance_list(p, NULL, &l, e);
	if (r < 0)
		return r;
	r = -ESRCH;
	for (size_t i = 0; i < l.n && r < 0; i++) {
		struct instance_record *rec = &l.items[i];

		/* The namespaces of a start may change while we look at them. */
		if (!is_main_of_bare(rec, pid) && (is_outside || !record_has(rec, proc, &space)))
			continue;
		*ret = *rec;
		*rec = (struct instance_record){0};
		r = 0;
	}
	instance_list_free(&l);
	return r < 0 ? not_ours(pid, e) : is_outside;
}

int join_find(const struct paths *p, pid_t pid, struct instance_record *ret, struct err *e)
{
	_close_ int proc = open_proc(pid, e);
	int r;

	*ret = (struct instance_record){0};
	r = proc < 0 ? proc : find(p, pid, proc, ret, e);
	return r < 0 ? r : 0;
}

/* --- the target --------------------------------------------------------------------------- */

/*
 * B last, and then the mounts, which are B's; namespaces that A owns before it, while there are
 * capabilities over A. One that is the caller's own already is passed over.
 */
static int open_namespaces(int proc, struct join_target *t, struct err *e)
{
	static const char *const names[] = {"ns/net", "ns/ipc", "ns/uts", "ns/cgroup"};
	_close_ int user = openat(proc, "ns/user", O_RDONLY | O_CLOEXEC);
	_close_ int self = open_proc(getpid(), e);
	struct stat a, b;
	size_t n = 0;

	if (user < 0 || self < 0)
		return err_sys(e, "open its namespaces");
	t->ns_fds[n] = ioctl(user, NS_GET_PARENT);
	if (t->ns_fds[n] < 0 || fstat(t->ns_fds[n], &a) < 0 || fstatat(self, "ns/user", &b, 0) < 0)
		return err_sys(e, "open the outer user namespace");
	if (a.st_ino == b.st_ino) /* it is in A itself */
		return not_started(t->pid, e);
	n++;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (fstatat(proc, names[i], &a, 0) < 0 || fstatat(self, names[i], &b, 0) < 0)
			return err_sys(e, "open its namespaces");
		if (a.st_ino == b.st_ino)
			continue;
		t->ns_fds[n] = openat(proc, names[i], O_RDONLY | O_CLOEXEC);
		if (t->ns_fds[n++] < 0)
			return err_sys(e, "open its namespaces");
	}
	t->ns_fds[n++] = take_fd(&user);
	t->ns_fds[n] = openat(proc, "ns/mnt", O_RDONLY | O_CLOEXEC);
	return t->ns_fds[n] < 0 ? err_sys(e, "open its namespaces") : 0;
}

/* True while it is csbx-init: its name is open to all, when nothing else of it is. */
static bool is_init(int proc)
{
	char name[sizeof(INIT_ALONE_NAME)];
	_close_ int fd = openat(proc, "comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, name, sizeof(name));

	return n == sizeof(name) && !memcmp(name, INIT_ALONE_NAME "\n", sizeof(name));
}

/*
 * One that is ending has no memory any more (statm, proc_pid_statm(5)), and may not be read either.
 */
static bool is_ending(int proc)
{
	char size[2];
	_close_ int fd = openat(proc, "statm", O_RDONLY | O_CLOEXEC);

	return fd < 0 || read(fd, size, sizeof(size)) != sizeof(size) || !memcmp(size, "0 ", 2);
}

/*
 * Between unshare(2) and its maps csbx-init is dumpable (payload.c), and B has no ids to enter with
 * yet: the name alone tells, also where the rest may be read. It may become the program between two
 * looks: so the environment is read after the name.
 */
static int open_environ(const struct join_target *t, int proc, struct err *e)
{
	int fd;

	if (is_init(proc))
		return not_started(t->pid, e);
	fd = openat(proc, "environ", O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == EACCES && is_ending(proc))
		return err_set(e, ESRCH, "process %d has ended", t->pid);
	if (fd < 0 && errno == EACCES)
		return err_set(e, EACCES,
			       "process %d: its environment may not be read: it is not dumpable, "
			       "or the file of its program not readable; another process of its "
			       "container may do",
			       t->pid);
	return fd < 0 ? err_sys(e, "its environment") : fd;
}

static int read_environ(const struct join_target *t, int proc, struct strv *env, struct err *e)
{
	_close_ int fd = open_environ(t, proc, e);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = fd < 0 ? fd : io_read_all(fd, ENVIRON_BYTES_MAX, &text, e);

	for (size_t at = 0; r >= 0 && at < text.len;) {
		size_t len = strnlen(text.data + at, text.len - at);

		/* The program may have written over it: only what is an assignment is one. */
		if (memchr(text.data + at, '=', len))
			strv_addn(env, text.data + at, len);
		at += len + 1;
	}
	return r < 0 ? r : strv_check(env, e);
}

/* A directory that was removed, or that cannot be reached from the root, is no place to be. */
static int read_cwd(int proc, struct join_target *t, struct err *e)
{
	char path[CWD_BYTES];
	ssize_t n = readlinkat(proc, "cwd", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	if (path[0] != '/' || str_has_suffix(path, " (deleted)"))
		memcpy(path, "/", 2);
	t->cwd = str_printf("%s", path);
	return t->cwd ? 0 : err_oom(e);
}

static int open_target(const struct paths *p, int proc, struct join_target *t, struct err *e)
{
	int r = find(p, t->pid, proc, &t->record, e);

	if (r > 0)
		return not_started(t->pid, e);
	if (r >= 0 && !t->record.is_bare)
		return err_set(e, EOPNOTSUPP, "process %d: its container has a supervisor", t->pid);
	if (r >= 0)
		r = open_namespaces(proc, t, e);
	if (r >= 0)
		r = read_environ(t, proc, &t->env, e);
	return r < 0 ? r : read_cwd(proc, t, e);
}

static int open_once(const struct paths *p, pid_t pid, struct join_target *ret, struct err *e)
{
	_close_ int proc = open_proc(pid, e);
	int r = proc;

	*ret = (struct join_target)JOIN_TARGET_INIT;
	ret->pid = pid;
	if (r >= 0) {
		ret->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		r = ret->pidfd < 0 ? not_ours(pid, e) : open_target(p, proc, ret, e);
	}
	/* Facts that were read of a process that has ended meanwhile are not to be believed. */
	if ((r >= 0 || r == -EAGAIN) && syscall(SYS_pidfd_send_signal, ret->pidfd, 0, NULL, 0) < 0)
		r = not_ours(pid, e);
	if (r < 0)
		join_close(ret);
	return r;
}

int join_open(const struct paths *p, pid_t pid, struct join_target *ret, struct err *e)
{
	uint64_t end = clock_monotonic_ms() + START_MS;
	int r, pause_ms = LOOK_MS;

	while ((r = open_once(p, pid, ret, e)) == -EAGAIN && clock_monotonic_ms() < end) {
		(void)poll(NULL, 0, pause_ms);
		pause_ms = pause_ms < LOOK_MS_MAX ? 2 * pause_ms : pause_ms;
	}
	return r;
}

void join_close(struct join_target *t)
{
	for (int i = 0; i < JOIN_NS_MAX; i++)
		fd_close(&t->ns_fds[i]);
	fd_close(&t->pidfd);
	instance_record_free(&t->record);
	strv_free(&t->env);
	ptr_free(&t->cwd);
}

/* --- becoming the command ----------------------------------------------------------------- */

static unsigned count_namespaces(const struct join_target *t)
{
	unsigned n = 0;

	while (n < JOIN_NS_MAX && t->ns_fds[n] >= 0)
		n++;
	return n;
}

/* Just enough of a specification for a message: the words are borrowed. */
static int make_message(const struct join_target *t, const struct join_command *c, struct err *e)
{
	const struct instance_record *rec = &t->record;
	struct container_spec s = {
		.proc = {.argv = *c->argv,
			 .env = *c->env,
			 .cwd = c->cwd ? (char *)c->cwd : t->cwd,
			 .uid = rec->uid,
			 .gid = rec->gid,
			 .n_keep_fds = c->n_keep_fds},
		.ns = {.net = NET_HOST}, /* none of its own to be another's after it */
		.sec = {.caps = rec->caps,
			.new_privs = rec->new_privs,
			.seccomp_off = rec->seccomp_off,
			.fake_ids = rec->fake_ids},
	};
	mode_t mask = umask(0);
	struct init_msg_params params = {
		.exec = true,
		.umask = mask,
		.complaint = c->error_prefix ? c->error_prefix : "csbx: ",
		.failure_code = (uint32_t)c->failure_code,
		.n_join_fds = count_namespaces(t),
	};
	_strbuf_ struct strbuf msg = STRBUF_INIT;
	int r;

	umask(mask);
	r = init_msg_build(&s, NULL, &params, &msg, e);
	return r < 0 ? r : init_msg_memfd(&msg, e);
}

int join_exec(const struct paths *p, const struct join_target *t, const struct join_command *c,
	      struct err *e)
{
	int fds[JOIN_KEEP_MAX + JOIN_NS_MAX];
	unsigned n = 0, n_ns = count_namespaces(t);
	_close_ int msg = -1, init = -1;

	if (c->n_keep_fds > JOIN_KEEP_MAX)
		return err_set(e, E2BIG, "too many descriptors to keep");
	if (!c->argv->n || !*c->argv->items[0])
		return err_set(e, EINVAL, "no command given");
	if (c->cwd && *c->cwd != '/')
		return err_set(e, EINVAL, "%s: must be an absolute path", c->cwd);
	msg = make_message(t, c, e);
	if (msg < 0)
		return msg;
	init = init_file_open(p, e);
	if (init < 0)
		return init;
	for (unsigned i = 0; i < c->n_keep_fds; i++)
		fds[n++] = c->keep_fds[i];
	for (unsigned i = 0; i < n_ns; i++)
		fds[n++] = t->ns_fds[i];
	return init_file_exec(init, msg, fds, n, e);
}
