/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SUPERVISE_PRIV_H
#define CSBX_RUNTIME_SUPERVISE_PRIV_H

/*
 * Shared by supervise.c (the loop), supervise_end.c (brings a container to its end),
 * supervise_look.c (limits seen by the clock) and supervise_signal.c (signals and job control).
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/spec/result.h"
#include "runtime/start/supervise.h"
#include "runtime/limit/verdict.h"

#define LOOP_HUNG_MS 300u /* death of a killed pid 1 takes well under 1 ms */

enum phase {
	PHASE_RUNNING,
	PHASE_TERMINATED,
	PHASE_KILLED,
	PHASE_SERVER_ASKED,
	PHASE_SERVER_KILLED
};

struct loop {
	struct supervise *s;
	enum phase phase;
	uint64_t next_ns; /* when the phase ends; 0: never */
	uint64_t look_ns; /* when supervise_look.c looks next; 0: never */
	struct ending end;
	bool give_up_output;
	bool is_paused;
	bool stopping; /* by `csbx stop`: it is killed when it does not go */
	bool dead, server_answered;
	bool is_lane_killed;
	bool is_stopped;                                /* the main process, and we are not */
	enum { STOP_NONE, STOP_TYPED, STOP_SENT } stop; /* the stop that was asked for */
	int wait_status;                                /* of the main process */
	int oom_fd;           /* readable: the kernel killed for want of memory; -1: not told */
	uint64_t kernel_ooms; /* as of the last look */
	uint64_t ooms, ooms_known; /* all kills for want of memory, and those whose end was told */
	int snmp_fd; /* counters of the container's network, -1: none of interest, or in traces */
	uint64_t unix_since_ns; /* that there is no process for it */
	int unix_fd;   /* of the filter of UNIX sockets, until unix_broker.h answers it; -1: none */
	int mounts_fd; /* its mount namespace, to be taken down by the server's attendant; or -1 */
};

/* supervise_end.c. last_ms 0: it does not end by itself. */
void loop_enter_phase(struct loop *l, enum phase phase, uint64_t last_ms);
void loop_kill(struct loop *l);
/* A lane that was to empty itself and has not: true, its pid 1 is killed now. Once. */
bool loop_kill_lane(struct loop *l);
/* A limit was passed: the container ends now, whatever its processes do. */
void loop_end_by_limit(struct loop *l, enum run_status status);
/* A request that cannot be sent finds a container that is ending: its death will be seen. */
void loop_request(struct loop *l, uint32_t type, int signal);
/* All of the container is gone: leaves the server what it takes down or gives to the next. */
void loop_leave(struct loop *l);

/* supervise_look.c */
void loop_start_watchdog(struct loop *l, int fds[], bool has_sysv); /* takes what it needs of fds */
void loop_start_looking(struct loop *l);
void loop_look(struct loop *l);
/* The kernel may have killed for want of memory. */
void loop_read_ooms(struct loop *l);
/*
 * A process ended, of a session of exec/server.h or, 0, the main one: its client, or all clients of
 * the container, learn it when that was for want of memory.
 */
void loop_check_oom(struct loop *l, uint32_t session, int wait_status);

/* supervise_signal.c */
void loop_main_stopped(struct loop *l);
void loop_check_typed(struct loop *l);
void loop_read_signal(struct loop *l);
void loop_do_what_is_asked(struct loop *l);
void loop_owner_left(struct loop *l);
void loop_step_ended(struct loop *l);

#endif
