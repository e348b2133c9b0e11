/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_HOLD_PRIV_H
#define CSBX_STEP_HOLD_PRIV_H

/*
 * The holder's parts: hold.c (life), hold_dir.c, hold_check.c, hold_image.c, hold_names.c,
 * hold_job.c, hold_start.c, hold_end.c.
 */

#include "cmd/slurm/hold_args.h"
#include "cmd/slurm/step_state.h"

#include "runtime/kernel/temp_dir.h"

#include <sys/types.h>

struct config;
struct err;

#define HOLD_LIFE_FD 3

struct hold {
	struct hold_args a;
	int dirfd;           /* the step's directory */
	int alive_fd;        /* its lock, to the end */
	const char *dirname; /* its last component: JOB.STEP.NODE */
	char *image;         /* path of the squashfs file; NULL: the name's own */
	int imports_fd;      /* where it was imported for this step alone, -1: it was not */
	int imports_lock;
	char import[TEMP_NAME_BYTES];
	char *target;      /* what is started: the image or a container's name */
	bool name_is_ours; /* made for this step alone, to be saved */
	pid_t child;       /* the container's own process, our child; 0: somebody else's */
	int child_sock;    /* to csbx-hold in it, -1 */
	int server_pidfd;  /* of the container's image server, -1 */
	struct step_state state;
	int save_dir;       /* what is to be saved goes there; -1: nothing is */
	int stop_fd;        /* what ends the commands that prepare the container; then 0 */
	struct strbuf said; /* by commands that went wrong: for the user */
};
#define HOLD_INIT                                                                  \
	{                                                                          \
		.dirfd = -1, .alive_fd = -1, .imports_fd = -1, .imports_lock = -1, \
		.child_sock = -1, .server_pidfd = -1, .save_dir = -1               \
	}

/* h->dirname, out of h->a.dir. */
int hold_dir_name(struct hold *h, struct err *e);
int hold_dir_open_parent(const struct hold *h, struct err *e);
/* Makes the step's directory, with the lock that says that its holder lives. */
int hold_dir_make(struct hold *h, struct err *e);
void hold_dir_remove(const struct hold *h);
/* Removes what holders left that were killed. */
void hold_dir_sweep(int parentfd);

/* Paths of the host's exist, before anything long is begun. */
int hold_check_sources(const struct hold *h, struct err *e);
/*
 * The directory of the file to be saved is the one that there is before anything of the step runs:
 * its tasks may put another thing, or a link, into the place of a directory on the way.
 */
int hold_open_save(struct hold *h, struct err *e);
/* e says that the child cannot be joined: if it lives it has a supervisor, and e tells why. */
int hold_explain_supervisor(const struct hold *h, const struct config *config, struct err *e);
/* Checks that a running container fits the step's flags; warns of flags without effect. */
int hold_check_running(const struct hold *h, pid_t pid, struct err *e);
/* Fills image and target. */
int hold_find(struct hold *h, struct err *e);
/* Starts it, waits for it, fills state. */
int hold_start(struct hold *h, struct err *e);
/* A running container of that name is used as it is: 1, fills state. 0: none runs. */
int hold_join_running(struct hold *h, struct err *e);
/*
 * The container's end, then what is to be kept and what not. all_ended: the tasks had their time.
 */
int hold_end(struct hold *h, bool all_ended, struct err *e);
/* The epilog of a job. */
int hold_end_job(const struct hold_args *a);
/* The end of a step whose holder was killed. */
int hold_end_step(struct hold *h);

#define HOLD_OWN_NAME "own"
/* Writes down a name for holders that come after us. */
int hold_names_add(int dirfd, const char *file, const char *name, struct err *e);
/* Removes the containers of the names, and the file. */
int hold_names_remove(int dirfd, const char *file, struct err *e);
/* Writes down a name that goes with its job. */
int hold_remember_name(const struct hold *h, struct err *e);

/* Gives an image back that was got for this step alone. */
void hold_release_image(struct hold *h);
/* Removes the file of it, where it is csbx's own import. */
void hold_drop_import(struct hold *h);
/* Those of holders that were killed. */
void hold_sweep_imports(void);

/* A command of the enroot dialect, its words ended by NULL. */
int hold_enroot(struct hold *h, struct strbuf *out, struct err *e, ...) __attribute__((sentinel));

#endif
