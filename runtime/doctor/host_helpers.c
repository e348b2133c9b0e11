/* SPDX-License-Identifier: Apache-2.0 */

/*
 * csbx's other programs: each is run once, for a program that is there may lack a library. The ones
 * that print their version are asked for it; csbx-init runs for nothing and says 125.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host.h"
#include "runtime/doctor/host_cause.h"
#include "runtime/settings/paths.h"

#define ANSWER_MS 10000
#define LOADER_FAILED 127 /* the exit code of ld.so, and ours where exec failed */

struct answer {
	int status, code; /* of wait(2); errno where it could not be executed */
	char said[160];   /* the beginning of what it wrote to stderr */
};

static void run_child(const char *path, int said, int failed)
{
	char version[] = "--version", *const argv[] = {(char *)(uintptr_t)path, version, NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), code;

	if (null >= 0) {
		(void)dup2(null, 0);
		(void)dup2(null, 1);
	}
	(void)dup2(said, 2);
	execv(path, argv);
	code = errno;
	(void)!write(failed, &code, sizeof(code));
	_exit(LOADER_FAILED);
}

/* Up to the first end of a line; false: it said nothing more in time. */
static bool read_line(int fd, char *line, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t n = 0;

	while (n + 1 < size) {
		ssize_t got = poll(&p, 1, ANSWER_MS) > 0 ? read(fd, line + n, size - 1 - n) : -1;

		if (got < 0)
			return false;
		if (!got)
			break;
		n += (size_t)got;
	}
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	return true;
}

/* False: it could not be tried, which says nothing about the program. */
static bool run_once(const char *path, struct answer *ret)
{
	int said[2] = {-1, -1}, failed[2] = {-1, -1};
	bool is_told;
	pid_t pid;

	*ret = (struct answer){0};
	if (pipe2(said, O_CLOEXEC) < 0)
		return false;
	pid = pipe2(failed, O_CLOEXEC) < 0 ? -1 : fork();
	if (!pid)
		run_child(path, said[1], failed[1]);
	fd_close(&said[1]);
	fd_close(&failed[1]);
	is_told = pid > 0 && read_line(said[0], ret->said, sizeof(ret->said));
	if (pid > 0 && !is_told)
		(void)kill(pid, SIGKILL);
	if (pid > 0 && read(failed[0], &ret->code, sizeof(ret->code)) != sizeof(ret->code))
		ret->code = 0;
	fd_close(&said[0]);
	fd_close(&failed[0]);
	while (pid > 0 && waitpid(pid, &ret->status, 0) < 0 && errno == EINTR)
		;
	return pid > 0;
}

/* True: the program can be run. */
static bool check(const char *path, struct host_fact *f)
{
	struct answer a;

	if (access(path, X_OK) < 0) {
		host_miss(f, "%s: %s", path, err_text(errno));
		host_remedy(f, "install csbx anew: make install");
		return false;
	}
	if (!run_once(path, &a))
		return true;
	if (a.code) {
		host_miss(f, "%s: %s", path, err_text(a.code));
		host_remedy(f, "install csbx anew, built for this machine");
	} else if (WIFEXITED(a.status) && WEXITSTATUS(a.status) == LOADER_FAILED) {
		host_miss(f, "%s cannot be loaded: %s", path, a.said);
		host_remedy(f,
			    "install the packages of its libraries (docs/install.md; ldd %s "
			    "lists them)",
			    path);
	} else if (WIFSIGNALED(a.status)) {
		host_miss(f, "%s: killed by signal %d", path, WTERMSIG(a.status));
		host_remedy(f, "install csbx anew, built for this machine");
	} else {
		return true;
	}
	return false;
}

void host_probe_helpers(const struct paths *p, struct host_fact *f)
{
	static const struct {
		const char *name;
		bool may_lack; /* it is built where its library is */
	} programs[] = {{"csbx-init", false},  {"csbx-squashd", false}, {"csbx-meta", false},
			{"csbx-image", false}, {"csbx-tool", false},    {"csbx-engine", true}};

	f->ok = p != NULL;
	if (!p) {
		host_miss(f, "not looked for");
		return;
	}
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		_free_ char *path = paths_helper(p, programs[i].name);

		if (path && programs[i].may_lack && access(path, F_OK) < 0)
			continue;
		if (!path || !check(path, f))
			return;
	}
	host_reason(f, "in %.180s; each has been run", paths_helpers());
}
