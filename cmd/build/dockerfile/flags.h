/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_FLAGS_H
#define CSBX_CMD_BUILD_DOCKERFILE_FLAGS_H

struct err;
struct instruction;

/*
 * Checks that the instruction takes its flags. -EINVAL in docker's words for another, or one
 * without a value.
 */
int flags_check(const struct instruction *i, struct err *e);

#endif
