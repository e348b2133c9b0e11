/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CAP_EXEC_H
#define CSBX_RUNTIME_CAP_EXEC_H

#include <stdint.h>

struct err;

/*
 * Makes those of the permitted capabilities that are in mask (bits 1 << CAP_*) survive execve(2),
 * which takes them from every user but root: they become inheritable and ambient, capabilities(7).
 * Both go where a program gives its permitted ones up.
 */
int cap_keep_over_exec(uint64_t mask, struct err *e);

#endif
