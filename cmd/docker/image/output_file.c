/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/output_file.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/docker/frame/docker.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return str_printf("%.*s", slash == path ? 1 : (int)(slash - path), path);
}

int output_file_check(const char *path, const char *what)
{
	_free_ char *dir = directory_of(path);
	struct stat st;

	if (!dir || stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
		return docker_say(DOCKER_EXIT_FAILED,
				  "failed to %s: invalid output path: directory \"%s\" does not "
				  "exist",
				  what, dir ? dir : "");
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return docker_say(DOCKER_EXIT_FAILED,
				  "failed to %s: invalid output path: \"%s\" must be a directory "
				  "or a regular file: got a device",
				  what, path);
	return 0;
}

int output_file_open(struct output_file *f, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	_free_ char *dir = directory_of(path);
	int r;

	f->dirfd = dir ? path_open_output_dir(dir, NULL, e) : err_oom(e);
	if (f->dirfd < 0)
		return err_wrap(e, "open");
	r = output_open(&f->out, f->dirfd, slash ? slash + 1 : path, true, e);
	if (r >= 0 && fchmod(f->out.fd, 0600) < 0)
		return err_sys(e, "%s", path);
	return r;
}

void output_file_close(struct output_file *f)
{
	output_close(&f->out);
	fd_close(&f->dirfd);
}
