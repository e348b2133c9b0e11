/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_RESOLVE_ENV_H
#define CSBX_CMD_RESOLVE_ENV_H

/* Environment of a container, layer by layer; pure functions over lists of NAME=VALUE. */

#include <stddef.h>

struct strv;

#define ENV_DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * Adds the assignments of a list; a later one replaces an earlier one of the same name. A bare
 * NAME takes its value from `host`, and takes the variable away where host has none.
 */
void env_add_list(struct strv *env, const struct strv *list, char *const *host);

/* /etc/environment of an image (pam_env(8) without expansion): NAME=VALUE, quotes stripped. */
void env_add_environment_file(struct strv *env, const char *text, size_t len);

/* In a batch job: the job's variables that programs inside need. */
void env_add_job(struct strv *env, char *const *host);

#endif
