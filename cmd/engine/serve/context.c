/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A context of Docker's own command line: $DOCKER_CONFIG/contexts/meta/DIGEST/meta.json, where DIGEST
 * is the SHA-256 of the context's name.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/engine/serve/serve.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/out.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

#define DIGEST "ba4c74d75c87a557b8c46acd65568df8e0811a1bd46ec7fb447c5baa4b0260d5"

/* Made beneath its parent where it is missing. Links are followed as anywhere (runtime/base/path.h). */
static int open_or_make(char *path, struct err *e)
{
	_free_ char *parent = NULL;
	_close_ int dirfd = -1;
	const char *name;
	size_t n = strlen(path);
	int fd = path_open_output_dir(path, NULL, e);

	if (fd != -ENOENT)
		return fd;
	while (n > 1 && path[n - 1] == '/')
		path[--n] = 0;
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	parent = name > path ? str_printf("%.*s", (int)(name - path), path) : strdup(".");
	dirfd = parent ? path_open_output_dir(parent, NULL, e) : err_oom(e);
	if (dirfd < 0)
		return dirfd;
	if (mkdirat(dirfd, name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "make %s", path);
	fd = openat(dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

static int open_config(struct err *e)
{
	const char *config = getenv("DOCKER_CONFIG"), *home = getenv("HOME");
	_free_ char *path = config && *config ? str_printf("%s", config)
			    : home && *home   ? str_printf("%s/.docker", home)
					      : NULL;

	if (!path)
		return err_set(e, ENOENT, "neither DOCKER_CONFIG nor HOME is set");
	return open_or_make(path, e);
}

static int open_below(int dirfd, const char *name, struct err *e)
{
	int fd;

	if (mkdirat(dirfd, name, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "make %s", name);
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "%s", name) : fd;
}

static int describe(const char *path, struct json_out *j, struct err *e)
{
	_free_ char *host = str_printf("unix://%s", path);

	if (!host)
		return err_oom(e);
	json_begin_object(j);
	json_kstr(j, "Name", ENGINE_CONTEXT);
	json_key(j, "Metadata");
	json_begin_object(j);
	json_kstr(j, "Description", "containers of csbx, by csbx engine");
	json_end_object(j);
	json_key(j, "Endpoints");
	json_begin_object(j);
	json_key(j, "docker");
	json_begin_object(j);
	json_kstr(j, "Host", host);
	json_kbool(j, "SkipTLSVerify", false);
	json_end_object(j);
	json_end_object(j);
	json_end_object(j);
	return json_finish(j, e);
}

int engine_write_context(const char *path, struct err *e)
{
	static const char *const below[] = {"contexts", "meta", DIGEST};
	struct json_out j = JSON_OUT_INIT;
	int dirfd = open_config(e), r = dirfd;

	for (size_t i = 0; r >= 0 && i < sizeof(below) / sizeof(below[0]); i++) {
		r = open_below(dirfd, below[i], e);
		fd_close(&dirfd);
		dirfd = r;
	}
	if (r >= 0)
		r = describe(path, &j, e);
	if (r >= 0) {
		const struct io_replace where = {dirfd, "meta.json", 0644, .replace = true};

		r = io_write_file_at(&where, j.buf.data, j.buf.len, e);
	}
	json_out_free(&j);
	fd_close(&dirfd);
	return r < 0 ? err_wrap(e, "write Docker's context " ENGINE_CONTEXT) : 0;
}
