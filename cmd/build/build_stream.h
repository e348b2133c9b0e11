/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_STREAM_H
#define CSBX_CMD_BUILD_STREAM_H

/*
 * The messages of a build to a client of the Engine API: lines of JSON on standard output, in the
 * words of docker's classic builder, which its clients look for: {"stream": ...}, {"aux": {"ID":
 * ...}}, {"errorDetail": {"code", "message"}, "error"}.
 */

#include <stddef.h>

void build_stream_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void build_stream_data(const char *data, size_t len);
void build_stream_aux(const char *id);
/* code: the exit code of a step's program, 0: none ended. */
void build_stream_error(int code, const char *message);
/* The first line: {}, or with status and message what the request is answered with instead. */
void build_stream_head(int status, const char *message);

#endif
