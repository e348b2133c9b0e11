/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_EXEC_CLIENT_H
#define CSBX_RUNTIME_EXEC_CLIENT_H

/*
 * A process in a running container, as the caller's own: its streams, its signals, its exit code.
 * exec_open() reaches the container, exec_run() is one process; a link is good for one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/stream/streams.h"

struct err;
struct init_msg;
struct instance_record;
struct paths;
struct process_spec;
struct run_result;
struct strv;

struct exec_link {
	int sock;
	const struct init_msg *start; /* the main process's message, checked */
	size_t start_bytes;
	bool is_paused; /* no process can be made in it now */
	int ahead_fd;   /* status socket of a process that waits for its words; -1: there is none */
};
#define EXEC_LINK_INIT                     \
	{                                  \
		.sock = -1, .ahead_fd = -1 \
	}

/* The events that a session with watchers wants to know while its process runs. */
struct exec_watch {
	void (*started)(void *arg, pid_t pid); /* it runs; pid: as csbx-init sees it */
	int size_fd; /* readable: the terminal's size may have changed; -1: none */
	bool (*read_size)(void *arg, unsigned *rows, unsigned *columns);
	void *arg;
};

struct exec_options {
	struct stream_options streams;
	bool detached;                  /* return when it runs; it reads and writes /dev/null */
	bool tty_takes_stderr;          /* also where the caller's is no terminal */
	uint64_t timeout_ms;            /* 0: none */
	uint64_t kill_after_ms;         /* SIGKILL follows SIGTERM after so long */
	const struct exec_watch *watch; /* NULL: no caller looks */
	bool *ret_left; /* with streams.keys: set where the caller has left it by them */
};

/*
 * -ESRCH: the container has ended. -ETIMEDOUT: its supervisor does not answer, it may be stopped.
 */
int exec_open(const struct paths *p, const struct instance_record *rec, struct exec_link *ret,
	      struct err *e);
/*
 * The same for an exec without a terminal, user and directory of its own: the process is made while
 * the caller prepares its words. detached: as in exec_options.
 */
int exec_open_ahead(const struct paths *p, const struct instance_record *rec, bool detached,
		    struct exec_link *ret, struct err *e);
void exec_close(struct exec_link *l);

/* Stops everything in it, or lets it go on. -EALREADY: it is so already; -ESRCH: not running. */
int exec_pause(struct exec_link *l, bool pause, struct err *e);

/*
 * Another limit (enum exec_limit_kind of proto.h) for what runs; 0: none. -EOPNOTSUPP: nothing
 * holds that limit that could be told; it can be another from the next start on.
 */
int exec_limit(struct exec_link *l, unsigned kind, uint32_t value, struct err *e);

/*
 * Sends the main process a signal, with EXEC_STOP_* bits (proto.h); SIGKILL ends all. With
 * grace_ms everything is killed so much later. wait: returns when the container has ended;
 * -ETIMEDOUT when it does not.
 */
int exec_stop(struct exec_link *l, int signal, uint32_t grace_ms, bool wait, struct err *e);

/*
 * Lends the container the caller's streams, those whose bits (1, 2, 4) are in `which`, as long as
 * the link is open. -ENOTSUP: the container does not outlive its caller.
 */
int exec_attach(struct exec_link *l, unsigned which, struct err *e);
/* The size of the terminal of those who are attached. */
void exec_resize(const struct exec_link *l, unsigned rows, unsigned columns);
/* A signal for the main process, without waiting for anything. */
void exec_signal(const struct exec_link *l, int signal);

/* Appends the main process's environment. */
void exec_start_env(const struct exec_link *l, struct strv *env);
/* Its supplementary groups, start->groups.len bytes of them; caller frees. NULL: none, or no
 * memory. */
uint32_t *exec_start_groups(const struct exec_link *l);
const char *exec_start_cwd(const struct exec_link *l);

/*
 * Returns 0 with *ret filled, or -errno when no process could be made. By the keys of streams.keys the
 * caller leaves: it returns at once with *ret_left, and a second time in a process of its own, without
 * the caller's streams, when the exec has ended.
 */
int exec_run(struct exec_link *l, const struct process_spec *p, const struct exec_options *o,
	     struct run_result *ret, struct err *e);

#endif
