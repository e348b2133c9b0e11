/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_EXEC_SERVER_H
#define CSBX_RUNTIME_EXEC_SERVER_H

/*
 * The room runtime/exec. Further processes in a running container.
 *
 * In: a request with descriptors. Out: a process, its streams, its exit code.
 *
 *	proto.h			the messages
 *	server.h		the supervisor's side
 *	client.h		the caller's side: open.c, request.c, run.c, attach.c
 *	forwarded_signals.h	signals that are passed on
 *	join.h			into a container that has no init
 *
 * Must: prove who asks; give at most what the container has.
 * Mustn't: trust a message more than csbx-init does.
 */

/*
 * The supervisor's side of exec: a switchboard between clients and csbx-init (proto.h).
 *
 * The client connects to instances/ID.sock, which the supervisor binds when the first client wakes
 * it by a signal to its pidfd: a start that no client execs into pays nothing. The supervisor sends
 * the memfd with the start's message. The client replaces command, environment, directory, user and
 * terminal in it and keeps filter, capabilities and limits as they are. The supervisor hands
 * message and streams on to csbx-init, which clones a process into the payload's control group;
 * that joins B and takes the last steps of a start (container.h, 7). Csbx-init's child makes a
 * terminal in the container's devpts before it joins B, and the master goes to the client alone.
 * One connection a process: its end kills the process group.
 *
 * A process that is as the main one but for its words and streams is asked for before the client
 * has prepared those: csbx-init clones it with what it has of the start's message, and it takes all
 * steps but the execve meanwhile. The words go from the client to the process itself, which sees
 * to it that they bring nothing else (helpers/init/words.c).
 *
 * 	open.c, request.c	the client: reach the container, write the message
 * 	run.c, attach.c	the client: run to the end, lend streams
 * 	server.c			the supervisor
 * 	forwarded_signals.c		signals that client and supervisor pass on
 * 	join.c				`exec` into a bare container: csbx becomes csbx-init, which
 * 					enters A, then what A owns, B and its mounts, not dumpable
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct init_event;
struct instance;

struct exec_session;
struct streams;
struct watchdog;

/* A client's request to the container as a whole; the supervisor looks after each handling. */
struct exec_stop {
	bool is_asked;
	uint32_t signal;               /* to the main process; SIGKILL: to all */
	uint64_t grace_ms;             /* then all are killed; 0: never */
	bool removed, stays, own_time; /* EXEC_STOP_* */
};

struct exec_pause {
	bool is_asked, on;
	uint32_t session;
};

struct exec_limit {
	bool is_asked;
	uint32_t kind, value; /* enum exec_limit_kind */
	uint32_t session;
};

struct exec_server {
	const struct instance *instance;
	int control_fd;          /* to csbx-init, the supervisor's; -1 when it is gone */
	int msg_fd;              /* the start's message */
	struct streams *streams; /* that clients may lend theirs to; NULL: no client may */
	int poll_fd;             /* readable: exec_server_handle(); -1 until somebody asked */
	int listen_fd;
	int retry_fd;            /* a timer: when to listen again */
	int fd_limit, n_clients; /* sessions whose client is there */
	bool is_full; /* out of descriptors: no client is accepted for a while, or until one hangs
		       * up */
	struct exec_session *sessions;
	size_t n, cap;
	unsigned n_unsent; /* > 0: exec_server_resend() when csbx-init's socket has room */
	uint32_t last_id;
	struct exec_stop stop;
	struct exec_pause pause;
	struct exec_limit limit;
	bool is_paused;                  /* no process is let in */
	bool has_spawned;                /* one was let in */
	const struct watchdog *watchdog; /* that counts the processes; NULL: the kernel does */
};
#define EXEC_SERVER_INIT                                                                       \
	{                                                                                      \
		.control_fd = -1, .msg_fd = -1, .poll_fd = -1, .listen_fd = -1, .retry_fd = -1 \
	}

/* On EXEC_WAKE_SIGNAL; nothing to do when it is open. A failure concerns the client only. */
int exec_server_open(struct exec_server *s, struct err *e);
/*
 * One client that is connected before the start: sock (taken over, also on error) and its streams
 * as in EXEC_REQ_ATTACH.
 */
int exec_server_adopt(struct exec_server *s, int sock, int fds[3], struct err *e);
void exec_server_resend(struct exec_server *s);
void exec_server_handle(struct exec_server *s);
/* News of a spawned process. */
void exec_server_event(struct exec_server *s, const struct init_event *ev);
/* The container is ended by a limit (enum run_status); by_kernel: the kernel says so. */
void exec_server_ending(struct exec_server *s, unsigned status, bool by_kernel);
/* The process that a client had started was killed for want of memory; the container goes on. */
void exec_server_oom(struct exec_server *s, uint32_t session, bool by_kernel);
/* To who has asked for something that is done now: 0 or -errno. */
void exec_server_answer(struct exec_server *s, uint32_t session, int result);
/* The container ended: every client is told by end of file. */
void exec_server_close(struct exec_server *s);

#endif
