/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_LOG_TIME_H
#define CSBX_CMD_DOCKER_LOG_TIME_H

/* Points of time as docker logs writes and reads them. */

#include <stdint.h>

struct strbuf;

/* "2026-01-02T03:04:05.678901234Z " */
void docker_log_time(uint64_t realtime_ns, struct strbuf *out);

/*
 * "42m" (so long ago), seconds since 1970 with a fraction, or a date: 2006-01-02, with T15:04:05,
 * a fraction, and Z or +01:00; without these the time is local. -EINVAL.
 */
int docker_log_time_parse(const char *text, uint64_t *ret_ns);

#endif
