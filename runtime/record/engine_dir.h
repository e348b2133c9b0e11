/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_ENGINE_DIR_H
#define CSBX_RUNTIME_ENGINE_DIR_H

/*
 * $CSBX_RUNTIME_PATH/engine: sockets of processes of `csbx engine`, each removed by the process that
 * made it. One that refuses a connection is a killed process's and is gc's to remove. Between
 * bind(2) and listen(2) a living one refuses, too: that is done with the directory's lock shared.
 */

#include <stdbool.h>

struct err;

#define ENGINE_SOCKET "docker.sock" /* beside the directory: the engine that stays */
#define ENGINE_LOCK "engine.lock"   /* held by the listener there, but not by systemd */
#define ENGINE_DIR "engine"
#define ENGINE_DIR_LOCK ".lock"

/*
 * A descriptor that holds the lock until it is closed. whole: for gc, and only if it is free (-EAGAIN).
 */
int engine_dir_lock(int dirfd, bool whole, struct err *e);

#endif
