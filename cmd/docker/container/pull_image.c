/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/pull_image.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/daemon/image.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define TEXT_BYTES_MAX (1u << 20)

/* csbx-image in a child; its output on either stream comes through the pipe. */
static pid_t start_pull(const char *name, bool quiet, const char *platform, int out)
{
	char docker[] = "docker", pull[] = "pull", q[] = "-q", p[] = "--platform";
	char *argv[7] = {docker, pull};
	int n = 2;
	pid_t child = fork();

	if (child)
		return child;
	if (quiet)
		argv[n++] = q;
	if (platform) {
		argv[n++] = p;
		argv[n++] = (char *)platform;
	}
	argv[n] = (char *)name;
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		cmd_hand_over(PROGRAM_IMAGE, argv, NULL);
	_exit(DOCKER_EXIT_USAGE);
}

/* Passes progress on as it comes and keeps the line that says what went wrong. */
static void relay(int fd, struct strbuf *error)
{
	static const char daemon[] = "Error response from daemon: ";
	_strbuf_ struct strbuf line = STRBUF_INIT;
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR)) {
		for (ssize_t i = 0; i < n; i++) {
			strbuf_addch(&line, buf[i]);
			if (buf[i] != '\n' && buf[i] != '\r' && line.len < TEXT_BYTES_MAX)
				continue;
			if (str_has_prefix(strbuf_str(&line), daemon))
				strbuf_addstr(error, line.data + strlen(daemon));
			else
				(void)io_write_all(STDERR_FILENO, line.data, line.len, NULL);
			strbuf_reset(&line);
		}
	}
	if (line.len)
		(void)io_write_all(STDERR_FILENO, line.data, line.len, NULL);
	while (error->len && error->data[error->len - 1] == '\n')
		error->data[--error->len] = 0;
}

int docker_pull_image(const struct docker *d, const struct docker_run_args *a)
{
	_strbuf_ struct strbuf error = STRBUF_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *name = NULL;
	int ends[2], status = 0;
	pid_t child;

	if (docker_image_full_name(a->image, &name, &f) < 0)
		return docker_say_fault(d, &f);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return docker_fail(d, "pipe: %s", err_text(errno));
	child = start_pull(name, a->quiet, a->platform, ends[1]);
	close(ends[1]);
	relay(ends[0], &error);
	close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return docker_fail(d, "pull: %s", err_text(errno));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return docker_daemon_fail(d, "%s", error.len ? strbuf_str(&error) : "the pull failed");
}
