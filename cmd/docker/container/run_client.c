/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The checks that docker's command line makes before it asks its daemon: of its own streams, of the
 * caller's files, and of words that mean something to it alone.
 */

#include "cmd/docker/container/run_client.h"

#include <fcntl.h>
#include <unistd.h>

#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/errno_text.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

static int check_terminal(const struct docker *d, const struct docker_run_args *a)
{
	bool asked = false;

	for (size_t i = 0; i < a->attach.n; i++)
		asked |= str_eq(a->attach.items[i], "stdin");
	if (a->detach && a->attach.n)
		return docker_say(DOCKER_EXIT_FAILED,
				  "conflicting options: cannot specify both --attach and --detach");
	if (!a->detach && a->tty && (a->attach.n ? asked : a->interactive) &&
	    str_eq(d->verb->name, "run") && !isatty(STDIN_FILENO))
		return docker_say(DOCKER_EXIT_FAILED, "the input device is not a TTY");
	return 0;
}

static int check_readable(const struct docker *d, const struct strv *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		if (access(paths->items[i], R_OK) < 0)
			return docker_fail(d, "open %s: %s", paths->items[i], docker_errno(errno));
	}
	return 0;
}

int docker_fail_cidfile(const struct docker *d, const char *path, const struct err *e)
{
	if (e->code == ELOOP)
		return docker_fail(d, "failed to create the container ID file: open %s", e->msg);
	return docker_fail(d, "failed to create the container ID file: open %s: %s", path,
			   docker_errno(e->code));
}

/* A file is made and removed again beneath one descriptor of its directory. */
static int try_cidfile(const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	_free_ char *parent =
		slash ? str_printf("%.*s", (int)(slash - path) + 1, path) : strdup(".");
	_close_ int dir = parent ? path_open_output_dir(parent, NULL, e) : err_oom(e);
	_close_ int fd = -1;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, "%s", path);
	(void)unlinkat(dir, name, 0);
	return 0;
}

/* Before anything is made: no caller would know of a container whose id could not be told. */
static int check_cidfile(const struct docker *d, const char *path)
{
	struct err e = ERR_INIT;
	int r = path ? try_cidfile(path, &e) : 0;

	if (r == -EEXIST)
		return docker_fail(d,
				   "container ID file found, make sure the other container isn't "
				   "running or delete %s",
				   path);
	return r < 0 ? docker_fail_cidfile(d, path, &e) : 0;
}

static int check_files(const struct docker *d, const struct docker_run_args *a)
{
	int code = check_readable(d, &a->env_files);

	if (!code)
		code = check_readable(d, &a->label_files);
	return code ? code : check_cidfile(d, a->cidfile);
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && !str_eq(word, *words))
		words++;
	return *words;
}

static int check_pull(const struct docker *d, const struct docker_run_args *a)
{
	static const char *const known[] = {"always", "missing", "never", "", NULL};

	if (a->pull && !is_one_of(a->pull, known))
		return docker_fail(d,
				   "invalid pull option: '%s': must be one of \"always\", "
				   "\"missing\" or \"never\"",
				   a->pull);
	return 0;
}

int docker_run_check_client(const struct docker *d, const struct docker_run_args *a)
{
	int code = check_terminal(d, a);

	if (!code)
		code = check_files(d, a);
	return code ? code : check_pull(d, a);
}
