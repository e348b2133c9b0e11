/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cgroup/scope.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/parent.h"
#include "runtime/settings/paths.h"

#define HELPER "csbx-scope"
#define OWN_GROUP "supervisor"

/* The helper's stdout is our pipe; it has no streams of the caller's. */
static int start_helper(const char *path, const char *unit, int out, pid_t *ret, struct err *e)
{
	char pid[16], *argv[] = {(char *)HELPER, pid, (char *)unit, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int r;

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_adddup2(&files, 0, 2);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	r = posix_spawn(ret, path, &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return r ? err_code(e, r, "%s", path) : 0;
}

/* Reads the helper's output until it ends; false when it takes too long. */
static bool listen_to(int fd, uint64_t timeout_ms, char *buf, size_t size)
{
	uint64_t end = clock_monotonic_ms() + timeout_ms, now;
	size_t len = 0;

	while ((now = clock_monotonic_ms()) < end) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (poll(&p, 1, (int)(end - now)) <= 0)
			continue;
		n = read(fd, buf + len, size - 1 - len);
		if (n <= 0) {
			buf[len] = 0;
			return n == 0;
		}
		len += (size_t)n < size - 1 - len ? (size_t)n : 0;
	}
	buf[len] = 0;
	return false;
}

/*
 * The helper would take milliseconds to find out that there is no process to ask: most often there
 * is not even a socket. The sockets it tries: that of sd_bus_open_user(3), and the manager's own.
 */
static int find_manager(struct err *e)
{
	static const char *const sockets[] = {"systemd/private", "bus"};
	const char *bus = getenv("DBUS_SESSION_BUS_ADDRESS"), *dir = getenv("XDG_RUNTIME_DIR");

	if (bus && *bus)
		return 0;
	if (!dir || !*dir)
		return err_set(e, EACCES, "no systemd user manager: XDG_RUNTIME_DIR is not set");
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
		_free_ char *path = str_printf("%s/%s", dir, sockets[i]);

		if (!path || access(path, F_OK) == 0)
			return 0;
	}
	return err_set(e, EACCES, "no systemd user manager: %s has no socket of one", dir);
}

static int ask(const struct paths *p, const char *unit, struct err *e)
{
	_free_ char *path = paths_helper(p, HELPER);
	char said[256];
	int ends[2], status = 0, r;
	_close_ int in = -1;
	bool in_time;
	pid_t pid;

	if (!path)
		return err_oom(e);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	in = ends[0];
	r = start_helper(path, unit, ends[1], &pid, e);
	close(ends[1]);
	if (r < 0)
		return r;
	in_time = listen_to(in, p->scope_timeout_ms, said, sizeof(said));
	if (!in_time)
		kill(pid, SIGKILL); /* our own child, not reaped yet */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!in_time)
		return err_set(e, ETIMEDOUT, "the systemd user manager did not answer within %u ms",
			       p->scope_timeout_ms);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	said[strcspn(said, "\n")] = 0;
	r = err_set(e, EACCES, "%s", *said ? said : HELPER " failed");
	if (e)
		err_sanitize(e);
	return r;
}

/* Only a group without processes can hand controllers on: we go one further down. */
static int step_aside(const char *dir, struct err *e)
{
	_free_ char *own = str_printf("%s/" OWN_GROUP, dir);
	_close_ int fd = -1;
	int r;

	if (!own)
		return err_oom(e);
	if (mkdir(own, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "make %s", own);
	fd = open(own, O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = fd < 0 ? -errno : cgroup_write(fd, "cgroup.procs", "0");
	return r < 0 ? err_code(e, r, "enter %s", own) : 0;
}

int cgroup_scope_enter(const struct paths *p, const char *id, unsigned need,
		       struct cgroup_parent *ret, struct err *e)
{
	_free_ char *unit = str_printf("csbx-%s.scope", id), *dir = NULL;
	size_t top;
	int r = unit ? find_manager(e) : err_oom(e);

	if (r >= 0)
		r = ask(p, unit, e);

	if (r >= 0)
		r = cgroup_own_directory(&dir, &top, e);
	if (r < 0)
		return r;
	if (!str_has_suffix(dir, unit))
		return err_set(e, EINVAL, "%s was started, but we are in %s", unit, dir);
	r = step_aside(dir, e);
	if (r >= 0)
		r = cgroup_parent_open(dir, need, ret, e);
	ret->rule = CGROUP_RULE_SCOPE;
	return r;
}
