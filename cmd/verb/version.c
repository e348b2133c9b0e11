/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/str.h"

static int version_run(struct cmd *c, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;

	(void)c, (void)args, (void)argc, (void)argv;
	strbuf_addstr(&b, CSBX_VERSION "\n");
	return cmd_print(&b);
}

static const struct verb_example examples[] = {
	{"which csbx is this?", "csbx version"},
	{0},
};

const struct verb verb_version = {
	.name = "version",
	.usage = "",
	.description = "Prints the version of csbx. How it is set up here says csbx info.",
	.examples = examples,
	.flags = VERB_NO_STATE,
	.max_operands = 0,
	.run = version_run,
};
