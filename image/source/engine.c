/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the way to an engine. If the user names a host, csbx asks only that one. Else csbx tries
 * the sockets at which an engine listens by default; it passes over one that is not there, or where
 * no process listens, and without any it runs the engine's program: podman usually has no service,
 * and docker's program knows hosts we do not (its contexts). A socket that refuses us is an error
 * at once: the program would be refused as well.
 */
#include "image/source/engine_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "image/model/engine_name.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* 0 when a process listens at the socket, else -errno of connect(2). */
static int probe(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	return connect(fd, (struct sockaddr *)&a, sizeof(a)) ? -errno : 0;
}

static int refused(const char *path, int code, struct err *e)
{
	err_code(e, code, "%s", path);
	if (code == -EACCES)
		err_append(e, "root, or a member of the socket's group, may use it");
	return code;
}

static int save_from_host(enum engine_kind kind, const char *name, const char *host,
			  const struct engine_options *o, int tmp_dirfd, struct err *e)
{
	const char *variable = kind == ENGINE_DOCKER ? "DOCKER_HOST" : "CONTAINER_HOST";
	int r;

	if (!str_has_prefix(host, "unix:///"))
		return err_set(
			e, EOPNOTSUPP,
			"%s is '%.100s': only unix:///PATH is supported (for another machine: "
			"%s save IMAGE >FILE there, and import docker-archive:FILE)",
			variable, host, engine_name(kind));
	host += strlen("unix://");
	r = probe(host);
	if (r < 0) {
		refused(host, r, e);
		return err_wrap(e, "%s", variable);
	}
	return engine_save_by_socket(kind, name, host, o, tmp_dirfd, e);
}

/* 1 and the socket of an engine, 0 when there is none. */
static int find_socket(enum engine_kind kind, const struct engine_options *o, char **ret,
		       struct err *e)
{
	bool docker = kind == ENGINE_DOCKER, have_own = o->runtime_dir && *o->runtime_dir == '/';
	_free_ char *own = have_own ? str_printf("%s/%s", o->runtime_dir,
						 docker ? "docker.sock" : "podman/podman.sock")
				    : NULL;
	const char *candidates[] = {docker ? "/var/run/docker.sock" : own,
				    docker      ? own
				    : geteuid() ? NULL
						: "/run/podman/podman.sock"};
	const char *denied = NULL;

	if (have_own && !own)
		return err_oom(e);
	for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		int r = candidates[i] ? probe(candidates[i]) : -ENOENT;

		if (r == -EACCES && !denied)
			denied = candidates[i];
		if (r < 0)
			continue;
		*ret = strdup(candidates[i]);
		return *ret ? 1 : err_oom(e);
	}
	return denied ? refused(denied, -EACCES, e) : 0;
}

int engine_save(enum engine_kind kind, const char *name, const struct engine_options *o,
		int tmp_dirfd, struct err *e)
{
	const char *host = kind == ENGINE_DOCKER ? o->docker_host : o->container_host;
	_free_ char *path = NULL;
	int r = engine_check_name(name, e);

	if (r < 0)
		return r;
	if (host && *host)
		return save_from_host(kind, name, host, o, tmp_dirfd, e);
	r = find_socket(kind, o, &path, e);
	if (r < 0)
		return r;
	if (r > 0)
		return engine_save_by_socket(kind, name, path, o, tmp_dirfd, e);
	return engine_save_by_program(kind, name, &o->watch, tmp_dirfd, e);
}
