/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_STREAMS_H
#define CSBX_RUNTIME_STREAMS_H

/*
 * The container's standard streams. A pipe, socket or file of the caller's is handed in as it is.
 * A terminal never enters: with a pty the supervisor copies between it and the caller's terminal
 * (raw meanwhile); without one, each stream that is a terminal becomes a pipe that is copied.
 * Output that is limited or kept for a result is copied too.
 *
 * While the caller's terminal belongs to another job (csbx in the background), its modes and its
 * input are left alone. When it hangs up, the container's terminal hangs up.
 *
 * Copying is by poll(2): a side that cannot take data stops the side that gives it, so memory is
 * one buffer a stream and what capture.h keeps.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "runtime/capture.h"

struct err;
struct run_log;
struct run_result;

#define STREAM_BUFFER_BYTES 65536u
#define STREAM_POLL_MAX 6 /* two descriptors a pump */
#define STREAM_LOOK_MS 200

struct pump {
	int src, dst; /* -1: ended */
	bool own_src, own_dst;
	bool pass;           /* what is read goes to dst */
	bool paused;         /* not read for now; its end is still noticed */
	char end_char;       /* end of src is written to dst as this character; 0: dst is closed */
	struct run_log *log; /* takes what is read instead of dst; NULL: none */
	struct capture
		*keep; /* head and tail are kept, and only the head is passed; NULL: all is */
	int number;    /* 1 or 2: which stream it is, for the log */
	uint64_t total,
		stop_after; /* stop_after: 0 = never, else the byte after which it is too much */
	bool too_much, is_fresh; /* is_fresh: the buffer was filled since someone looked */
	char *buf;
	size_t off, len; /* buf[off..off+len) waits to be written */
};

struct stream_options {
	bool tty;            /* a pty will come */
	bool close_stdin;    /* the payload reads /dev/null */
	struct run_log *log; /* output goes there instead, NULL: it does not */
	bool copy_pipes;     /* output to a pipe or socket is copied too: who reads it sees the end
			      * when we end, though what the payload has left behind goes on */
	bool capture;        /* output is kept for the result and not passed on */
	uint64_t keep_bytes; /* head and tail kept of each stream; 0: all is passed, none kept */
	uint64_t kill_bytes; /* more on a stream is too much; 0: no such limit */
};

struct streams {
	int child[3]; /* ends for the child, -1 = the caller's own descriptor; close after start */
	struct pump in, out, err;
	struct stream_options options;
	struct capture kept_out, kept_err;
	int master;         /* pty master, -1 none */
	bool from_terminal; /* in copies from the caller's terminal */
	bool raw;           /* the caller's terminal is in raw mode */
	struct termios saved;
};

int streams_prepare(struct streams *s, const struct stream_options *o, struct err *e);
/* Closes the child's ends in the supervisor, once the child is there. */
void streams_started(struct streams *s);
/* Takes the pty's master: window size, raw mode, pumps. */
int streams_set_master(struct streams *s, int master, struct err *e);
void streams_resize(struct streams *s);
/* Around a job-control stop: terminal settings of the caller back, and raw again. */
void streams_suspend(struct streams *s);
void streams_resume(struct streams *s);

/* To be called STREAM_LOOK_MS apart while streams_is_background(): no signal says that a job came
 * to the front. */
bool streams_is_background(const struct streams *s);
void streams_look(struct streams *s);

/* Adds what to wait for; returns how many entries of at most STREAM_POLL_MAX. */
unsigned streams_poll(const struct streams *s, struct pollfd *p);
/* Handles the events of the entries streams_poll() made. */
void streams_handle(struct streams *s, const struct pollfd *p, unsigned n);
/* True while output may still come; after the payload's death it must be copied to the end. */
bool streams_have_output(const struct streams *s);
/* True once a stream has had more than kill_bytes. */
bool streams_too_much(const struct streams *s);
/* Ends the output: kept tails are written, and what was kept and counted goes into the result. */
void streams_finish(struct streams *s, struct run_result *ret);
/* Restores the terminal and frees; safe at any point after prepare. */
void streams_done(struct streams *s);

#endif
