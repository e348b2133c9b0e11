/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_EXEC_SESSION_H
#define CSBX_CMD_DOCKER_DAEMON_EXEC_SESSION_H

/*
 * An exec that is made, started, resized and looked at by different processes, as the Engine API
 * has it. Its session is the process that starts it: it holds the record's lock while the exec
 * runs, and with its death the exec's processes end. It goes on when the reader of its output has
 * gone.
 */

#include <stdbool.h>

#include "runtime/base/str.h"

struct detach_keys;
struct docker_exec_args;
struct docker_fault;
struct paths;
struct docker_value;

#define DOCKER_EXEC_ID_BYTES 65 /* 64 hexadecimal digits and a NUL */

/* The container must run: 404, 409. env: an item without '=' is left out. */
int docker_exec_create(const struct paths *p, const char *operand, const struct docker_exec_args *a,
		       char ret_id[DOCKER_EXEC_ID_BYTES], struct docker_fault *f);

/*
 * Puts fds (-1: /dev/null) into the places of 0 to 2 of this process, which is the exec's session
 * from then on, and returns its exit code once that is in the record. 404: no such exec; 409: it
 * has been started before; f->exit_code: it was not made, and its record says that code too.
 */
int docker_exec_start(const struct paths *p, const char *id, const int fds[3],
		      struct docker_fault *f);
/* The same in a session of its own, without streams; returns when it runs. */
int docker_exec_start_detached(const struct paths *p, const char *id, struct docker_fault *f);

/* Tells if its streams are a terminal, if it has an input, and its detach keys. 404. */
int docker_exec_look(const struct paths *p, const char *id, bool *ret_tty, bool *ret_interactive,
		     struct detach_keys *ret_keys, struct docker_fault *f);
/* Its client has left it by the keys. */
void docker_exec_is_left(const struct paths *p, const char *id);
/* The terminal's size, also before the start. 404. */
int docker_exec_resize(const struct paths *p, const char *id, unsigned rows, unsigned columns,
		       struct docker_fault *f);
/* As GET /exec/ID/json describes it. 404. */
int docker_exec_value(const struct paths *p, const char *id, struct docker_value **ret,
		      struct docker_fault *f);

#endif
