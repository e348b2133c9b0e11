/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_OPTIONS_H
#define CSBX_SPANK_OPTIONS_H

/*
 * The room cmd/spank. The SPANK plugin, which lives in SLURM's own processes.
 *
 * In: flags of srun, plugstack.conf. Out: a holder for the step, tasks that are put into its
 * container.
 *
 *	plugin.c		spank(8)
 *	options.h, mounts.h, scope.h, plugstack.h, multi_prog.h: what is asked; pure
 *	rundir.h, home.h	places
 *	keeper.h, launch.h, hold_argv.h: the holder is started
 *	sweep.h			what is left is ended
 *
 * Must: do as little as can be in SLURM's processes.
 * Mustn't: touch a user's file as root.
 */

/*
 * The wishes of a user of srun, sbatch and salloc: the flags that pyxis has
 * (https://github.com/NVIDIA/pyxis/wiki), their PYXIS_* variables, and the contradictions between
 * them. Pure: no function here knows SLURM, looks at a file or at the environment, so that unit
 * tests and fuzzers call the same code that runs inside srun and slurmstepd.
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

struct err;

/* A flag becomes an argument of csbx, and that has its limit in the kernel. */
#define SPANK_VALUE_MAX 65536

/* The number of a flag: the value that SLURM hands back to the callback. */
enum spank_opt {
	SPANK_IMAGE,
	SPANK_MOUNTS,
	SPANK_WORKDIR,
	SPANK_NAME,
	SPANK_SAVE,
	SPANK_MOUNT_HOME,
	SPANK_NO_MOUNT_HOME,
	SPANK_REMAP_ROOT,
	SPANK_NO_REMAP_ROOT,
	SPANK_ENTRYPOINT,
	SPANK_NO_ENTRYPOINT,
	SPANK_ENTRYPOINT_LOG,
	SPANK_WRITABLE,
	SPANK_READONLY,
	SPANK_ENV,
	SPANK_UNSHARE,
	SPANK_OPT_MAX,
};

struct spank_flag {
	const char *name;     /* "container-image" */
	const char *arg;      /* "PATH", NULL: takes none */
	const char *usage;    /* for srun --help */
	const char *variable; /* "PYXIS_CONTAINER_IMAGE"; NULL: none of its own */
};
extern const struct spank_flag spank_flags[SPANK_OPT_MAX]; /* by enum spank_opt */

enum spank_choice { SPANK_UNSET, SPANK_NO, SPANK_YES };

/* The meaning of a container's name: --container-name=NAME:HOW. */
enum spank_name_how {
	SPANK_NAME_AUTO,    /* join it if it runs, start it if it exists, else create it */
	SPANK_NAME_CREATE,  /* it must not exist */
	SPANK_NAME_EXEC,    /* it must run */
	SPANK_NAME_NO_EXEC, /* as auto, but never join */
};

enum { SPANK_UNSHARE_NET = 1, SPANK_UNSHARE_IPC = 2, SPANK_UNSHARE_UTS = 4 };

struct spank_options {
	unsigned given;       /* bit of each enum spank_opt that a command line had */
	char *image;          /* absolute or relative path of a file, or a URI with its scheme */
	struct strv mounts;   /* lines of fstab: "SRC DST OPTIONS" */
	struct strv sources;  /* of these, the host's paths */
	char *workdir, *save; /* NULL: not asked for */
	char *name;           /* as the user wrote it, without HOW */
	enum spank_name_how name_how;
	enum spank_choice mount_home, remap_root, writable, entrypoint, entrypoint_log;
	struct strv env;  /* names */
	unsigned unshare; /* SPANK_UNSHARE_* */
};
#define SPANK_OPTIONS_INIT \
	{                  \
		0          \
	}

void spank_options_free(struct spank_options *o);

/*
 * One flag of the command line. SLURM tells the same flag twice in some contexts: the same value
 * again is no error, another one is. Errors begin with the flag: "--container-image: ...".
 */
int spank_options_set(struct spank_options *o, enum spank_opt which, const char *arg,
		      struct err *e);

/*
 * The PYXIS_* variables, for what the command line is silent about; get(ctx, NAME) is the value or
 * NULL. Then what only the whole shows: flags that contradict or that have nothing to act on.
 * The environment may be set for a whole site, so without an image and a name it asks for nothing.
 */
int spank_options_finish(struct spank_options *o, const char *(*get)(void *ctx, const char *name),
			 void *ctx, struct err *e);

/* After finish: true when a container was asked for. */
static inline bool spank_options_active(const struct spank_options *o)
{
	return o->image || o->name;
}

#endif
