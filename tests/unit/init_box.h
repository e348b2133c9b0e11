/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_TESTS_UNIT_INIT_BOX_H
#define CSBX_TESTS_UNIT_INIT_BOX_H

/*
 * Starts csbx-init directly, without the start path: an ordinary user's outer namespace A, fresh
 * pid, mount, ipc, uts and net namespaces in it, the host's root as the root, a clean /proc as
 * INIT_FD_PROC. The test is the supervisor. Payloads are programs of the host or the test program
 * itself, called again with a word that names a probe.
 */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/child/init_msg.h"
#include "runtime/spec/spec.h"
#include "runtime/userns/userns.h"
#include "tests/unit/tap.h"

#define BOX_TIMEOUT_MS 20000

struct box_want {
	const char *const *argv; /* NULL-terminated */
	uint32_t uid;            /* main user inside */
	bool ranges;             /* more ids than one; needs root to arrange */
	bool unsealed;
	uint32_t extra_flags, drop_flags; /* on top of what init_msg_build() decides */
	const void *raw;                  /* instead of a built message */
	size_t raw_len;
	int cgroup_fd; /* 0 = none; with it, where init itself shall be: */
	const char *cgroup_procs;
	int enosys;  /* a system call that csbx-init finds missing */
	int keep_fd; /* handed through as 3; 0 = none */
	void (*edit)(struct container_spec *s);
};

struct box {
	pid_t outer;
	int control, status, out;
	struct container_spec spec;
	struct id_map map;
};

static int box_init_fd; /* sealed memfd with csbx-init */
static uid_t box_uid;   /* the ordinary user */
static gid_t box_gid;
static char box_self[4096]; /* this program, for probes */

/* Finds csbx-init beside the build's tests and the user to be; a root caller stays root itself. */
static void box_setup(void)
{
	_strbuf_ struct strbuf path = STRBUF_INIT, program = STRBUF_INIT;
	const struct passwd *pw = geteuid() ? NULL : getpwnam("csbx-test");
	_close_ int fd = -1;
	ssize_t n = readlink("/proc/self/exe", box_self, sizeof(box_self) - 1);

	if (n <= 0)
		abort();
	strbuf_add(&path, box_self, (size_t)n);
	strbuf_addstr(&path, "/../../../csbx-init");
	if (path.failed)
		abort();
	memcpy(strstr(path.data, "/tests/unit/"), "/csbx-init", sizeof("/csbx-init"));
	fd = open(path.data, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || io_read_all(fd, 1 << 20, &program, NULL) < 0) {
		printf("Bail out! no %s\n", path.data);
		exit(1);
	}
	box_init_fd = memfd_create("csbx-init", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (box_init_fd < 0 || io_write_all(box_init_fd, program.data, program.len, NULL) < 0 ||
	    fchmod(box_init_fd, 0755) < 0)
		abort();
	box_uid = pw ? pw->pw_uid : geteuid() ? geteuid() : 65534;
	box_gid = pw ? pw->pw_gid : geteuid() ? getegid() : 65534;
	signal(SIGPIPE, SIG_IGN);
}

static bool box_write_file(const char *path, const char *text)
{
	_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static void box_die(const char *what)
{
	fprintf(stderr, "# box: %s: %s\n", what, strerror(errno));
	_exit(99);
}

/* Maps of A: by itself for one id, by a root parent for ranges. */
static void box_enter_userns(const struct box *b, const struct box_want *w, const int sync[2])
{
	char c;

	if (w->cgroup_procs && !box_write_file(w->cgroup_procs, "0"))
		box_die("join a cgroup");
	if (!geteuid() && (setgroups(0, NULL) < 0 || setresgid(box_gid, box_gid, box_gid) < 0 ||
			   setresuid(box_uid, box_uid, box_uid) < 0))
		box_die("become an ordinary user");
	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER) < 0)
		box_die("unshare");
	if (!w->ranges && userns_write_own(&b->map, NULL) < 0)
		box_die("id map");
	if (w->ranges && (write(sync[1], "", 1) != 1 || read(sync[1], &c, 1) != 1))
		box_die("id map by root");
}

/* As csbx does for a main user other than root: else execve drops what A gave (capabilities(7)). */
static void box_keep_caps(void)
{
	struct {
		uint32_t version;
		int pid;
	} head = {0x20080522, 0};
	uint32_t data[6];

	if (syscall(SYS_capget, &head, data) < 0)
		box_die("capget");
	data[2] = data[1];
	data[5] = data[4];
	if (syscall(SYS_capset, &head, data) < 0)
		box_die("capset");
	for (int cap = 0; !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0); cap++)
		;
}

static void box_mask_syscall(int nr)
{
	struct sock_filter f[] = {
		{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
		{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)nr},
		{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
		{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
	};
	struct sock_fprog prog = {4, f};

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		box_die("mask a system call");
}

/* Pid 1: a proc of its own, descriptors in their places, then csbx-init. */
static void box_become_init(const struct box_want *w, int control, int status, int out, int msg)
{
	char *argv[] = {(char[]){"csbx-init"}, NULL}, *env[] = {NULL};
	int from[INIT_FD_FIRST_KEPT + 1] = {
		[INIT_FD_CONTROL] = control, [INIT_FD_MSG] = msg, [INIT_FD_STATUS] = status};
	int init = fcntl(box_init_fd, F_DUPFD_CLOEXEC, 100);

	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		box_die("mount proc");
	from[INIT_FD_PROC] =
		(int)syscall(SYS_open_tree, AT_FDCWD, "/proc", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	from[INIT_FD_CGROUP] = w->cgroup_fd;
	from[INIT_FD_FIRST_KEPT] = w->keep_fd;
	from[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
	from[1] = from[2] = out;
	for (int i = 0; i <= INIT_FD_FIRST_KEPT; i++)
		from[i] = from[i] ? fcntl(from[i], F_DUPFD_CLOEXEC, 100) : -1;
	for (int i = 0; i <= INIT_FD_FIRST_KEPT; i++) {
		if (from[i] >= 0 ? dup2(from[i], i) < 0 : close(i) < 0 && errno != EBADF)
			box_die("place descriptors");
	}
	if (w->uid)
		box_keep_caps();
	if (w->enosys)
		box_mask_syscall(w->enosys);
	syscall(SYS_execveat, init, "", argv, env, AT_EMPTY_PATH);
	box_die("exec csbx-init");
}

static void box_spec(struct box *b, const struct box_want *w)
{
	struct err e = ERR_INIT;

	spec_init(&b->spec);
	b->spec.proc.uid = w->uid;
	b->spec.proc.gid = w->uid;
	b->spec.rootfs.path = strdup("/");
	for (const char *const *a = w->argv; a && *a; a++)
		strv_add(&b->spec.proc.argv, *a);
	if (!w->argv)
		strv_add(&b->spec.proc.argv, "true");
	strv_add(&b->spec.proc.env, "PATH=/usr/bin:/bin");
	strv_add(&b->spec.proc.env, "BOX=1");
	if (w->edit)
		w->edit(&b->spec);
	if (spec_freeze(&b->spec, &e) < 0) {
		printf("Bail out! %s\n", e.msg);
		exit(1);
	}
	b->map = (struct id_map){.n_uid = 1, .n_gid = 1};
	b->map.uid[0] = (struct id_extent){w->uid, box_uid, 1};
	b->map.gid[0] = (struct id_extent){w->uid, box_gid, 1};
	if (w->ranges) { /* ids below and above the main user's, which is 5 here */
		b->map.n_uid = b->map.n_gid = 3;
		b->map.uid[1] = b->map.uid[0];
		b->map.gid[1] = b->map.gid[0];
		b->map.uid[0] = b->map.gid[0] = (struct id_extent){0, 300000, w->uid};
		b->map.uid[2] = b->map.gid[2] =
			(struct id_extent){w->uid + 1, 300000 + w->uid, 1000};
	}
}

static int box_message(const struct box *b, const struct box_want *w, bool exec)
{
	const struct init_msg_params params = {
		.exec = exec, .has_cgroup = w->cgroup_fd, .umask = 022, .oom_score_adj = 321};
	_strbuf_ struct strbuf msg = STRBUF_INIT;
	struct err e = ERR_INIT;
	struct init_msg *m;
	int fd;

	if (w->raw) {
		strbuf_add(&msg, w->raw, w->raw_len);
	} else if (init_msg_build(&b->spec, &b->map, &params, &msg, &e) < 0) {
		printf("Bail out! %s\n", e.msg);
		exit(1);
	} else {
		m = (struct init_msg *)(void *)msg.data;
		m->flags = (m->flags | w->extra_flags) & ~w->drop_flags;
		m->n_keep_fds = w->keep_fd ? 1 : 0;
		if (w->drop_flags & INIT_SECCOMP)
			m->bpf = (struct init_range){0, 0};
	}
	if (!w->unsealed)
		return init_msg_memfd(&msg, &e);
	fd = memfd_create("message", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return io_write_all(fd, msg.data, msg.len, NULL) < 0 ? -1 : fd;
}

/* Root writes the maps of A for the ranges case, through the sync socket. */
static void box_map_ranges(const struct box *b, const int sync[2])
{
	_strbuf_ struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	char c;

	for (uint32_t i = 0; i < b->map.n_uid; i++)
		strbuf_addf(&text, "%u %u %u\n", b->map.uid[i].inside, b->map.uid[i].outside,
			    b->map.uid[i].count);
	if (read(sync[0], &c, 1) != 1)
		return;
	strbuf_addf(&path, "/proc/%d/uid_map", b->outer);
	ok(box_write_file(path.data, text.data), "write uid_map of A");
	strbuf_reset(&path);
	strbuf_reset(&text);
	for (uint32_t i = 0; i < b->map.n_gid; i++)
		strbuf_addf(&text, "%u %u %u\n", b->map.gid[i].inside, b->map.gid[i].outside,
			    b->map.gid[i].count);
	strbuf_addf(&path, "/proc/%d/gid_map", b->outer);
	ok(box_write_file(path.data, text.data), "write gid_map of A");
	(void)!write(sync[0], "", 1);
}

static inline void box_start(struct box *b, const struct box_want *w)
{
	int control[2], status[2], out[2], sync[2], msg;

	*b = (struct box){0};
	box_spec(b, w);
	msg = box_message(b, w, false);
	if (msg < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync) < 0 ||
	    pipe2(status, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		abort();
	b->outer = fork();
	if (!b->outer) {
		int st = 0;
		pid_t pid;

		box_enter_userns(b, w, sync);
		if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
			    CLONE_NEWNET) < 0)
			box_die("unshare the rest");
		pid = fork();
		if (!pid)
			box_become_init(w, control[1], status[1], out[1], msg);
		close(control[0]);
		close(control[1]);
		close(status[1]);
		close(out[1]);
		waitpid(pid, &st, 0);
		_exit(WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st));
	}
	if (w->ranges)
		box_map_ranges(b, sync);
	close(sync[0]);
	close(sync[1]);
	close(control[1]);
	close(status[1]);
	close(out[1]);
	close(msg);
	b->control = control[0];
	b->status = status[0];
	b->out = out[0];
}

static bool box_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, BOX_TIMEOUT_MS) == 1;
}

/* Reads a status pipe: stage 0 = end of file = started. */
static struct init_status box_read_status(int fd)
{
	struct init_status st = {.stage = 999};
	ssize_t n = box_readable(fd) ? read(fd, &st, sizeof(st)) : -1;

	if (!n)
		st.stage = 0;
	return st;
}

static inline struct init_status box_status(const struct box *b)
{
	return box_read_status(b->status);
}

/*
 * The next event of the given type (and id, if not 0); others are passed over. type 0 = none came.
 */
static inline struct init_event box_event(const struct box *b, uint32_t type, uint32_t id)
{
	struct init_event ev;

	while (box_readable(b->control) && recv(b->control, &ev, sizeof(ev), 0) == sizeof(ev)) {
		if (ev.magic == INIT_MAGIC && ev.type == type && (!id || ev.id == id))
			return ev;
	}
	return (struct init_event){0};
}

static inline void box_request(const struct box *b, uint32_t type, uint32_t arg, uint32_t id)
{
	const struct init_request rq = {INIT_MAGIC, type, arg, id};

	if (send(b->control, &rq, sizeof(rq), MSG_NOSIGNAL) != sizeof(rq))
		perror("# request");
}

/* All that was written to fd until its end; caller frees. */
static inline char *box_read_text(int fd)
{
	struct strbuf text = STRBUF_INIT;
	char buf[4096];
	ssize_t n;

	while (box_readable(fd) && (n = read(fd, buf, sizeof(buf))) > 0)
		strbuf_add(&text, buf, (size_t)n);
	strbuf_add(&text, "", 0);
	return strbuf_take(&text);
}

/* Ends the container; the exit code of csbx-init, -1 if it does not end. */
static inline int box_end(struct box *b)
{
	int st = -1;

	close(b->control);
	close(b->status);
	close(b->out);
	for (int i = 0; i < BOX_TIMEOUT_MS / 10; i++) {
		pid_t r = waitpid(b->outer, &st, WNOHANG);

		if (r == b->outer || r < 0)
			break;
		usleep(10000);
		st = -1;
	}
	spec_free(&b->spec);
	return st != -1 && WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

#endif
