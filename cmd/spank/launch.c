/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/launch.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/linux_calls.h"

/*
 * --- in the child: raw calls, nothing that takes a lock or allocates ----------------------------
 */

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static void __attribute__((noreturn)) fail(const char *what)
{
	say("could not become the job's user: ");
	say(what);
	say("\n");
	_exit(SPANK_LAUNCH_FAILED);
}

/* The daemon's exemption from the out-of-memory killer is not the user's. Root's file, so first. */
static void reset_oom_score(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "0", 1) != 1)
		say("oom_score_adj could not be reset\n");
	if (fd >= 0)
		close(fd);
}

static void become(const struct spank_user *u)
{
	const uid_t keep = (uid_t)-1;

	/* slurmstepd calls some hooks with the user's effective id over its own. */
	if (geteuid() != 0 && (getuid() == 0 || syscall(SYS_setresuid, keep, 0, keep) == 0))
		syscall(SYS_setresuid, 0, 0, 0);
	if (geteuid() != 0)
		return; /* no root's daemon: verify() says whether it is the user's */
	if (syscall(SYS_setgroups, u->n_groups, u->groups) < 0)
		fail("setgroups");
	if (syscall(SYS_setresgid, u->gid, u->gid, u->gid) < 0)
		fail("setresgid");
	if (syscall(SYS_setresuid, u->uid, u->uid, u->uid) < 0)
		fail("setresuid");
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capset, &header, data) < 0)
		fail("capset");
	if (syscall(SYS_capget, &header, data) < 0 || data[0].permitted || data[1].permitted ||
	    data[0].effective || data[1].effective || data[0].inheritable || data[1].inheritable)
		fail("capabilities are left");
}

static bool has_group(const struct spank_user *u, gid_t gid)
{
	for (size_t i = 0; i < u->n_groups; i++) {
		if (u->groups[i] == gid)
			return true;
	}
	return gid == u->gid;
}

static void verify_groups(const struct spank_user *u)
{
	static gid_t groups[65536]; /* NGROUPS_MAX; of the child alone */
	int n = getgroups(65536, groups);

	if (n < 0)
		fail("getgroups");
	for (int i = 0; i < n; i++) {
		if (!has_group(u, groups[i]))
			fail("a group is left");
	}
}

static void verify(const struct spank_user *u, bool was_root)
{
	uid_t uid[3];
	gid_t gid[3];

	if (getresuid(&uid[0], &uid[1], &uid[2]) < 0 || getresgid(&gid[0], &gid[1], &gid[2]) < 0)
		fail("getresuid");
	for (int i = 0; i < 3; i++) {
		if (uid[i] != u->uid || gid[i] != u->gid)
			fail("the daemon may not, or an id is left");
	}
	if (was_root)
		verify_groups(u);
	if (u->uid == 0)
		return;
	drop_capabilities();
	if (syscall(SYS_setresuid, (uid_t)-1, 0, (uid_t)-1) == 0)
		fail("root is still in reach");
}

static void fresh_signals(void)
{
	struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &standard, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* 0 null, 1 and 2 out, 3 life, and no other. */
static void place_fds(const struct spank_launch *l)
{
	/* Out of the way first: either may be one of the numbers it must not have. */
	int out = fcntl(l->out_fd, F_DUPFD, 10), life = -1, null;

	if (l->life_fd >= 0)
		life = fcntl(l->life_fd, F_DUPFD, 10);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (out < 0 || null < 0 || (l->life_fd >= 0 && life < 0))
		_exit(SPANK_LAUNCH_FAILED);
	if (null != STDIN_FILENO)
		dup2(null, STDIN_FILENO);
	else
		fcntl(null, F_SETFD, 0);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (life >= 0)
		dup2(life, SPANK_LIFE_FD);
	if (close_range(life >= 0 ? SPANK_LIFE_FD + 1 : STDERR_FILENO + 1, ~0u, 0) < 0)
		fail("close_range");
}

static void __attribute__((noreturn)) child(const struct spank_launch *l)
{
	bool was_root = getuid() == 0 || geteuid() == 0;

	place_fds(l);
	reset_oom_score();
	become(&l->user);
	verify(&l->user, was_root);
	setsid();
	fresh_signals();
	execve(l->path, l->argv, l->env);
	say(l->path);
	say(": cannot be run\n");
	_exit(SPANK_LAUNCH_FAILED);
}

/*
 * --- in the daemon ------------------------------------------------------------------------------
 */

int spank_launch(const struct spank_launch *l, pid_t *ret_pid, struct err *e)
{
	sigset_t all, old;
	pid_t pid;

	/* No handler of the daemon's runs in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		child(l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		return err_sys(e, "fork");
	*ret_pid = pid;
	return 0;
}
