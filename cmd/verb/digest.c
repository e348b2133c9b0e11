/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/image_opts.h"
#include "cmd/frame/verbs.h"
#include "image/model/digest.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct digest_args {
	struct source_opts source;
};

static int digest_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct digest_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	const char *tmp = getenv("TMPDIR");
	/* The place where an archive from a pipe, or an engine's, may lie meanwhile. */
	_close_ int tmp_dirfd = open(tmp && *tmp ? tmp : "/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char text[DIGEST_TEXT_MAX];
	struct err e = ERR_INIT;
	struct digest digest;

	(void)argc;
	if (source_opts_digest(c, &a->source, argv[0], tmp_dirfd, false, &digest, &e) < 0)
		return cmd_error(&e, "digest %s", argv[0]);
	strbuf_addf(&out, "%s\n", digest_format(&digest, text));
	return cmd_print(&out);
}

static void digest_done(void *args)
{
	source_opts_done(&((struct digest_args *)args)->source);
}

static const struct verb_example examples[] = {
	{"the digest that a tag stands for now", "csbx digest docker://python:3.12"},
	{"the same image by its digest, whatever happens to the tag",
	 "csbx import docker://python@$(csbx digest docker://python:3.12)"},
	{0},
};

const struct verb verb_digest = {
	.name = "digest",
	.usage = "[OPTIONS] URI",
	.description =
		"Prints the digest of an image's manifest, that of one platform where there are "
		"several. A registry is asked for the manifest only; no layer is fetched. Archives "
		"of docker and root file systems have no manifest and no such digest.",
	.uses = (const struct opt_use[]){{&source_opts_table, offsetof(struct digest_args, source)},
					 {&registry_opts_table,
					  offsetof(struct digest_args, source.registry)},
					 {0}},
	.examples = examples,
	.offers = "file",
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct digest_args),
	.done = digest_done,
	.run = digest_run,
};
