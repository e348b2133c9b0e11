/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_CHECK_H
#define CSBX_CMD_BUILD_DOCKERFILE_CHECK_H

struct err;
struct instruction;

/* Splits i->rest into i->args as the instruction has it, and checks them. -EINVAL. */
int instruction_words(struct instruction *i, char escape, struct err *e);

/* HEALTHCHECK: args become NONE, or CMD and its command. */
int health_words(struct instruction *i, struct err *e);

/* A duration as Go writes it ("1m30s", "500ms") in nanoseconds. -EINVAL in Go's words. */
int health_duration(const char *text, long long *ret_ns, struct err *e);

#endif
