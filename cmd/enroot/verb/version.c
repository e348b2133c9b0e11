/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "runtime/base/fd.h"

static int version_run(struct enroot *x, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	(void)x, (void)args, (void)argc, (void)argv;
	strbuf_addstr(&out, ENROOT_VERSION "\n");
	return enroot_print(&out);
}

const struct enroot_verb enroot_verb_version = {
	.name = "version",
	.flags = ENROOT_NO_STATE,
	.run = version_run,
};
