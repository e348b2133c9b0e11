/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_PIPE_H
#define CSBX_CMD_BUILD_PIPE_H

/*
 * `csbx-image __build OPTION...`: the command that csbx-engine starts for POST /build. The options
 * are those of `docker build`, the context is a tar on standard input, and what comes out is
 * build_stream.h's.
 */

int build_pipe_main(int argc, char **argv);

#endif
