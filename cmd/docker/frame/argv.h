/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_ARGV_H
#define CSBX_CMD_DOCKER_ARGV_H

/*
 * docker's command line syntax, which is that of the Go package spf13/pflag:
 *	--name=V  --name V  -n V  -nV  -n=V	flags with a value
 *	--name  --name=true|false  -abc		booleans; short ones may be bundled, -itd
 *	--					ends the flags
 * and the texts it has for what is wrong. Rows are those of opt.h (OPT_FLAG, OPT_STR, OPT_LIST,
 * OPT_CALL); values are set in the order they come, and the first bad one is reported.
 */

#include <stdbool.h>

#include "cmd/frame/opt.h"

#define DOCKER_ARGV_HELP (-4096)

/*
 * Parses argv[1..argc) into args; operands are moved to argv[1..]. Returns their number,
 * DOCKER_ARGV_HELP, or -EINVAL with docker's text.
 */
int docker_argv_parse(const struct opt_use *uses, bool first_operand_ends, void *args, int argc,
		      char **argv, struct err *e);

/* Go's strconv.ParseBool: 1, or 0, or -EINVAL. */
int docker_parse_bool(const char *value);

/* Setters for OPT_CALL, with the texts of Go's and docker's own parsers. */
int docker_set_int(void *int64, const char *value, struct err *e);    /* int64_t */
int docker_set_bytes(void *uint64, const char *value, struct err *e); /* uint64_t */
int docker_set_duration(void *ns, const char *value, struct err *e);  /* uint64_t, "1m30s" */
int docker_set_env(void *strv, const char *value, struct err *e);     /* NAME[=VALUE] */

#endif
