/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_STREAM_H
#define CSBX_CMD_ENGINE_STREAM_H

/*
 * The room cmd/engine/stream. The streams of a container or an exec on a client's connection.
 *
 * In: a connection that has become a pipe, and pipes of the process. Out: bytes, both ways, until
 * the process's end.
 *
 *	pump.c		between a connection and pipes, in frames or raw
 *	gather.c	those who wait for a container's start: attached from its first byte, or
 *			for its end
 *	watch.c		that something of a container changes: it is started, or it goes
 *
 * Must: stop the side that gives while the other cannot take; see a client that has gone, and tell
 * it from one that has only ended its input. Mustn't: keep more than a buffer.
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/kernel/idle_poll.h"

struct detach_keys;
struct err;
struct paths;

/* --- pump.c --------------------------------------------------------------------------------- */

#define STREAM_FRAME_HEAD 8

/* {1 or 2, 0, 0, 0, length as 32 bits big endian} */
void stream_frame_head(unsigned char ret[STREAM_FRAME_HEAD], int stream, size_t len);

struct stream {
	int client;               /* the connection */
	bool is_raw;              /* of a terminal: no frames */
	bool keeps_in;            /* the client's end of input is not the process's */
	int in, out, err;         /* our ends of its pipes, -1: not wanted; taken over and closed */
	struct detach_keys *keys; /* looked for in what a terminal is given; NULL: none */
	bool is_left;             /* they have come */
	int link;                 /* a socket whose end is the process's, -1: the pipes' end is */
	bool had_output;          /* it began with an output of the process's */
	bool client_ended;        /* the client's input */
	bool link_ended;
	struct idle_rest rest; /* what to do while nothing comes */
};

/* Both ends of up to three pipes, the process's in theirs; bits of which: 1, 2, 4. */
int stream_open(struct stream *s, unsigned which, int theirs[3], struct err *e);
/*
 * 0: the process has ended, and all it wrote was passed on; 1: the client has gone, or has left by
 * the keys.
 */
int stream_run(struct stream *s, const void *already, size_t already_len);
void stream_close(struct stream *s);

/* --- gather.c ------------------------------------------------------------------------------- */

/*
 * docker's clients attach and wait before they start, each on a connection of its own, which is a
 * process of its own here. A process that waits has a socket in $CSBX_RUNTIME_PATH/engine, named
 * after the container; the process that starts the container asks all of them, between taking the
 * container and launching it.
 */
struct gather {
	int dirfd, fd;
	char name[128];
};
#define GATHER_INIT                    \
	{                              \
		.dirfd = -1, .fd = -1, \
	}

int gather_open(struct gather *g, const struct paths *p, const char *id, struct err *e);
void gather_close(struct gather *g);
/*
 * Somebody starts it now, and goes on when told to: fds (n of them) are lent, none: nothing but the
 * word. 1: they were taken; 0: the caller was no starter, or has gone.
 */
int gather_answer(struct gather *g, const int *fds, size_t n);

/* --- watch.c -------------------------------------------------------------------------------- */

/*
 * fd is to be polled for input: then a container that did not run may run, or be gone. Look after
 * the opening and after each event. fd is -1 where the kernel gives no more watches: the poll then
 * ends after stream_watch_ms().
 */
struct stream_watch {
	int fd, dirfd;
	int watches[2]; /* of the container's directory and its run's */
};
#define STREAM_WATCH_INIT                                   \
	{                                                   \
		.fd = -1, .dirfd = -1, .watches = {-1, -1}, \
	}

void stream_watch_open(struct stream_watch *w, const struct paths *p, const char *name);
int stream_watch_ms(const struct stream_watch *w); /* -1: for ever */
void stream_watch_take(struct stream_watch *w);    /* what was told; then it is time to look */
void stream_watch_close(struct stream_watch *w);

/* --- gather.c, for a start ------------------------------------------------------------------- */

/* fds[0]: the container's end of the link; the others: its streams (-1: not this one). */
struct gathered {
	int fds[4];
	bool stdin_once;
};
/* Asks all who wait for the container of that id; each stream is of the first who lends it. */
void gather_call(const struct paths *p, const char *id, struct gathered *ret);
void gathered_close(struct gathered *g);

#endif
