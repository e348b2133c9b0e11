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

#include "runtime/stream/detach_keys.h"

struct err;
struct exec_link;

enum { ATTACH_STDIN = 1, ATTACH_STDOUT = 2, ATTACH_STDERR = 4 };

struct attached {
	int signal_fd;
	bool sig_proxy, tty, is_raw;
	sigset_t old;
	struct termios saved;
	/* With a terminal, keystrokes go through this process, which looks for the detach keys. -1:
	 * no. */
	int typed_fd, input_fd;
	struct detach_keys keys;
	char buf[512];
	size_t at, end; /* of buf, what is to go on */
	bool is_left;   /* by the keys */
};
#define ATTACHED_INIT                                            \
	{                                                        \
		.signal_fd = -1, .typed_fd = -1, .input_fd = -1, \
	}

/* The size of the terminal that this process's output, else its input, goes to; false: none. */
bool attached_size(unsigned *rows, unsigned *columns);
/* From here on signals wait. which: of the ATTACH_ bits; tty: the container has a terminal. */
int attached_begin(struct attached *a, unsigned which, bool tty, bool sig_proxy, struct err *e);
/*
 * For a container with a terminal: the caller lends *ret_fd in place of standard input, and then
 * closes it. This process reads standard input and passes it on but for the keys. keys: as
 * detach_keys_parse().
 */
int attached_take_input(struct attached *a, const char *keys, int *ret_fd, struct err *e);
/* Until the link ends, or the keys have come: is_left. 0, or the exit code of one who was told to go by force. */
int attached_wait(struct attached *a, struct exec_link *link);
/* The terminal and the signals are as they were. */
void attached_end(struct attached *a);

#endif
