/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_INTERRUPT_H
#define CSBX_CMD_IMAGE_INTERRUPT_H

/*
 * SIGINT, SIGTERM and SIGHUP as a flag, so that a long job can stop between two steps and clean
 * up. A thread waits for them; no handler, no global.
 */

#include <pthread.h>
#include <signal.h>

struct err;

struct interrupt {
	_Atomic int caught; /* the signal, 0: none */
	sigset_t signals, old;
	pthread_t thread;
	int signal_fd, end_fd;
	int started;
};

int interrupt_catch(struct interrupt *i, struct err *e);

/* Gives the signals back; one that was caught then ends the process, as its sender expects. */
void interrupt_release(struct interrupt *i);

#endif
