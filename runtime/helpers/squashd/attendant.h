/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_ATTENDANT_H
#define CSBX_SQUASHD_ATTENDANT_H

/*
 * A process beside the server for what takes the kernel long and need not be waited for. It makes
 * network namespaces ahead: each belongs to A, has lo up, and is one container's at a time. One is
 * kept ready, and those that containers have left unused, one for each container that ran at once
 * within the last second; a start that finds none makes its own. It finds out which of them were not used
 * (runtime/kernel/net_traces.h), and takes down the mounts of containers that have ended.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/kernel/net_traces.h"

struct err;

#define ATTENDANT_NETS_MAX 64u

struct attendant {
	int sock; /* readable when it has answered or ended; -1: there is none */
	struct net_traces nets[ATTENDANT_NETS_MAX]; /* the namespaces for the next containers */
	unsigned n_nets;
	/* So many containers ran at once within the last second, by then. */
	unsigned n_peak;
	int64_t peak_until_ms;
	bool is_asked;     /* one is being made */
	int64_t ask_at_ms; /* when to ask for one; 0: no need */
};
#define ATTENDANT_INIT     \
	(struct attendant) \
	{                  \
		.sock = -1 \
	}

/* To be called in A, before the server confines itself. uid_map: that of A, stays the caller's. */
int attendant_start(struct attendant *a, int uid_map, struct err *e);

/* One is wanted, but not before at_ms; hurry: no start is under way any longer. */
void attendant_want(struct attendant *a, int64_t at_ms);
void attendant_hurry(struct attendant *a, int64_t now_ms);

/* One for a container; ns_fd -1: none is ready. The caller closes it, or puts it back. */
struct net_traces attendant_take_net(struct attendant *a);
/* One that was not used; closed where enough are ready. *net is empty afterwards. */
void attendant_put_net(struct attendant *a, struct net_traces *net);
/*
 * So many containers run now. Those of a burst come and go within milliseconds, and each namespace
 * that is closed in between has to be made again: so as many are kept as the peak, for a second.
 */
void attendant_count(struct attendant *a, unsigned n_containers, int64_t now_ms);
/* When those that are too many for so many containers are closed; 0: there are none. */
int64_t attendant_trim_at_ms(const struct attendant *a, unsigned n_containers);
/* Closes them, if the time has come. */
void attendant_trim(struct attendant *a, unsigned n_containers, int64_t now_ms);

/* Asks, if the time has come. */
void attendant_ask(struct attendant *a, int64_t now_ms);

/* What a container has left that has ended. */
struct left {
	int mounts_fd;         /* the last hold on its mount namespace, or -1 */
	struct net_traces net; /* its network namespace, or empty */
};
#define LEFT_INIT                                  \
	(struct left)                              \
	{                                          \
		-1,                                \
		{                                  \
			-1,                        \
			{                          \
				-1, -1, -1, -1, -1 \
			}                          \
		}                                  \
	}

/*
 * Closes the mount namespace without waiting for it; the network namespace comes back with an answer
 * if it was not used. *l is empty afterwards.
 */
void attendant_take_down(struct attendant *a, struct left *l);

/* Takes what the socket has; a network namespace is closed where enough are ready. */
void attendant_answered(struct attendant *a);

#endif
