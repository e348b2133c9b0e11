/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_EXEC_DIR_H
#define CSBX_RUNTIME_EXEC_DIR_H

/*
 * $CSBX_RUNTIME_PATH/execs/ID: records of execs of the Engine API. The facts about them that gc
 * needs; the rest is in cmd/docker/daemon/exec_record.h.
 */

#define EXECS_DIR "execs"
#define EXEC_STATE_FILE "state"         /* its session holds the write lock while it runs */
#define EXEC_CONTAINER_LINK "container" /* a symbolic link that leads nowhere: the container's id */
#define EXEC_KEEP_S 600 /* after the last change, for clients that ask how it ended */

#endif
