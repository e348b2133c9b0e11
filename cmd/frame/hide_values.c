/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/frame/cmd.h"
#include "runtime/base/str.h"

/* "NAME=VALUE", "--env=NAME=VALUE", "-dieNAME=VALUE" */
static bool has_assignment(const char *word, const char *assignment)
{
	size_t len = strlen(word), n = strlen(assignment);

	return len >= n && (len == n || *word == '-') && str_eq(word + len - n, assignment);
}

void cmd_hide_values(const struct cmd *c, const struct strv *env)
{
	for (size_t i = 0; i < env->n; i++) {
		const char *value = strchr(env->items[i], '=');
		size_t n = value ? strlen(value + 1) : 0;

		for (char **word = c->argv; n && *word; word++) {
			if (has_assignment(*word, env->items[i]))
				memset(*word + strlen(*word) - n, '*', n);
		}
	}
}
