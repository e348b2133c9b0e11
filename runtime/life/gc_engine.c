/* SPDX-License-Identifier: Apache-2.0 */
/* Leftovers of killed processes of csbx engine: sockets that refuse, and records of execs. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/life/gc_priv.h"
#include "runtime/record/engine_dir.h"
#include "runtime/record/exec_dir.h"
#include "runtime/record/instance.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/name.h"

static bool refuses(int dirfd, const char *name)
{
	_close_ int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;

	return sock >= 0 && local_socket_address(NULL, dirfd, name, &a, NULL) >= 0 &&
	       connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0 && errno == ECONNREFUSED;
}

/*
 * A socket of another type than SOCK_SEQPACKET answers EPROTOTYPE while it listens: its process
 * lives.
 */
static int sweep_sockets(struct gc *g, struct err *e)
{
	struct gc_area a;
	_close_ int lock = -1;
	int r = gc_area_open(&a, str_printf("%s/" ENGINE_DIR, g->paths->runtime), g->paths->runtime,
			     ENGINE_DIR, e);

	if (r >= 0 && a.fd >= 0)
		lock = engine_dir_lock(a.fd, true, NULL);
	for (size_t i = 0; lock >= 0 && i < a.names.n; i++) {
		if (*a.names.items[i] != '.' && refuses(a.fd, a.names.items[i]))
			gc_remove_file(g, GC_SOCKET, &a, a.names.items[i]);
	}
	gc_area_close(&a);
	return r;
}

/* The socket of an engine that was killed; the next one would replace it. */
static int sweep_listener(struct gc *g, struct err *e)
{
	struct gc_area a;
	_close_ int lock = -1;
	int r = gc_area_open(&a, str_printf("%s", g->paths->runtime), g->paths->runtime, NULL, e);

	if (r >= 0 && a.fd >= 0)
		lock = openat(a.fd, ENGINE_LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (lock >= 0 && file_lock_try(lock, true) >= 0 && refuses(a.fd, ENGINE_SOCKET))
		gc_remove_file(g, GC_SOCKET, &a, ENGINE_SOCKET);
	gc_area_close(&a);
	return r;
}

/* The container runs on: its clients may ask for the exit code still. */
static bool is_wanted(int execs, int instances, const char *id)
{
	_close_ int dirfd = openat(execs, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_close_ int state = dirfd < 0 ? -1 : openat(dirfd, EXEC_STATE_FILE, O_RDWR | O_CLOEXEC);
	char container[NAME_ID_DIGITS + 1] = "";
	struct stat st;

	if (dirfd < 0 || (state >= 0 && file_lock_is_held(state)))
		return true;
	if (state < 0 || fstat(state, &st) < 0)
		return fstat(dirfd, &st) == 0 && st.st_mtime + EXEC_KEEP_S >= time(NULL);
	if (readlinkat(dirfd, EXEC_CONTAINER_LINK, container, NAME_ID_DIGITS) != NAME_ID_DIGITS ||
	    instances < 0 || !instance_is_live(instances, container))
		return false;
	return st.st_mtime + EXEC_KEEP_S >= time(NULL);
}

static int sweep_execs(struct gc *g, struct err *e)
{
	_close_ int runtime = open(g->paths->runtime, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_close_ int instances = runtime < 0
					? -1
					: openat(runtime, "instances",
						 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct gc_area a;
	int r = gc_area_open(&a, str_printf("%s/" EXECS_DIR, g->paths->runtime), g->paths->runtime,
			     EXECS_DIR, e);

	for (size_t i = 0; r >= 0 && i < a.names.n; i++) {
		const char *name = a.names.items[i];

		if (*name != '.' && !is_wanted(a.fd, instances, name))
			gc_remove_tree(g, GC_EXEC, &a, name);
	}
	gc_area_close(&a);
	return r;
}

int gc_sweep_engine(struct gc *g, struct err *e)
{
	int r = sweep_sockets(g, e);

	if (r >= 0)
		r = sweep_listener(g, e);
	return r < 0 ? r : sweep_execs(g, e);
}
