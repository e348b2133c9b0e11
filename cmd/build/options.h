/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_OPTIONS_H
#define CSBX_CMD_BUILD_OPTIONS_H

/* The command line of a build, the same for csbx and for docker. */

#include "cmd/frame/opt.h"

struct build_args;
struct err;

extern const struct opt_table build_table;

void build_args_init(void *args);
void build_args_done(void *args);
/* -EINVAL or -EOPNOTSUPP with the option's name for what is not done. */
int build_args_check(const struct build_args *a, struct err *e);

#endif
