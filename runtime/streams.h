/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_STREAMS_H
#define CSBX_RUNTIME_STREAMS_H

/*
 * The container's standard streams. A pipe, socket or file of the caller's is handed in as it is.
 * A terminal never enters: with a pty the supervisor copies between it and the caller's terminal
 * (raw meanwhile); without one, each stream that is a terminal becomes a pipe that is copied.
 *
 * Copying is by poll(2): a side that cannot take data stops the side that gives it, so memory is
 * one buffer a stream.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct err;

#define STREAM_BUFFER_BYTES 65536u
#define STREAM_POLL_MAX 6 /* two descriptors a pump */

struct pump {
	int src, dst;	   /* -1: ended */
	bool own_src, own_dst;
	char *buf;
	size_t off, len;   /* buf[off..off+len) waits to be written */
};

struct streams {
	int child[3];	   /* ends for the child, -1 = the caller's own descriptor; close after start */
	struct pump in, out, err;
	int master;	   /* pty master, -1 none */
	bool raw;	   /* the caller's terminal is in raw mode */
	struct termios saved;
};

/* tty: a pty will come; close_stdin: the payload reads /dev/null. */
int streams_prepare(struct streams *s, bool tty, bool close_stdin, struct err *e);
/* Closes the child's ends in the supervisor, once the child is there. */
void streams_started(struct streams *s);
/* Takes the pty's master: window size, raw mode, pumps. */
int streams_set_master(struct streams *s, int master, struct err *e);
void streams_resize(struct streams *s);
/* Around a job-control stop: terminal settings of the caller back, and raw again. */
void streams_suspend(struct streams *s);
void streams_resume(struct streams *s);

/* Adds what to wait for; returns how many entries of at most STREAM_POLL_MAX. */
unsigned streams_poll(const struct streams *s, struct pollfd *p);
/* Handles the events of the entries streams_poll() made. */
void streams_handle(struct streams *s, const struct pollfd *p, unsigned n);
/* True while output may still come; after the payload's death it must be copied to the end. */
bool streams_have_output(const struct streams *s);
/* Restores the terminal and frees; safe at any point after prepare. */
void streams_done(struct streams *s);

#endif
