/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_SERVE_H
#define CSBX_CMD_ENGINE_SERVE_H

/*
 * The room cmd/engine/serve. The processes of `csbx engine`: a listener accepts connections and hands
 * them to its children, each of which serves one at a time.
 *
 * In: a place to listen. Out: answered requests. These processes keep nothing in memory that
 * another one needs: containers, execs and logs are on disk, and the containers' processes go on
 * when these end.
 *
 *	engine.c     the verb: where to listen, in which form (in front, detached, around a command)
 *	listener.c   the socket, its lock, accept, the number of children
 *	workers.c    the processes that serve connections, one of them made ahead
 *	stop.c	     ending the engine that is there
 *	context.c a context of Docker's command line, on request
 *	connection.c requests of one connection, one after the other
 *
 * Must: serve the caller's own user only. Mustn't: listen on anything but a local socket.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "cmd/engine/serve/workers.h"
#include "runtime/record/engine_dir.h"

struct cmd;
struct err;

#define ENGINE_CONTEXT "csbx"
#define ENGINE_IDLE_MS (5 * 60 * 1000) /* a given socket: its giver listens */
#define ENGINE_CONNECTIONS_MAX 4096u

struct engine_listener {
	int fd, dirfd, lock_fd; /* dirfd, lock_fd: -1 where the socket was given */
	int signal_fd;
	char name[32]; /* of the socket in dirfd, to be removed; "": it was given */
	int idle_ms;   /* without a connection: it ends; -1: never */
	pid_t command; /* whose end is ours, 0: none */
	int command_status;
	unsigned n_children, max_children; /* that have a connection */
	struct worker workers[WORKERS_MAX];
	unsigned next_place; /* among them, to be given up where all have a connection */
};
#define ENGINE_LISTENER_INIT                                                          \
	{                                                                             \
		.fd = -1, .dirfd = -1, .lock_fd = -1, .signal_fd = -1, .idle_ms = -1, \
	}

/* The path of the socket; caller frees, NULL: no memory. */
char *engine_socket_path(const struct cmd *c);

/* -EADDRINUSE: another engine of this user listens there. */
int engine_listen(const struct cmd *c, struct engine_listener *ret, struct err *e);
/* In the child that goes on with it. */
int engine_listen_again(const struct engine_listener *l);
/* Ends the engine of engine_listen(). -ESRCH: there is none. */
int engine_stop(const struct cmd *c, struct err *e);
/* A socket of this process's own, beside that of another engine (engine_dir.h). */
int engine_listen_own(const struct cmd *c, struct engine_listener *ret, struct err *e);
/* The socket that systemd has opened (sd_listen_fds(3)). 0: there is none; 1: *ret has it. */
int engine_listen_given(struct engine_listener *ret, struct err *e);
/* Before a command is started, so that its end is not missed: signals wait from here on. */
int engine_take_signals(struct engine_listener *l, struct err *e);
/* Until a signal to end, or until the command has ended. */
int engine_serve(struct cmd *c, struct engine_listener *l, struct err *e);
/* The name goes; those who are connected are not disturbed. */
void engine_listener_close(struct engine_listener *l);

/* `docker --context csbx` then finds the socket at path. */
int engine_write_context(const char *path, struct err *e);

/*
 * One connection from its first request to its last; does not close fd. channel: the worker's own
 * (workers.h), which processes made for a request close; -1: none. True: it ended between two requests.
 */
bool engine_connection(struct cmd *c, int fd, int channel);
/*
 * In a process that was csbx-doze a moment ago (call/doze.h): the call goes on that state tells of,
 * and then its connection. The exit code.
 */
int engine_wake(const char *state);

#endif
