/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_RUNDIR_H
#define CSBX_SPANK_RUNDIR_H

#include <sys/types.h>

struct err;

/*
 * runtime_path, root's, and in it a directory of the user's that is closed to others: made where
 * missing, checked where not, never through a symbolic link. Run as the daemon. The user's
 * directory is handed over before the user can reach it, and its path is put in ret.
 */
int spank_rundir_prepare(const char *runtime_path, uid_t uid, gid_t gid, char **ret, struct err *e);

#define SPANK_OTHER_DIR "other"

/*
 * usual/other becomes a link to runtime_path: a start that is no task of SLURM hides both from its
 * program (runtime/record/step_dirs.h). Run as the daemon, which owns the directory usual; what else
 * is in that stays.
 */
int spank_rundir_tell(const char *usual, const char *runtime_path, struct err *e);

#endif
