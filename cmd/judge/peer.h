/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_PEER_H
#define CSBX_CMD_EVAL_PEER_H

/*
 * csbx's end of a channel to a judged program (harness_frame.h), and the clock of its steps. An
 * epoll descriptor stands for the channels and the clock, as container_run() listens to one
 * descriptor. The program is hostile: it may send what it was not asked for, not read, or go away.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/judge/harness_frame.h"
#include "runtime/base/str.h"

struct err;
struct run_result;

struct peer_watch {
	int epoll; /* readable when there is something to do */
	int timer; /* timerfd_create(2) */
};
#define PEER_WATCH_INIT \
	{               \
		-1, -1  \
	}

struct peer {
	int fd;
	struct harness_buffer in;
	struct strbuf out;
	size_t sent;
	size_t strays, stray_bytes;
};
#define PEER_INIT        \
	{                \
		.fd = -1 \
	}

/* Half made on failure: peer_watch_close() in any case. */
int peer_watch_open(struct peer_watch *w, struct err *e);
int peer_watch_add(const struct peer_watch *w, int fd, struct err *e);
void peer_watch_close(struct peer_watch *w);
/* The clock rings once, in ms. */
void peer_clock_set(const struct peer_watch *w, uint64_t ms);
/* True once after it has rung. */
bool peer_clock_rang(const struct peer_watch *w);

/*
 * A stream pair, the second end for a program. That one has an address already, which the kernel has
 * chosen: it was made in the host's network namespace, where a program without a network could
 * otherwise give it a name that others look for, and so talk to them (unix(7)).
 */
int peer_pair(int pair[2], struct err *e);
/* ret_far: the program's end, the caller's. Half made on failure: peer_close() in any case. */
int peer_open(struct peer *p, const struct peer_watch *w, int *ret_far, struct err *e);
/* fd: an end that is there already; it is the peer's from here on, on failure too. */
int peer_take(struct peer *p, const struct peer_watch *w, int fd, struct err *e);
/* Queues a frame and sends what can be sent now. */
void peer_send(struct peer *p, const struct peer_watch *w, char kind, uint64_t number,
	       const struct strbuf *payload);
/* Data that the program does not take any more is dropped; that it has gone is seen by reading. */
void peer_flush(struct peer *p, const struct peer_watch *w);
/* Counts a frame that answers nothing: true once there were too many. */
bool peer_strayed(struct peer *p, const struct harness_frame *f);
/* It is listened to no longer. */
void peer_unwatch(const struct peer *p, const struct peer_watch *w);
void peer_close(struct peer *p);

/*
 * The harness says that the kernel refused it a process for a case. That is the snippet's own doing
 * where its processes are as many as it may have, the host's where csbx has no process to be had
 * either, and may be a lie. It passes, as a rule: the case is put again.
 */

struct refusal {
	uint64_t since_ns; /* 0: none of this case */
	uint64_t tried_ns, spent_ns;
	bool is_hosts; /* csbx was refused one as well */
};

#define REFUSAL_PAUSE_MS 100u /* before the case is put again */
#define REFUSAL_WORDS "had no process to run in: the snippet has as many as it may (--pids-limit)"

/* The case is put. Returns what is left of the time that it has: a lie gains none. */
uint64_t refusal_try_ms(struct refusal *r, uint64_t step_ms);
/*
 * One more. True: the case is to be put again. step_ms: the time of a case, beyond which only the
 * host's want is waited for.
 */
bool refusal_may_pass(struct refusal *r, uint64_t step_ms);

#define REFUSAL_MANY_PIDS 200u
/*
 * What became of the program is no verdict where the host had no process for it, unless the program
 * itself had that many, or half of what the user may have.
 */
void refusal_set_result(const struct refusal *r, struct run_result *result);

#endif
