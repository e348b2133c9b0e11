/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a fresh clone of init to the program. The main process (W) was cloned into namespaces of
 * its own; an exec'd one joins them here. From then on both take the same steps, in an order where
 * each edge has a reason:
 *
 *   bounding           where init writes the maps, meanwhile: B is there with all capabilities
 *   id maps            before anything that looks at ids or needs a capability in B
 *   namespaces, sysctl while all capabilities in B are there
 *   descriptors        before any path is looked up: a cwd or program of /proc/self/fd/N must not
 *                      reach the clean /proc or the control socket
 *   session, terminal  the terminal is descriptor 0, in its place now
 *   limits, bounding   setting them needs capabilities. Where words are waited for, that of files
 *                      comes after them, as they are descriptors: lowering one needs nothing
 *   groups, gid, uid   in this order, each needs the next one's privilege
 *   mkdir, cwd         as the main user, and while one other than root still gets past modes: an
 *                      image's WORKDIR may be closed to the user that --user names, as in docker
 *   capabilities       nothing after them needs any
 *   signals, no_new_privs, seccomp
 *   wait for init      nothing of the image may run before init has dropped its capabilities. All
 *                      steps before are our own code's: they go on while init does its part
 *   execve
 *
 * Without no_new_privs seccomp(2) needs CAP_SYS_ADMIN: the filter then comes before the ids, and
 * all later steps are calls that it allows.
 *
 * Mustn't: touch init's memory expecting it to notice; return; go on after a failure. Dropped
 * halfway is not a state to recover from.
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/abi/msg_check.h"

static const uint8_t order_usual[] = {
	INIT_STAGE_IDMAP,    INIT_STAGE_OOM_SCORE, INIT_STAGE_NAMESPACE, INIT_STAGE_NO_USERNS,
	INIT_STAGE_FDS,      INIT_STAGE_SESSION,   INIT_STAGE_TTY,       INIT_STAGE_RLIMIT,
	INIT_STAGE_BOUNDING, INIT_STAGE_GROUPS,    INIT_STAGE_USER,      INIT_STAGE_MKDIR,
	INIT_STAGE_CWD,      INIT_STAGE_CAPS,      INIT_STAGE_SIGNALS,   INIT_STAGE_NO_NEW_PRIVS,
	INIT_STAGE_SECCOMP,  INIT_STAGE_EXEC,
};

static const uint8_t order_mapped_by_init[] = {
	INIT_STAGE_BOUNDING,  INIT_STAGE_IDMAP,  INIT_STAGE_OOM_SCORE, INIT_STAGE_NAMESPACE,
	INIT_STAGE_NO_USERNS, INIT_STAGE_FDS,    INIT_STAGE_SESSION,   INIT_STAGE_TTY,
	INIT_STAGE_RLIMIT,    INIT_STAGE_GROUPS, INIT_STAGE_USER,      INIT_STAGE_MKDIR,
	INIT_STAGE_CWD,       INIT_STAGE_CAPS,   INIT_STAGE_SIGNALS,   INIT_STAGE_NO_NEW_PRIVS,
	INIT_STAGE_SECCOMP,   INIT_STAGE_EXEC,
};

static const uint8_t order_new_privs[] = {
	INIT_STAGE_IDMAP,    INIT_STAGE_OOM_SCORE, INIT_STAGE_NAMESPACE, INIT_STAGE_NO_USERNS,
	INIT_STAGE_FDS,      INIT_STAGE_SESSION,   INIT_STAGE_TTY,       INIT_STAGE_RLIMIT,
	INIT_STAGE_BOUNDING, INIT_STAGE_SECCOMP,   INIT_STAGE_GROUPS,    INIT_STAGE_USER,
	INIT_STAGE_MKDIR,    INIT_STAGE_CWD,       INIT_STAGE_CAPS,      INIT_STAGE_SIGNALS,
	INIT_STAGE_EXEC,
};

static bool is_exec(const struct payload *p)
{
	return p->flags & INIT_EXEC;
}

static bool is_alone(const struct payload *p)
{
	return p->flags & (INIT_BARE | INIT_JOIN);
}

/*
 * Init writes a byte when it has written the maps, and one when W may execve. Only a byte counts:
 * end of file means that init died.
 */
static int wait_for_init(const struct payload *p)
{
	char go;
	long n;

	if (p->sync_fd < 0)
		return 0;
	do {
		n = sys_read(p->sync_fd, &go, 1);
	} while (n == -EINTR);
	return n == 1 ? 0 : -EPIPE;
}

static int step_idmap(struct payload *p)
{
	int r = 0;

	if (is_exec(p))
		return 0;
	if (p->flags & INIT_BARE)
		r = sys_unshare(namespaces_of(p->flags));
	if (r < 0)
		return r;
	return p->flags & INIT_ONE_ID ? idmap_write(p->m, 0) : wait_for_init(p);
}

/*
 * Written while the process still belongs to A and is dumpable, else its files in /proc are not
 * ours. Raising the value needs no privilege; EACCES means that the inherited one is higher still.
 */
static int step_oom_score(struct payload *p)
{
	unsigned v = p->m->oom_score_adj;
	char buf[4];
	int n = sizeof(buf), r;

	if (!v)
		return 0;
	for (; v; v /= 10)
		buf[--n] = (char)('0' + v % 10);
	if (is_exec(p))
		sys_prctl(PR_SET_DUMPABLE, 1, 0);
	r = proc_write("self/oom_score_adj", buf + n, sizeof(buf) - (size_t)n);
	if (is_exec(p))
		sys_prctl(PR_SET_DUMPABLE, 0, 0);
	return r == -EACCES ? 0 : r;
}

/*
 * A program of a lane that has a control group of its own sees that as the root, and no trace of
 * those before it. To make the namespace it has all capabilities in B, which it has joined.
 */
static int join_namespace(const struct payload *p, unsigned kind)
{
	return kind == NS_CGROUP && p->flags & INIT_OWN_CGROUP ? sys_unshare(CLONE_NEWCGROUP)
							       : sys_setns(p->ns_fds[kind], 0);
}

static int join_namespaces(const struct payload *p)
{
	for (unsigned i = 0; i < p->n_ns; i++) {
		int r;

		if (p->ns_fds[i] < 0)
			continue;
		r = join_namespace(p, i);
		/* Changed credentials may make a process dumpable again (fs.suid_dumpable). */
		sys_prctl(PR_SET_DUMPABLE, 0, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* netdevice(7); B's own network namespace starts with lo down. */
static int loopback_up(void)
{
	struct {
		char name[16];
		short flags;
		char rest[22];
	} ifr = {.name = "lo"};
	int fd = sys_socket(2 /* AF_INET */, 2 /* SOCK_DGRAM */, 0), r;

	if (fd < 0)
		return fd;
	ifr.flags = 0x1 | 0x40; /* IFF_UP | IFF_RUNNING */
	r = sys_ioctl(fd, 0x8914 /* SIOCSIFFLAGS */, (unsigned long)&ifr);
	sys_close(fd);
	return r;
}

static int step_namespace(struct payload *p)
{
	const struct init_msg *m = p->m;
	int r = is_exec(p) ? join_namespaces(p) : 0;

	if (r >= 0 && (p->flags & INIT_NEW_NET))
		r = loopback_up();
	if (r >= 0 && (p->flags & INIT_NEW_UTS))
		r = sys_sethostname(init_msg_at(m, m->hostname), m->hostname.len - 1);
	return r;
}

/* The sysctl is per user namespace of the process that writes it: no other process can do this. */
static int step_no_userns(struct payload *p)
{
	return p->flags & INIT_NO_USERNS ? proc_write("sys/user/max_user_namespaces", "0", 1) : 0;
}

/*
 * Puts each descriptor in its place and closes all others. Sources below the highest place are
 * moved out of the way first, so that no dup3 overwrites one still to come. The status pipe and
 * the pipe from init stay, right behind the payload's own, until execve closes them.
 */
static int step_fds(struct payload *p)
{
	int *from[3 + INIT_MAX_KEEP_FDS + 2] NOT_ZEROED;
	int own = 3 + (p->is_ahead ? 0 : (int)p->m->n_keep_fds), n = own, r = 0;

	for (int i = 0; i < own; i++)
		from[i] = &p->fds[i];
	if (p->status_fd >= 0)
		from[n++] = &p->status_fd;
	if (p->sync_fd >= 0)
		from[n++] = &p->sync_fd;
	for (int i = 0; i < n && r >= 0; i++) {
		if (*from[i] != i && *from[i] < n)
			r = *from[i] = sys_fcntl(*from[i], F_DUPFD_CLOEXEC, n);
	}
	for (int i = 0; i < n && r >= 0; i++) {
		if (*from[i] != i)
			r = sys_dup3(*from[i], i, i < own ? 0 : O_CLOEXEC);
		else if (i >= own)
			r = sys_fcntl(i, F_SETFD, FD_CLOEXEC);
		*from[i] = i;
	}
	return r < 0 ? r : close_from((unsigned)n);
}

/*
 * Alone, it stays in its caller's session, with the terminal and the process group, as any program
 * that is exec'd. The keyring is what init makes for a whole container; a used-up quota is passed
 * over as it is there: the filter keeps keyctl(2) out of reach.
 */
static int step_session(struct payload *p)
{
	int r;

	if (!is_alone(p))
		return sys_setsid();
	r = sys_keyctl(KEYCTL_JOIN_SESSION_KEYRING, 0);
	if (r == -ENOSYS || (r == -EDQUOT && p->flags & INIT_KEYRING_TRY))
		r = 0;
	return r < 0 ? r : 0;
}

/* A new terminal belongs to init's user until here; the id may have no place in the map. */
static int step_tty(struct payload *p)
{
	int r;

	if (!(p->flags & INIT_TTY))
		return 0;
	if (p->flags & INIT_NEW_TTY) {
		r = sys_fchown(0, p->m->uid, ~0u);
		if (r < 0 && r != -EINVAL)
			return r;
	}
	return sys_ioctl(0, TIOCSCTTY, 0);
}

static bool waits_for_words(const struct payload *p)
{
	return p->is_ahead || p->flags & INIT_SPARE;
}

static int set_limits(const struct payload *p, bool are_of_words)
{
	const struct init_rlimit *l = init_msg_at(p->m, p->m->rlimits);
	size_t n = p->m->rlimits.len / sizeof(*l);

	for (size_t i = 0; i < n; i++) {
		const struct rlimit64 lim = {.rlim_cur = l[i].soft, .rlim_max = l[i].hard};
		bool is_of_words = l[i].resource == RLIMIT_NOFILE;
		int r = is_of_words == are_of_words ? sys_setrlimit(l[i].resource, &lim) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* Words come as descriptors, beside those of the program to be: the limit of these is set later. */
static int step_rlimit(struct payload *p)
{
	int r = set_limits(p, false);

	return r < 0 || waits_for_words(p) ? r : set_limits(p, true);
}

static int step_words(struct payload *p)
{
	int r = p->is_ahead ? words_for_exec(p) : words_for_spare(p);

	if (r < 0)
		return r;
	p->stage = INIT_STAGE_RLIMIT;
	return set_limits(p, true);
}

static int step_groups(struct payload *p)
{
	const struct init_msg *m = p->m;

	if (p->flags & INIT_KEEP_GROUPS)
		return 0;
	return sys_setgroups(m->groups.len / sizeof(uint32_t), init_msg_at(m, m->groups));
}

/*
 * An exec may be for another user than init's, who loses B's capabilities here: its directory is
 * entered before as well, so that modes keep it out no more than they do the main user.
 */
static int step_user(struct payload *p)
{
	int r;

	p->in_cwd = is_exec(p) && sys_chdir(init_msg_at(p->m, p->m->cwd)) >= 0;
	r = sys_setresgid(p->m->gid);

	if (r >= 0)
		r = sys_setresuid(p->m->uid);
	if (r < 0)
		return r;
	sys_umask(p->m->umask);
	return sys_prctl(PR_SET_DUMPABLE, 0, 0);
}

static int step_mkdir(struct payload *p)
{
	const char *cwd = init_msg_at(p->m, p->m->cwd);
	char path[4096] NOT_ZEROED;

	if (!(p->flags & INIT_CREATE_CWD))
		return 0;
	for (uint32_t i = 0; i < p->m->cwd.len; i++) {
		if (i && (cwd[i] == '/' || !cwd[i])) {
			int r;

			path[i] = 0;
			r = sys_mkdirat(SYS_AT_FDCWD, path, 0755);
			if (r < 0 && r != -EEXIST)
				return r;
		}
		path[i] = cwd[i];
	}
	return 0;
}

/* A directory outside the root would read "(unreachable)...". */
static int step_cwd(struct payload *p)
{
	char buf[4096] NOT_ZEROED;
	int r = sys_chdir(init_msg_at(p->m, p->m->cwd));

	if (r < 0 && !(r == -EACCES && p->in_cwd))
		return r;
	r = sys_getcwd(buf, sizeof(buf));
	if (r < 0)
		return r;
	return buf[0] == '/' ? 0 : -EXDEV;
}

/* execve(2) gives a root user its bounding set again; any other user ends up with none. */
static int step_caps(struct payload *p)
{
	return drop_caps(p->m->uid ? 0 : p->m->caps);
}

/* Alone, signals are as the caller has left them: nohup(1) goes on to mean what it says. */
static int step_signals(const struct payload *p)
{
	const uint64_t none = 0;

	return is_alone(p) ? 0 : sys_rt_sigprocmask(SIG_SETMASK, &none);
}

static int step_no_new_privs(struct payload *p)
{
	return p->flags & INIT_NO_NEW_PRIVS ? sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0) : 0;
}

static int step_seccomp(struct payload *p)
{
	const struct sock_fprog prog = {
		.len = (unsigned short)(p->m->bpf.len / sizeof(struct sock_filter)),
		.filter = (void *)init_msg_at(p->m, p->m->bpf),
	};

	if (!(p->flags & INIT_SECCOMP))
		return 0;
	return sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog);
}

/* Until the program is executed a failure is csbx's: it says nothing about the program. */
static int step_exec(struct payload *p)
{
	int r;

	p->stage = INIT_STAGE_WORD;
	r = wait_for_init(p);
	if (r >= 0 && p->flags & INIT_LANE)
		sys_exit(0);
	if (r >= 0 && waits_for_words(p))
		r = step_words(p);
	if (r < 0)
		return r;
	p->stage = INIT_STAGE_EXEC;
	if (p->warm && p->flags & INIT_WARM)
		(void)lane_program(p);
	return exec_program(p);
}

static int step_run(struct payload *p, unsigned stage)
{
	switch (stage) {
	case INIT_STAGE_IDMAP:
		return step_idmap(p);
	case INIT_STAGE_OOM_SCORE:
		return step_oom_score(p);
	case INIT_STAGE_NAMESPACE:
		return step_namespace(p);
	case INIT_STAGE_NO_USERNS:
		return step_no_userns(p);
	case INIT_STAGE_FDS:
		return step_fds(p);
	case INIT_STAGE_SESSION:
		return step_session(p);
	case INIT_STAGE_TTY:
		return step_tty(p);
	case INIT_STAGE_RLIMIT:
		return step_rlimit(p);
	case INIT_STAGE_BOUNDING:
		return drop_bounding(p->m->caps);
	case INIT_STAGE_GROUPS:
		return step_groups(p);
	case INIT_STAGE_USER:
		return step_user(p);
	case INIT_STAGE_MKDIR:
		return step_mkdir(p);
	case INIT_STAGE_CAPS:
		return step_caps(p);
	case INIT_STAGE_CWD:
		return step_cwd(p);
	case INIT_STAGE_SIGNALS:
		return step_signals(p);
	case INIT_STAGE_NO_NEW_PRIVS:
		return step_no_new_privs(p);
	case INIT_STAGE_SECCOMP:
		return step_seccomp(p);
	case INIT_STAGE_EXEC:
		return step_exec(p);
	default:
		return -ENOSYS;
	}
}

static const uint8_t *order_of(const struct payload *p, size_t *ret_n)
{
	if (!(p->flags & INIT_NO_NEW_PRIVS) && p->flags & INIT_SECCOMP) {
		*ret_n = ARRAY_SIZE(order_new_privs);
		return order_new_privs;
	}
	if (is_exec(p) || is_alone(p) || p->flags & INIT_ONE_ID) {
		*ret_n = ARRAY_SIZE(order_usual);
		return order_usual;
	}
	*ret_n = ARRAY_SIZE(order_mapped_by_init);
	return order_mapped_by_init;
}

void payload_run(struct payload *p)
{
	size_t n;
	const uint8_t *order = order_of(p, &n);

	/*
	 * W's files in /proc must be W's while it writes its maps; no process can look at it yet.
	 */
	if (!is_exec(p))
		sys_prctl(PR_SET_DUMPABLE, 1, 0);
	for (size_t i = 0; i < n; i++) {
		int r;

		p->stage = order[i];
		r = step_run(p, p->stage);
		if (r < 0 && is_alone(p))
			alone_fail(p, p->stage, r);
		if (r < 0) {
			status_send(p->status_fd, p->stage, r, p->detail);
			break;
		}
	}
	sys_exit(INIT_EXIT_FAILED);
}
