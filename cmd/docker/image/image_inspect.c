/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/show/inspect_out.h"
#include "cmd/docker/show/value.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct image_inspect_args {
	const char *format, *platform;
};

static const struct opt image_inspect_opts[] = {
	{OPT_STR, 'f', "format", "string", offsetof(struct image_inspect_args, format),
	 .help = "Format output using a custom template"},
	{0},
};
static const struct opt_table image_inspect_table = {"Options", image_inspect_opts};

static void inspect_one(struct image_list *all, const char *operand, struct inspect_out *x)
{
	const struct image_item *item = image_item_find(all, operand, NULL);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_docker_value_ struct docker_value *v = NULL;
	struct err e = ERR_INIT;

	if (!item) {
		image_no_such(operand, &text);
		inspect_out_error(x, "Error response from daemon: %s", strbuf_str(&text));
	} else if (image_value_inspect(item, &v, &e) < 0) {
		inspect_out_error(x, "Error response from daemon: %s: %s", operand, e.msg);
	} else {
		inspect_out_add(x, v);
	}
}

static int image_inspect_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct image_inspect_args *a = args;
	struct inspect_out x = {.format = a->format};
	_image_list_ struct image_list all = {0};
	_close_ int dirfd = -1;
	struct err e = ERR_INIT;
	int code = inspect_out_check(&x);

	if (code)
		return code;
	dirfd = images_open(&d->cmd.paths, &e);
	if (dirfd < 0 || image_table_list(dirfd, &all, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	for (int i = 0; i < argc; i++)
		inspect_one(&all, argv[i], &x);
	return inspect_out_end(&x);
}

const struct docker_verb docker_verb_image_inspect = {
	.name = "image inspect",
	.usage = "[OPTIONS] IMAGE [IMAGE...]",
	.uses = (const struct opt_use[]){{&image_inspect_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct image_inspect_args),
	.run = image_inspect_run,
};
