/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_HOLD_PRIV_H
#define CSBX_STEP_HOLD_PRIV_H

/* The holder's parts: hold.c (life), hold_check.c, hold_image.c, hold_start.c, hold_end.c. */

#include "cmd/step/hold_args.h"
#include "cmd/step/step_state.h"

#include <sys/types.h>

struct config;
struct err;

#define HOLD_LIFE_FD 3

struct hold {
	struct hold_args a;
	int dirfd;           /* the step's directory */
	const char *dirname; /* its last component: JOB.STEP.NODE */
	char *image;         /* path of the squashfs file; NULL: the name's own */
	bool image_is_ours;  /* imported for this step alone: goes at its end */
	char *target;        /* what is started: the image or a container's name */
	bool name_is_ours;   /* made for this step alone, to be saved */
	pid_t child;         /* the container's own process, our child; 0: somebody else's */
	int child_sock;      /* to csbx-hold in it, -1 */
	int server_pidfd;    /* of the container's image server, -1 */
	struct step_state state;
	struct strbuf said; /* by commands that went wrong: for the user */
};

/* Paths of the host's exist, before anything long is begun. */
int hold_check_sources(const struct hold *h, struct err *e);
/* e says that the child cannot be joined: where it lives it has a supervisor, and e tells why. */
int hold_explain_supervisor(const struct hold *h, const struct config *config, struct err *e);
/* A running container that is to be joined is what was asked for; what is merely idle is told. */
int hold_check_running(const struct hold *h, pid_t pid, struct err *e);
/* Fills image and target. */
int hold_find(struct hold *h, struct err *e);
/* Starts it, waits for it, fills state. */
int hold_start(struct hold *h, struct err *e);
/* A running container of that name is used as it is: 1, fills state. 0: none runs. */
int hold_join_running(struct hold *h, struct err *e);
/* The container's end, then what is to be kept and what not. all_ended: the tasks had their time.
 */
int hold_end(struct hold *h, bool all_ended, struct err *e);
/* The epilog of a job. */
int hold_end_job(const struct hold_args *a);
/* Writes down a name that goes with its job. */
int hold_remember_name(const struct hold *h, struct err *e);

/* Gives an image back that was got for this step alone. */
void hold_release_image(struct hold *h);

/* A command of the enroot dialect, its words ended by NULL. */
int hold_enroot(struct hold *h, struct strbuf *out, struct err *e, ...) __attribute__((sentinel));

#endif
