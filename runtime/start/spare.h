/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SPARE_H
#define CSBX_RUNTIME_SPARE_H

/*
 * A spare: a container that was made ahead, whose main process waits before its execve for the
 * arguments, the environment and the streams of the start that takes it. One is made of a
 * specification that was just started; the next start of the same one takes it (CSBX_SPARES).
 *
 * The maker is a fork of a supervisor, so what processes inherit the spare has from a start that
 * was just such a one. It holds the spare, as its parent, and hands it over to one start at a time;
 * when that container has ended it makes the next. It leaves when no start has come for
 * CSBX_LINGER, or with the image server.
 *
 * Both compute the key (spare_key.h), which has in it all that makes two starts differ. Of what a
 * process cannot read of itself, the Landlock domain, each finds out if the other's is its own: a
 * process may look into another only if that is in its own domain or in one below.
 *
 * A start that finds no spare makes its container as ever, and so does one whose spare dies or
 * stops before its program can have run.
 */

#include <stdbool.h>

struct container;
struct err;
struct strbuf;

/* True when such a start may take a spare: nothing of the host or of one caller alone is in it. */
bool spare_is_possible(const struct container *c);

/*
 * Before the image server is asked. 1: c has a spare's pid 1, control socket and image server;
 * 0: there is none.
 */
int spare_find(struct container *c, struct err *e);

/*
 * Hands over the message and the streams. 0: the program runs or the status pipe tells why not;
 * -EAGAIN: the spare is gone and nothing has run.
 */
int spare_take(struct container *c, struct err *e);

/* spare_maker.c: starts a maker; the container of c has been launched. */
void spare_provide(const struct container *c);

/*
 * --- shared with spare_maker.c ---
 */
#define SPARE_MAGIC 0x50534243u /* "CBSP" */

struct spare_reply {
	unsigned magic;
	int server_pid, pid;
	bool init_is_file;
	char server[32];
};

enum spare_fd {
	SPARE_GIVE_TAKE,    /* the socket of its main process */
	SPARE_GIVE_CONTROL, /* of csbx-init */
	SPARE_GIVE_PIDFD,
	SPARE_GIVE_SERVER,
	SPARE_GIVE_MAX,
};

/* The key of c, whose plan is compiled, and the message that it is made with. */
int spare_make_key(struct container *c, struct strbuf *message, struct err *e);

/* True when that process is in no other Landlock domain than one at or below our own. */
bool spare_may_see(int pid);

#endif
