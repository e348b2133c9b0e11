/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_TESTS_TOY_SLURM_H
#define CSBX_TESTS_TOY_SLURM_H

/* SLURM's side of the interface to its plugins, made of a few tables. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifndef CSBX_SPANK_PREPENDS
#define CSBX_SPANK_PREPENDS 0
#endif

#define ENV_MAX 64
#define LOG_MAX (1 << 20)

struct toy_slurm {
	int context; /* enum spank_context */
	int n_options;
	uint32_t job, step, node, tasks;
	uid_t uid;
	gid_t gid, groups[4];
	int n_groups;
	char *argv[8], *copy[8];
	int argc, task;
	char *env[ENV_MAX];
	char log[LOG_MAX];
	size_t log_len;
	int fail_item; /* spank_get_item() of this one fails; -1: none */
	bool copies_argv;
	const char *prepended[8];
	int n_prepended;
};

extern struct toy_slurm host;

/* A flag of the command line: calls what the plugin has registered for it. */
int toy_give(int which, const char *value);

/* The program as csbx __hold: prints what it finds, then misbehaves as $TOY says. */
int toy_be_holder(int argc, char **argv);

/* The place of NAME=VALUE in host.env, or of the NULL behind the last. */
char **toy_find_env(const char *name);

/* The plugin's link to dir, made as root; another run may have put its own there. */
void toy_remove_link(const char *dir);

#endif
