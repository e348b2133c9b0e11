/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_OP_H
#define CSBX_CMD_BUILD_DOCKERFILE_OP_H

#include <stddef.h>

#include "cmd/build/dockerfile/dockerfile.h"

struct err;

/* By name, in any case. -EINVAL in docker's words. */
int op_find(const char *name, size_t len, enum dockerfile_op *ret, struct err *e);

#endif
