/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/image_of.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/options/image_find.h"
#include "image/table/image_table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define TEXT_BYTES_MAX (1u << 20)

void docker_image_free(struct docker_image *i)
{
	free(i->path);
	free(i->id);
	free(i->ref);
	*i = (struct docker_image){0};
}

static bool is_path(const char *operand)
{
	return *operand == '/' || str_has_prefix(operand, "./") || str_has_prefix(operand, "../") ||
	       str_has_suffix(operand, ".sqsh");
}

static int look_up(const struct docker *d, const char *operand, struct docker_image *ret,
		   struct err *e)
{
	_image_entry_ struct image_entry entry = {0};
	int r = image_find(&d->cmd.paths, operand, &entry, &ret->path, e);

	if (r < 0)
		return r;
	ret->id = strdup(entry.id);
	return ret->id ? 0 : err_set(e, ENOMEM, "out of memory");
}

/* csbx-image in a child; what it says on either stream comes through the pipe. */
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

static int pull(struct docker *d, const struct docker_pull *how, const char *name)
{
	_strbuf_ struct strbuf error = STRBUF_INIT;
	int ends[2], status = 0;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return docker_fail(d, "pipe: %s", err_text(errno));
	child = start_pull(name, how->quiet, how->platform, ends[1]);
	close(ends[1]);
	relay(ends[0], &error);
	close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return docker_fail(d, "pull: %s", err_text(errno));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return docker_daemon_fail(d, "%s", error.len ? strbuf_str(&error) : "the pull failed");
}

/* As docker names it in messages: with the tag. Prints what is wrong with it. */
static int full_name(struct docker *d, const char *operand, char **ret)
{
	_image_name_ struct image_name name = {0};
	_free_ char *canonical = NULL;
	struct err e = ERR_INIT;

	if (image_name_parse(operand, &name, &e) < 0)
		return docker_fail(d, "%s", e.msg);
	canonical = image_name_canonical(&name);
	*ret = canonical ? strdup(image_name_familiar(canonical)) : NULL;
	return *ret ? 0 : docker_fail(d, "out of memory");
}

static int from_table(struct docker *d, const struct docker_pull *how, const char *operand,
		      struct docker_image *ret)
{
	const char *policy = how->policy && *how->policy ? how->policy : "missing";
	_free_ char *name = NULL;
	struct err e = ERR_INIT;
	int r = -ENOENT, code;

	if (!str_eq(policy, "always"))
		r = look_up(d, operand, ret, &e);
	if (r >= 0)
		return 0;
	if (r == -ENOTUNIQ)
		return docker_daemon_fail(d, "%s", e.msg);
	code = full_name(d, operand, &name);
	if (code)
		return code;
	if (str_eq(policy, "never"))
		return docker_daemon_fail(d, "No such image: %s", name);
	if (!str_eq(policy, "always"))
		(void)docker_say(0, "Unable to find image '%s' locally", name);
	code = pull(d, how, name);
	if (code)
		return code;
	return look_up(d, operand, ret, &e) < 0 ? docker_daemon_fail(d, "%s", e.msg) : 0;
}

int docker_image_of(struct docker *d, const char *operand, const struct docker_pull *pull,
		    struct docker_image *ret)
{
	int code = 0;

	*ret = (struct docker_image){.ref = strdup(operand)};
	if (ret->ref && is_path(operand))
		ret->path = strdup(operand);
	else if (ret->ref)
		code = from_table(d, pull, operand, ret);
	if (!code && (!ret->ref || !ret->path))
		code = docker_fail(d, "out of memory");
	return code;
}
