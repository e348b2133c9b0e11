/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_ERRNO_TEXT_H
#define CSBX_CMD_DOCKER_ERRNO_TEXT_H

/* The text of an errno in Go's programs: "no such file or directory". */
const char *docker_errno(int code);

#endif
