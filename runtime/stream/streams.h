/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_STREAMS_H
#define CSBX_RUNTIME_STREAMS_H

/*
 * The room runtime/stream. Standard streams of a container.
 *
 * In: the caller's descriptors, the container's pipes and terminal. Out: bytes copied, kept,
 * logged.
 *
 *	streams.h		which stream is handed in and which is copied
 *	pump.h			one copy; audience.h: to several listeners
 *	capture.h		beginning and end of a stream, in bounded memory
 *	run_log.h		the log of a detached start
 *
 * Must: bound memory.
 * Mustn't: let a terminal of the host into a container.
 */

/*
 * The container's standard streams. A pipe, socket or file of the caller's is handed in as it is.
 * A terminal never enters: with a pty the supervisor copies between it and the caller's terminal
 * (raw meanwhile); without one, each stream that is a terminal becomes a pipe that is copied.
 * Output that is limited or kept for a result is copied too.
 *
 * While the caller's terminal belongs to another job (csbx in the background), its modes and its
 * input are left alone. When it hangs up, the container's terminal hangs up.
 *
 * The supervisor of a container that outlives its callers has no streams of its own to give: it
 * makes pipes, and any number of clients, come and gone, lend theirs.
 *
 * Copying is by poll(2): a side that cannot take data stops the side that gives it, so memory is
 * one buffer a stream (pump.h) and what capture.h keeps.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "runtime/stream/audience.h"
#include "runtime/stream/capture.h"
#include "runtime/stream/detach_keys.h"
#include "runtime/stream/pump.h"

struct err;
struct run_log;
struct run_result;

#define STREAM_POLL_MAX (2 * AUDIENCE_MAX + 2)
#define STREAM_LOOK_MS 200

struct stream_options {
	bool lent; /* the caller's own are left alone: clients lend theirs, streams_attach() */
	bool stdin_once; /* lent: input ends with its giver; else the next may go on */
	bool tty;        /* a pty will come */
	struct detach_keys keys; /* looked for in what a terminal is given; n 0: none */
	bool close_stdin;        /* the payload reads /dev/null */
	struct run_log *log;     /* output goes there instead, NULL: it does not */
	bool copy_pipes;     /* output to a pipe or socket is copied too: who reads it sees the end
			      * when we end, though what the payload has left behind goes on */
	bool goes_on;        /* output that has no reader any more is dropped, and a terminal's
			      * input that ends is not ended: the client has gone */
	bool capture;        /* output is kept for the result and not passed on */
	uint64_t keep_bytes; /* head and tail kept of each stream; 0: all is passed, none kept */
	uint64_t kill_bytes; /* more on a stream is too much; 0: no such limit */
};

struct streams {
	int child[3]; /* ends for the child, -1 = the caller's own descriptor; close after start */
	struct pump in, out, err;
	struct stream_options options;
	struct capture kept_out, kept_err;
	int master; /* pty master, -1 none */
	struct audience hears_out, hears_err;
	uint32_t stdin_id;   /* of the client whose input is read, 0: none */
	int waiting_stdin;   /* a client's input until there is a terminal for it, -1: none */
	struct winsize size; /* as clients have set it */
	bool from_terminal;  /* in copies from the caller's terminal */
	bool raw;            /* the caller's terminal is in raw mode */
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

/*
 * A client lends its streams (-1: not this one) until it leaves; fds are taken over. id: its own,
 * not 0. Output that was written before is in the log only.
 */
void streams_attach(struct streams *s, uint32_t id, int fds[3]);
void streams_detach(struct streams *s, uint32_t id);
void streams_set_size(struct streams *s, unsigned rows, unsigned columns);

/* Adds what to wait for; returns how many entries of at most STREAM_POLL_MAX. */
unsigned streams_poll(const struct streams *s, struct pollfd *p);
/* Handles the events of the entries streams_poll() made. */
void streams_handle(struct streams *s, const struct pollfd *p, unsigned n);
/* True while output may still come; after the payload's death it must be copied to the end. */
bool streams_have_output(const struct streams *s);
/* True once a stream has had more than kill_bytes. */
bool streams_too_much(const struct streams *s);
/* True once the keys of the options have come. */
bool streams_are_left(const struct streams *s);
/*
 * The caller's streams are his again: there is no more input, and output goes nowhere. His terminal
 * is not touched any more.
 */
void streams_forget_caller(struct streams *s);
/* Ends the output: kept tails are written, and what was kept and counted goes into the result. */
void streams_finish(struct streams *s, struct run_result *ret);
/* Restores the terminal and frees; safe at any point after prepare. */
void streams_done(struct streams *s);

#endif
