/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of clients to a container as a whole, when several ask at once. */
#include "runtime/exec/server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/exec/proto.h"
#include "runtime/record/instance.h"
#include "tests/unit/tap.h"

static int connect_to(const char *dir, struct exec_server *s)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/box" EXEC_SOCKET_SUFFIX, dir);
	ok(connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0, "connect");
	exec_server_handle(s);
	return fd;
}

static void ask(int fd, uint32_t type, uint32_t arg, uint32_t grace_ms)
{
	const struct init_request rq = {INIT_MAGIC, type, arg, grace_ms};

	ok(send(fd, &rq, sizeof(rq), 0) == sizeof(rq), "ask");
}

/* All that was asked for, one after the other. */
static void test_none_is_lost(struct exec_server *s, const int clients[4])
{
	unsigned kills = 0, stops = 0, pauses = 0;

	ask(clients[0], EXEC_REQ_STOP, SIGKILL, 0);
	ask(clients[1], EXEC_REQ_STOP, SIGTERM | EXEC_STOP_STAYS, 300000);
	ask(clients[2], EXEC_REQ_PAUSE, 1, 0);
	ask(clients[3], EXEC_REQ_PAUSE, 0, 0);
	for (int i = 0; i < 8; i++) {
		exec_server_handle(s);
		kills += s->stop.is_asked && s->stop.signal == SIGKILL;
		stops += s->stop.is_asked && s->stop.signal == SIGTERM && s->stop.stays &&
			 s->stop.grace_ms == 300000;
		pauses += s->pause.is_asked;
		s->stop.is_asked = s->pause.is_asked = false;
	}
	ok(kills == 1 && stops == 1 && pauses == 2, "%u kills, %u stops, %u pauses", kills, stops,
	   pauses);
}

int main(void)
{
	char dir[TAP_PATH_SIZE] = "csbx-unit-exec";
	struct instance instance = INSTANCE_INIT;
	struct exec_server s = EXEC_SERVER_INIT;
	struct err e = ERR_INIT;
	int clients[4];

	if (!tap_mkdtemp(dir))
		return EXIT_FAILURE;
	instance.dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	memcpy(instance.id, "box", sizeof("box"));
	s.instance = &instance;
	s.msg_fd = memfd_create("start", MFD_CLOEXEC);
	is_int(exec_server_open(&s, &e), 0, "open: %s", e.msg);
	for (int i = 0; i < 4; i++)
		clients[i] = connect_to(dir, &s);
	test_none_is_lost(&s, clients);
	for (int i = 0; i < 4; i++)
		close(clients[i]);
	exec_server_close(&s);
	fd_close(&s.msg_fd);
	fd_close(&instance.dirfd);
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	return done_testing();
}
