/* SPDX-License-Identifier: Apache-2.0 */
/* The three networks that are always there. */
#include "cmd/docker/daemon/network.h"

#include <string.h>

/* The ids are the same on every machine. */
static const struct docker_network builtins[] = {
	{true,
	 {.name = (char *)"bridge",
	  .driver = (char *)"bridge",
	  .id = "6272696467650000000000000000000000000000000000000000000000000000"}},
	{true,
	 {.name = (char *)"host",
	  .driver = (char *)"host",
	  .id = "686f737400000000000000000000000000000000000000000000000000000000"}},
	{true,
	 {.name = (char *)"none",
	  .driver = (char *)"null",
	  .id = "6e6f6e6500000000000000000000000000000000000000000000000000000000"}},
};
#define BUILTINS (sizeof(builtins) / sizeof(builtins[0]))
#define ID_DIGITS_MIN 4 /* of a builtin's, so that a short name is not taken for one */

const struct docker_network *docker_network_builtin(const char *operand)
{
	for (size_t i = 0; i < BUILTINS; i++) {
		const struct network_record *r = &builtins[i].record;

		if (str_eq(r->name, operand) ||
		    (strlen(operand) >= ID_DIGITS_MIN && str_has_prefix(r->id, operand)))
			return &builtins[i];
	}
	return NULL;
}
