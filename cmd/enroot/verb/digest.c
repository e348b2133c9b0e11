/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>

#include "cmd/enroot/verb/uri.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "cmd/image/settings.h"
#include "image/model/digest.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct digest_args {
	const char *arch;
};

static const struct opt rows[] = {
	{OPT_STR, 'a', "arch", "ARCH", offsetof(struct digest_args, arch),
	 .help = "Architecture of the image (default: this machine's)"},
	{0},
};

static const struct opt_table table = {"Options", rows};

static int digest_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct digest_args *a = args;
	_image_settings_ struct image_settings settings = {0};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	const char *tmp = getenv("TMPDIR");
	_close_ int tmp_dirfd = open(tmp && *tmp ? tmp : "/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char text[DIGEST_TEXT_MAX];
	struct digest digest;
	struct err e = ERR_INIT;
	int r = enroot_image_settings(x, argv[0], a->arch, &settings, &e);

	(void)argc;
	if (r >= 0)
		r = source_opts_digest(&x->cmd, &settings.source, argv[0], tmp_dirfd, false,
				       &digest, &e);
	if (r < 0)
		return enroot_fail(&e);
	strbuf_addf(&out, "%s\n", digest_format(&digest, text));
	return enroot_print(&out);
}

const struct enroot_verb enroot_verb_digest = {
	.name = "digest",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct digest_args),
	.run = digest_run,
};
