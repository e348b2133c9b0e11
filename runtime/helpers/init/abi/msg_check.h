/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_MSG_CHECK_H
#define CSBX_RUNTIME_INIT_MSG_CHECK_H

/*
 * The one place that decides whether a message may be interpreted. Pure: no system calls, no
 * libc; the same file is compiled into csbx-init and into tests and fuzzers.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/helpers/init/abi/init_abi.h"

/*
 * 0 when every range lies inside buf, every string ends, every count is what the data holds and
 * flags agree with what is there; else -EBADMSG, -E2BIG or -EPROTONOSUPPORT (another version).
 * buf must be aligned for struct init_msg.
 */
int init_msg_check(const void *buf, size_t len);

/* The size that the terminal of a checked message is to have; false: the message has none. */
bool init_msg_tty_size(const struct init_msg *m, struct init_tail *ret);

/* Start of a range of a checked message. */
static inline const void *init_msg_at(const struct init_msg *m, struct init_range r)
{
	return (const char *)m + r.off;
}

#endif
