/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_INIT_H
#define CSBX_RUNTIME_INIT_INIT_H

/*
 * The room runtime/helpers/init. csbx-init, pid 1 of every container.
 *
 * In: a message in sealed memory (init_abi.h), requests. Out: the program, its end, events.
 *
 *	main.c			how it works
 *	message.c, pid1.c, idmap.c: from the message to a clone
 *	payload.c, drop.c, exec.c: from the clone to the program
 *	loop.c, events.c	reaping, answering
 *	spawn.c, terminal.c	an exec
 *	lane.c, warm.c		one program after the other; a copy instead of an execve
 *	words.c			made ahead, and waiting
 *	alone.c, complaint.c	without a supervisor
 *	proc.c, sys.h, mem.c	the kernel without a C library
 *
 * Must: check each message whole before it acts.
 * Mustn't: allocate, execute itself anew, have a capability that it has no more use for.
 */

/* Shared by the files of csbx-init; main.c tells how they work together. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/helpers/init/sys.h"

/* For large buffers that are written before they are read: not zeroed on entry. */
#define NOT_ZEROED __attribute__((uninitialized))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Namespaces of B that an exec'd process joins, in the order in which it does; it has init's
 * mounts. */
enum ns_kind { NS_USER, NS_CGROUP, NS_NET, NS_UTS, NS_IPC, NS_MAX };

/* CAP_CHECKPOINT_RESTORE, over A: the one that sets the id of the next process. */
#define LANE_CAPS (UINT64_C(1) << 40)
#define LANE_SYSV 3 /* kinds of System V objects */

/* A message mapped read-only; bytes is 0 when there is none. */
struct message {
	const struct init_msg *m;
	size_t bytes;
};

/* A process on its way from clone to execve: the main one or an exec'd one. */
struct thaw_image;

struct payload {
	const struct init_msg *m;
	uint32_t flags; /* of m; of an exec that was asked for ahead: what its words must have */
	int fds[3 + INIT_MAX_KEEP_FDS]; /* what becomes 0, 1, 2, 3, ... */
	int status_fd;                  /* alone: -1 */
	int sync_fd;       /* main process: init's word to go on comes through it; else -1 */
	const int *ns_fds; /* exec: n_ns descriptors, -1 where the namespace is A's */
	unsigned n_ns;
	uint8_t stage;                 /* enum init_stage, which it is in */
	uint8_t detail;                /* enum init_detail */
	bool in_cwd;                   /* exec: entered before the user was changed */
	bool is_ahead;                 /* exec: m is the start's; the words come later */
	bool is_sent;                  /* m is memory of init's that is no file's */
	const struct thaw_image *warm; /* NULL: there is none */
};

/* An exec'd process, from its request until its end is told. */
struct spawned {
	uint32_t id;  /* 0 = free slot */
	int32_t pid;  /* 0 = ended */
	bool pending; /* event waits for room in the control socket */
	struct init_event event;
};

struct init {
	int main_pid;
	const struct init_msg *start; /* the start's message: bounds every exec */
	uint32_t flags;               /* of the start message */
	uint32_t degraded;
	int signal_fd;
	int ns_fds[NS_MAX];
	int lane_ids[LANE_SYSV];       /* of the last objects that lane.c made, by kind */
	int last_pid_fd;               /* lane.c: sets the id of the next process */
	struct init_event lane_end;    /* of the main process, not told yet; type 0: none */
	const struct thaw_image *warm; /* lane.c; NULL: there is none */
	bool stop_pending;
	struct init_event stop_event;
	unsigned n_slots; /* slots ever used */
	/*
	 * The message that came with the request at hand: sent_len bytes, and none of an earlier one
	 * behind them. In pages of its own, which a program has as its words (lane.c).
	 */
	size_t sent_len;
	char sent[INIT_SENT_MAX] __attribute__((aligned(4096)));
	struct spawned slots[INIT_MAX_SPAWNED];
};

/* message.c: maps and checks the message in fd. */
int message_map(int fd, struct message *ret);
void message_unmap(struct message *msg);
/* The same for one that came with a request; it is not unmapped. */
int message_take(const void *data, size_t len, struct message *ret);
/* Tells a failure on a status pipe; result is a negative errno. */
void status_send(int fd, unsigned stage, int result, unsigned detail);
/* alone.c: becomes the program; never returns. */
__attribute__((noreturn)) void alone_run(const struct init_msg *m);
/* complaint.c: tells a failure on stderr, in words, and exits. */
__attribute__((noreturn)) void alone_fail(const struct payload *p, unsigned stage, int result);

/* CLONE_NEW* of B and what comes with it. */
unsigned long namespaces_of(uint32_t flags);
/* clone of a payload process: by clone3 into a cgroup where there is one; -1: none. */
int clone_payload(unsigned long ns_flags, int cgroup_fd);
int cgroup_of(const struct init_msg *start); /* that of the main process */

/* payload.c: takes the process all the way; never returns. */
__attribute__((noreturn)) void payload_run(struct payload *p);

/* exec.c: execve of argv[0], found by PATH; returns only on failure. */
int exec_program(struct payload *p);

/* words.c: takes what the execve needs; the message is another one then. With INIT_SPARE; ahead. */
int words_for_spare(struct payload *p);
int words_for_exec(struct payload *p);

/* terminal.c: the terminal of an exec that asks for a new one; before it joins B. */
int terminal_make(struct payload *p);

/* drop.c: parts of losing privilege that init and payload share. */
int drop_bounding(uint64_t keep);
int drop_caps(uint64_t keep);
int reset_dispositions(void);
int close_from(unsigned first);

/* proc.c: below INIT_FD_PROC. */
#define PROC_NAME_BYTES 32 /* "4194304/setgroups" and longer */

/* "PID/name", or "self/name" for pid 0. */
void proc_name(char *buf, int pid, const char *name);
int proc_write(const char *path, const char *text, size_t len);

/* idmap.c: both maps of a process, pid 0 = self. */
int idmap_write(const struct init_msg *m, int pid);

/* spawn.c: an exec request, of either type, and its descriptors, which it consumes. */
void spawn_request(struct init *in, const struct init_request *rq, const int *fds, unsigned n_fds);
struct spawned *spawn_by_id(struct init *in, uint32_t id);
struct spawned *spawn_by_pid(struct init *in, int pid);

/* lane.c: with INIT_LANE, in the place of the end. */
void lane_begin(struct init *in);
/*
 * Tells that the main process has ended, and that all others have. waited: what wait4(2) has returned,
 * -ECHILD: none is left.
 */
void lane_empty(struct init *in, int waited);
void lane_warm(struct init *in, int fd);
/* Becomes the warm process; returns only on failure, where an execve can still be done. */
int lane_program(const struct payload *p);

/* pid1.c: INIT_PAYLOAD_SIGNALS. */
/*
 * True when a pid 1 in the main process's place would get that signal, and when csbx-init cannot
 * tell.
 */
bool pid1_hears(const struct init *in, int sig);
void pid1_signal(const struct init *in, int sig); /* sends it, if so */
void pid1_forward(const struct init *in, const struct signalfd_siginfo *info);

/* events.c: an event of a process, or of the container where s is NULL; it waits for room. */
void loop_send(struct init *in, struct init_event *ev, struct spawned *s);
/* At once; false: there is no room. */
bool send_now(struct init_event *ev);

/* loop.c: tells what became of a child that wait4(2) returned. */
void child_changed(struct init *in, int pid, int status, const struct rusage *ru);

/* loop.c: reaping and requests until the main process ends; never returns. */
__attribute__((noreturn)) void loop_run(struct init *in);

#endif
