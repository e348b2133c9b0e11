/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/errno_text.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/image/copy.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct cp_args {
	bool archive, follow, quiet;
};

static const struct opt cp_opts[] = {
	{OPT_FLAG, 'a', "archive", .offset = offsetof(struct cp_args, archive),
	 .help = "Archive mode (copy all uid/gid information)"},
	{OPT_FLAG, 'L', "follow-link", .offset = offsetof(struct cp_args, follow),
	 .help = "Always follow symbol link in SRC_PATH"},
	{OPT_FLAG, 'q', "quiet", .offset = offsetof(struct cp_args, quiet),
	 .help = "Suppress progress output during copy. Progress output is automatically "
		 "suppressed if no terminal is attached"},
	{0},
};

static const struct opt_table cp_table = {"Options", cp_opts};

/* As docker shows a path of the host: absolute and without a name that -L has led past. */
static char *shown(const char *path, bool follow)
{
	_free_ char *cwd = getcwd(NULL, 0);
	char target[PATH_MAX];
	ssize_t n = follow ? readlink(path, target, sizeof(target) - 1) : -1;

	if (n > 0) {
		target[n] = 0;
		path = target;
	}
	while (str_has_prefix(path, "./"))
		path += 2;
	return *path == '/' || !cwd ? strdup(path) : str_printf("%s/%s", cwd, path);
}

static int say_outside(const struct copy_job *j, enum copy_failure failure, const struct err *e)
{
	_free_ char *path = shown(j->outside, j->follow && !j->is_out), *slash;

	if (!path)
		return docker_say(DOCKER_EXIT_FAILED, "out of memory");
	if (e->code == ELOOP)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e->msg);
	if (failure == COPY_NO_SOURCE_OUTSIDE)
		return docker_say(DOCKER_EXIT_FAILED, "lstat %s: %s", path, docker_errno(e->code));
	slash = strrchr(path, '/');
	if (slash && slash != path)
		*slash = 0;
	slash = NULL;
	return docker_say(DOCKER_EXIT_FAILED,
			  "invalid output path: directory \"%s\" does not exist", path);
}

static int no_file(const struct copy_job *j, const char *inside)
{
	return docker_daemon_error("Could not find the file %s%s in container %s",
				   *inside == '/' ? "" : "/", inside, j->container);
}

/* The directory that is missing is named. */
static int no_parent_inside(const struct copy_job *j)
{
	_free_ char *path = strdup(j->inside), *slash = path ? strrchr(path, '/') : NULL;
	int code;

	if (slash)
		slash[slash == path] = 0;
	code = no_file(j, slash ? path : "/");
	slash = NULL;
	return code;
}

/* It is the caller's own file that fails: nothing of a daemon's, as docker has it. */
static int failed_outside(const struct copy_job *j, const struct err *e)
{
	_free_ char *path = shown(j->outside, j->follow && !j->is_out);

	if (!path)
		return docker_say(DOCKER_EXIT_FAILED, "out of memory");
	if (str_eq(j->outside, "-"))
		return docker_say(DOCKER_EXIT_FAILED, "write /dev/stdout: %s",
				  docker_errno(e->code));
	return docker_say(DOCKER_EXIT_FAILED, "open %s: %s (%s)", path, docker_errno(e->code),
			  e->msg);
}

static int say(const struct copy_job *j, enum copy_failure failure, const struct err *e)
{
	switch (failure) {
	case COPY_NO_CONTAINER:
		return docker_daemon_error("No such container: %s", j->container);
	case COPY_NO_SOURCE_INSIDE:
		return no_file(j, j->inside);
	case COPY_NO_SOURCE_OUTSIDE:
		return say_outside(j, failure, e);
	case COPY_NO_PARENT:
		return j->is_out ? say_outside(j, failure, e) : no_parent_inside(j);
	case COPY_NO_DIRECTORY:
		return docker_say(DOCKER_EXIT_FAILED, "no such directory");
	case COPY_NOT_DIRECTORY:
		if (str_eq(j->outside, "-"))
			return docker_say(DOCKER_EXIT_FAILED,
					  "destination \"%s:%s\" must be a directory", j->container,
					  j->inside);
		return docker_say(DOCKER_EXIT_FAILED, "not a directory");
	case COPY_CANNOT_COPY_DIRECTORY:
		return docker_say(DOCKER_EXIT_FAILED, "cannot copy directory");
	case COPY_READ_ONLY:
		return docker_daemon_error("container rootfs is marked read-only");
	case COPY_FAILED_OUTSIDE:
		return failed_outside(j, e);
	default:
		return docker_daemon_error("%s", e->msg);
	}
}

static void note(const struct paths *p, const struct copy_job *j)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;

	if (docker_target_open(p, j->container, &t, &f) >= 0)
		docker_event_target(p, &t, j->is_out ? "archive-path" : "extract-to-dir", NULL,
				    NULL);
	docker_target_close(&t);
}

static int cp_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct cp_args *a = args;
	_free_ char *from = NULL, *to = NULL;
	const char *from_path = NULL, *to_path = NULL;
	enum copy_failure failure = COPY_FAILED;
	bool is_out, is_in;
	struct err e = ERR_INIT;
	struct run_opts run;
	int r;

	(void)argc;
	if (!*argv[0])
		return docker_say(DOCKER_EXIT_FAILED, "source can not be empty");
	if (!*argv[1])
		return docker_say(DOCKER_EXIT_FAILED, "destination can not be empty");
	is_out = copy_split(argv[0], &from, &from_path);
	is_in = copy_split(argv[1], &to, &to_path);
	if (is_out == is_in)
		return docker_say(DOCKER_EXIT_FAILED, "%s",
				  is_out ? "copying between containers is not supported"
					 : "must specify at least one container source");
	const struct copy_job j = {
		.container = is_out ? from : to,
		.inside = is_out ? from_path : to_path,
		.outside = is_out ? argv[1] : argv[0],
		.tar_fd = is_out ? STDOUT_FILENO : STDIN_FILENO,
		.is_out = is_out,
		.follow = a->follow,
		.keep_owner = true, /* whatever -a says: measured */
		.keep_set_ids = a->archive,
	};

	run_opts_init(&run);
	r = copy_run(&d->cmd, &j, &run, &failure, &e);
	run_opts_done(&run);
	if (r >= 0)
		note(&d->cmd.paths, &j);
	return r < 0 ? say(&j, failure, &e) : CMD_EXIT_OK;
}

const struct docker_verb docker_verb_cp = {
	.name = "cp",
	.usage = "[OPTIONS] CONTAINER:SRC_PATH DEST_PATH|-\n"
		 "\tdocker cp [OPTIONS] SRC_PATH|- CONTAINER:DEST_PATH",
	.uses = (const struct opt_use[]){{&cp_table, 0}, {0}},
	.min_operands = 2,
	.max_operands = 2,
	.args_bytes = sizeof(struct cp_args),
	.run = cp_run,
};
