/* SPDX-License-Identifier: Apache-2.0 */
#include "image/credentials.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

extern char **environ;

#define HELPER_OUTPUT_MAX (64u << 10)

/* docker-credential-helpers' protocol: the registry on stdin, JSON on stdout, 0; or a text and 1.
 */
static int start(const char *program, const char *verb, int in, int out, pid_t *ret, struct err *e)
{
	char *const argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)verb, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return err_code(e, code, "%s", program);
	/* The signals of an import are blocked in all its threads; the helper gets them as usual.
	 */
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	code = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!code)
		code = posix_spawnp(ret, program, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (code == ENOENT)
		return err_set(e, EIO, "%s is not installed", program);
	return code ? err_code(e, code, "%s", program) : 0;
}

static int wait_for(pid_t pid, int *ret_status, struct err *e)
{
	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(e, "wait");
	}
	return 0;
}

static int check_name(const char *name, struct err *e)
{
	static const char allowed[] =
		"-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = strlen(name);

	if (!n || n > 64 || strspn(name, allowed) != n)
		return err_set(e, EINVAL, "not the name of a credential helper");
	return 0;
}

/* A pipe holds the little that a helper is told, so it can be written before the helper runs. */
static int input_pipe(const char *input, struct err *e)
{
	int fds[2], r;

	if (strlen(input) > 4096)
		return err_set(e, EINVAL, "too long for a credential helper");
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	r = io_write_all(fds[1], input, strlen(input), e);
	close(fds[1]);
	if (r < 0)
		close(fds[0]);
	return r < 0 ? r : fds[0];
}

int credentials_ask_helper(const char *name, const char *verb, const char *input,
			   struct strbuf *out, struct err *e)
{
	_free_ char *program = str_printf("docker-credential-%s", name);
	_close_ int in = -1, read_end = -1, write_end = -1;
	int fds[2], status, r;
	pid_t pid;

	r = program ? check_name(name, e) : err_set(e, ENOMEM, "out of memory");
	if (r < 0)
		return r;
	in = input_pipe(input, e);
	if (in < 0)
		return in;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	read_end = fds[0];
	write_end = fds[1];
	r = start(program, verb, in, write_end, &pid, e);
	if (r < 0)
		return r;
	fd_close(&write_end);
	r = io_read_all(read_end, HELPER_OUTPUT_MAX, out, e);
	fd_close(&read_end); /* whoever still writes gets SIGPIPE */
	if (wait_for(pid, &status, e) < 0 || r < 0)
		return r < 0 ? err_wrap(e, "%s", program) : -EIO;
	if (!status)
		return 0;
	if (strstr(strbuf_str(out), "credentials not found"))
		return err_set(e, ENOENT, "%s has none", program);
	/* What a failed helper prints is for people, by its protocol. */
	return err_set(e, EIO, "%s failed: %.200s", program, strbuf_str(out));
}
