/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LANE_LOAN_H
#define CSBX_RUNTIME_LANE_LOAN_H

/*
 * Lanes (lane.h) that outlive a command: a lender, a process of its own, has some of one key and
 * lends each to one borrower at a time. A borrower is a later command of the same user that computes
 * the same key, which has in it all that makes two containers differ (spare_key.h), and besides the
 * whole specification and what the borrower's front end adds.
 *
 * The borrower has what a supervisor needs: the socket and a pidfd of pid 1, and the descriptors
 * that limits are looked at by. It runs programs in its own process, by lane_run(). The lender
 * compares how the lane is with how it was, and lends a lane again only if it came back, empty, and
 * is the same. The socket of pid 1 is the borrower's alone while it has the lane: pid 1 ends with
 * it. Pid 1 ends with the lender, too.
 *
 * $CSBX_RUNTIME_PATH/lanes: HEX.lock, held by the lender of that key, and the socket HEX.sock, as of
 * spares (spare_place.h). Each side looks whether the other is such a process as itself: the user, the
 * user namespace, the Landlock domain.
 *
 * A lender leaves when no borrower has come for CSBX_LINGER, when the image server or the batch step
 * ends, at SIGTERM, or when gc asks it to.
 */

#include <stdbool.h>
#include <stddef.h>

struct container_spec;
struct err;
struct lane;
struct lane_warm;
struct paths;
struct strbuf;

#define LANE_LOAN_FDS_MAX 8u

/*
 * own: what the caller adds, other programs than csbx-init for one. -EOPNOTSUPP: no lane can be lent
 * to this process, or none of this specification.
 */
int lane_loan_key(const struct container_spec *spec, const struct paths *paths, const void *own,
		  size_t own_len, struct strbuf *ret, struct err *e);

/* --- a borrower -------------------------------------------------------------------------------- */

/*
 * Fills fds, of which there are n, with the lender's own descriptors. *ret: a lane, or NULL where all
 * are lent or none can be had. spec, paths, file and warm must live as long as the lane; warm->fd is
 * not looked at. -ENOENT: there is no lender.
 */
int lane_loan_take(const struct strbuf *key, const struct container_spec *spec,
		   const struct paths *paths, const char *file, const struct lane_warm *warm,
		   struct lane **ret, int *fds, size_t n, struct err *e);
/* is_clean: lane_run() has said so of all that ran in it. */
void lane_loan_return(struct lane **lane, bool is_clean);

/* --- a lender ---------------------------------------------------------------------------------- */

/* What a lender has; all is borrowed and must stay. */
struct lane_stock {
	const struct container_spec *spec; /* its id is not looked at */
	const struct paths *paths;
	const struct strbuf *key;
	const char *file;
	const struct lane_warm *warm; /* fd below 0: nothing is lent, and no other process tries */
	int fds[LANE_LOAN_FDS_MAX];   /* that go along with each loan */
	size_t n_fds;
};

struct lane_lender;

/*
 * Makes the calling process, a fork that its parent does not wait for, the lender of that key; closes
 * all its descriptors. NULL: there is one, or there are many of other keys.
 */
struct lane_lender *lane_lender_new(const struct strbuf *key, const struct paths *paths);
/* Until it is time to leave; then nothing is left but the process. */
void lane_lender_stay(struct lane_lender *self, const struct lane_stock *stock);

/* Asks each lender to leave that has lent nothing, and takes away what dead ones have left. */
void lane_loan_sweep(const struct paths *paths, bool leave);

/* --- shared by lane_loan.c and lane_lender.c --------------------------------------------------- */

#define LANE_LOAN_MAGIC 0x4e4c4243u /* "CBLN" */

enum lane_word_type {
	LANE_WORD_CHECK, /* a program has run: is it the same? */
	LANE_WORD_SAME,
	LANE_WORD_BACK, /* with the socket of pid 1 */
	LANE_WORD_LEAVE,
};

struct lane_word {
	unsigned magic, type;
};

bool lane_loan_peer_is_same(int sock);

#endif
