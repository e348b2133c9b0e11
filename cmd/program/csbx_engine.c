/* SPDX-License-Identifier: Apache-2.0 */

/* csbx-engine: the socket of the Engine API; csbx hands the verb over. */

#include "cmd/engine/call/doze.h"
#include "cmd/engine/serve/serve.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/str.h"

#define VERB_ENGINE(verb) verb,
#include "cmd/frame/verbs.h"

int main(int argc, char **argv)
{
	static const struct verb *const verbs[] = {VERBS_OF_PROGRAM NULL};

	if (argc == 3 && str_eq(argv[1], CALL_WAKE))
		return engine_wake(argv[2]);
	return cmd_main(PROGRAM_ENGINE, verbs, argc, argv);
}
