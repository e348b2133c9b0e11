/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_MSG_BOUNDS_H
#define CSBX_RUNTIME_INIT_MSG_BOUNDS_H

/*
 * The privileges of a process that is put into a container later: at most those that the container
 * was started with. Pure; compiled into csbx-init and into tests.
 */

#include <stdbool.h>

struct init_msg;

/*
 * True when the exec's message asks for no more than the start's, both checked (msg_check.h): no
 * capability more, no_new_privs and the same filter where the start has them, no hard limit higher
 * or left out, no OOM score lower, and the caller's groups only where the start kept them. Words,
 * user, directory and terminal are free.
 */
bool init_msg_is_within(const struct init_msg *start, const struct init_msg *exec);

#endif
