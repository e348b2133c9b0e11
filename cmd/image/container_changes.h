/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_CONTAINER_CHANGES_H
#define CSBX_CMD_IMAGE_CONTAINER_CHANGES_H

#include "runtime/layer/diff.h"

struct cmd;
struct err;

/*
 * The changes of a container, running or not, to its image's files. The process is in the
 * container's user namespace afterwards, for good. -ENOENT, in docker's words: no container has
 * that name or id.
 */
int container_changes(struct cmd *c, const char *operand, struct layer_changes *ret, struct err *e);

#endif
