/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/record/container_find.h"
#include "runtime/record/container_store.h"

static int rename_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct container_found found;
	struct err e = ERR_INIT;
	int r = container_find(&c->paths, argv[0], &found, &e);

	(void)args, (void)argc;
	if (r >= 0) {
		r = container_store_rename(&c->paths, found.name, argv[1], &e);
		container_record_free(&found.record);
	}
	return r < 0 ? cmd_error(&e, "rename %s", argv[0]) : CMD_EXIT_OK;
}

static const struct verb_example examples[] = {
	{"keep an older one under another name", "csbx rename py py-old"},
	{0},
};

const struct verb verb_rename = {
	.name = "rename",
	.usage = "NAME|ID NEW-NAME",
	.description =
		"Gives a container another name. One that stays (create --keep) may run meanwhile; "
		"no start of any other may run, for its kept layer goes by its name.",
	.examples = examples,
	.offers = "container",
	.min_operands = 2,
	.max_operands = 2,
	.run = rename_run,
};
