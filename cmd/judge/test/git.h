/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_GIT_H
#define CSBX_CMD_EVAL_GIT_H

/* The host's git, told to trust nothing: see clone.h. */

struct clone_url;
struct err;

#define GIT_TIMEOUT_MS 1800000

/*
 * Runs git with these arguments (NULL-terminated), on the repository `dir` where that is not NULL.
 * url: the account when its server asks, NULL: none. -EIO with the last of what it said when it
 * fails; -ETIMEDOUT, and it is dead then.
 */
int git_run(const char *dir, const char *const *args, const struct clone_url *url, struct err *e);

#endif
