/* SPDX-License-Identifier: Apache-2.0 */

/* csbx-tool: the verbs that read JSON or look at the machine; csbx hands them over. */

#include "cmd/cmd.h"
#include "cmd/verbs.h"

int main(int argc, char **argv)
{
	static const struct verb *const verbs[] = {&verb_doctor, &verb_inspect, &verb_run_spec,
						   NULL};

	return cmd_main(PROGRAM_TOOL, verbs, argc, argv);
}
