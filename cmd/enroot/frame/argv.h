/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_ARGV_H
#define CSBX_CMD_ENROOT_ARGV_H

/*
 * enroot's command line syntax: `-x V`, `--name V`, `--name=V`; no bundling, no value glued to a
 * letter, none that is empty; `--` or the first word without a dash ends the options. Values are
 * set in the order they come.
 */

#include "cmd/frame/opt.h"

#define ENROOT_ARGV_HELP (-4096)

/*
 * Parses argv[1..argc) into args. Returns the index of the first operand, ENROOT_ARGV_HELP, or
 * -EINVAL.
 */
int enroot_argv_parse(const struct opt_use *uses, void *args, int argc, char **argv, struct err *e);

#endif
