/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_ATTACHED_H
#define CSBX_CMD_DOCKER_ATTACHED_H

/*
 * Being attached to a container: its supervisor reads and writes the streams that this process
 * lends it (exec/client.h), so all that is left to do here is to pass on signals and the size of
 * the terminal, which is raw meanwhile, and to wait for the end.
 */

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

struct err;
struct exec_link;

enum { ATTACH_STDIN = 1, ATTACH_STDOUT = 2, ATTACH_STDERR = 4 };

struct attached {
	int signal_fd;
	bool sig_proxy, tty, is_raw;
	sigset_t old;
	struct termios saved;
};
#define ATTACHED_INIT           \
	{                       \
		.signal_fd = -1 \
	}

/* From here on signals wait. which: of the ATTACH_ bits; tty: the container has a terminal. */
int attached_begin(struct attached *a, unsigned which, bool tty, bool sig_proxy, struct err *e);
/* Until the link ends. 0, or the exit code of one who was told to go by force. */
int attached_wait(struct attached *a, struct exec_link *link);
/* The terminal and the signals are as they were. */
void attached_end(struct attached *a);

#endif
