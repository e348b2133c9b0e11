/* SPDX-License-Identifier: Apache-2.0 */

/* csbx-engine: the socket of the Engine API; csbx hands the verb over. */

#include "cmd/frame/cmd.h"

#define VERB_ENGINE(verb) verb,
#include "cmd/frame/verbs.h"

int main(int argc, char **argv)
{
	static const struct verb *const verbs[] = {VERBS_OF_PROGRAM NULL};

	return cmd_main(PROGRAM_ENGINE, verbs, argc, argv);
}
