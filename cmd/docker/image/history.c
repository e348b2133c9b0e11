/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <time.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/image/image_value.h"
#include "cmd/docker/show/value.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct history_args {
	bool human, no_trunc, quiet;
	const char *format;
};

#define AT(member) offsetof(struct history_args, member)

static const struct opt history_opts[] = {
	{OPT_STR, 0, "format", "string", AT(format),
	 .help = "Format output using a custom template"},
	{OPT_FLAG, 'H', "human", NULL, AT(human), .initial = "true",
	 .help = "Print sizes and dates in human readable format (default true)"},
	{OPT_FLAG, 0, "no-trunc", NULL, AT(no_trunc), .help = "Don't truncate output"},
	{OPT_FLAG, 'q', "quiet", NULL, AT(quiet), .help = "Only show image IDs"},
	{0},
};
static const struct opt_table history_table = {"Options", history_opts};

static const struct format_head heads[] = {
	{"ID", "IMAGE"},
	{"CreatedSince", "CREATED"},
	{"CreatedAt", "CREATED AT"},
	{"CreatedBy", "CREATED BY"},
	{"Size", "SIZE"},
	{"Comment", "COMMENT"},
	{NULL, NULL},
};

static int print(const struct history_args *a, const struct docker_value *rows)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct format f = {
		.text = a->format,
		.table = "{{.ID}}\t{{if .CreatedSince}}{{.CreatedSince}}{{else}}N/A{{end}}\t"
			 "{{.CreatedBy}}\t{{.Size}}\t{{.Comment}}",
		.heads = heads,
	};
	struct err e = ERR_INIT;

	if (a->quiet && (!a->format || str_eq(a->format, "table")))
		f.text = "{{.ID}}";
	if (format_rows(&f, rows, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	return cmd_print(&out);
}

static int history_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct history_args *a = args;
	const struct image_history_how how = {a->human, a->no_trunc,
					      (uint64_t)time(NULL) * 1000000000u};
	_image_list_ struct image_list all = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_docker_value_ struct docker_value *rows = NULL;
	const struct image_item *item;
	_close_ int dirfd = -1;
	struct err e = ERR_INIT;

	(void)argc;
	dirfd = images_open(&d->cmd.paths, &e);
	if (dirfd < 0 || image_table_list(dirfd, &all, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	item = image_item_find(&all, argv[0], NULL);
	if (!item) {
		image_no_such(argv[0], &text);
		return docker_daemon_error("%s", strbuf_str(&text));
	}
	if (image_value_history(item, &how, &rows, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	return print(a, rows);
}

static void history_init(void *args)
{
	((struct history_args *)args)->human = true;
}

const struct docker_verb docker_verb_history = {
	.name = "history",
	.usage = "[OPTIONS] IMAGE",
	.uses = (const struct opt_use[]){{&history_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct history_args),
	.init = history_init,
	.run = history_run,
};
