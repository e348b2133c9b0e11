/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_LOG_H
#define CSBX_BASE_LOG_H

/*
 * Tracing for developers, on stderr, only with CSBX_DEBUG=1. The level is the one piece of
 * mutable file-scope state in the project. Messages for users are the business of cmd/.
 */

void log_init(void); /* reads CSBX_DEBUG once */
void log_trace(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
