/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_WORKERS_H
#define CSBX_CMD_ENGINE_WORKERS_H

/* See workers.c. */

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#define WORKERS_MAX 64u       /* processes that the listener can talk to */
#define WORKERS_WAITING 4u    /* of them without a connection, at most */
#define WORKERS_QUIET_MS 1000 /* without anything to do: then one of those is enough */
#define WORKER_SERVES 1000u   /* connections, then it ends, with whatever it has gathered */

struct cmd;
struct engine_listener;

struct worker {
	pid_t pid;   /* 0: none */
	int channel; /* to it */
	bool serves; /* a connection */
};

typedef void worker_child(struct cmd *c, struct engine_listener *l, int channel);

/* --- in the listener ------------------------------------------------------------------------ */

/* Where none waits; child runs in it, and does not return. None where fork fails. */
void workers_prepare(struct cmd *c, struct engine_listener *l, worker_child *child);
/* True: one serves that connection now; fd stays the caller's. */
bool workers_give(struct engine_listener *l, int fd);
/*
 * Fills in an entry for each that serves, WORKERS_MAX at most: poll(2) refuses more entries than there
 * may be descriptors. Returns their number; workers_heard() takes what they bring.
 */
unsigned workers_poll(const struct engine_listener *l, struct pollfd *p);
void workers_heard(struct engine_listener *l, const struct pollfd *p);
/* How many wait besides the one that is made ahead; they end. */
unsigned workers_surplus(const struct engine_listener *l);
void workers_shrink(struct engine_listener *l);
/* A child has ended. True: it waited for a connection. */
bool workers_ended(struct engine_listener *l, pid_t pid);
/* In a child of the listener's: they are no business of its. */
void workers_forget(struct engine_listener *l);
/* Those that wait end. */
void workers_end(struct engine_listener *l);

/* --- in a worker ---------------------------------------------------------------------------- */

/* The next connection, -1: none will come. */
int worker_wait(int channel, bool has_served);
/* False: it is to end. */
bool worker_is_free(int channel);

#endif
