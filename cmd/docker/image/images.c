/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <time.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/filter.h"
#include "cmd/docker/image/rows.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/show/value.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct images_args {
	bool all, digests, no_trunc, quiet;
	struct strv filters;
	const char *format;
};

#define AT(member) offsetof(struct images_args, member)

static const struct opt images_opts[] = {
	{OPT_FLAG, 'a', "all", NULL, AT(all),
	 .help = "Show all images (default hides intermediate images)"},
	{OPT_FLAG, 0, "digests", NULL, AT(digests), .help = "Show digests"},
	{OPT_CALL, 'f', "filter", "filter", AT(filters), .set = ps_filter_set,
	 .help = "Filter output based on conditions provided"},
	{OPT_STR, 0, "format", "string", AT(format),
	 .help = "Format output using a custom template"},
	{OPT_FLAG, 0, "no-trunc", NULL, AT(no_trunc), .help = "Don't truncate output"},
	{OPT_FLAG, 'q', "quiet", NULL, AT(quiet), .help = "Only show image IDs"},
	{0},
};
static const struct opt_table images_table = {"Options", images_opts};

static void images_done(void *args)
{
	strv_free(&((struct images_args *)args)->filters);
}

static int add_rows(const struct images_args *a, struct image_list *all, struct docker_value *rows,
		    struct err *e)
{
	struct image_rows_how how = {
		.digests = a->digests || (a->format && strstr(a->format, "{{.Digest}}")),
		.no_trunc = a->no_trunc,
		.now_s = (uint64_t)time(NULL),
	};

	for (size_t i = 0; i < all->n; i++) {
		_strv_ struct strv names = STRV_INIT;
		int r = image_filter_image(&a->filters, all, &all->items[i], how.now_s, e);

		if (r > 0)
			r = image_filter_names(&a->filters, &all->items[i], &names, e);
		if (r < 0)
			return r;
		if (r)
			image_rows_add(rows, &all->items[i], &names, &how);
	}
	return docker_value_check(rows, e);
}

static int images_run(struct docker *d, void *args, int argc, char **argv)
{
	static const char *const keys[] = {"dangling", "label",     "before", "since",
					   "until",    "reference", NULL};
	_image_list_ struct image_list all = {0};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	struct images_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_close_ int dirfd = -1;
	struct err e = ERR_INIT;
	int r;

	if (argc)
		strv_take(&a->filters, str_printf("reference=%s", argv[0]));
	if (strv_check(&a->filters, &e) < 0 || image_filter_check(&a->filters, keys, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	r = dirfd = images_open(&d->cmd.paths, &e);
	if (r >= 0)
		r = image_table_list(dirfd, &all, &e);
	if (r >= 0)
		r = add_rows(a, &all, rows, &e);
	if (r < 0)
		return docker_daemon_error("%s", e.msg);
	if (image_rows_print(rows, a->format, a->quiet, a->digests, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_images = {
	.name = "images",
	.usage = "[OPTIONS] [REPOSITORY[:TAG]]",
	.uses = (const struct opt_use[]){{&images_table, 0}, {0}},
	.min_operands = 0,
	.max_operands = 1,
	.args_bytes = sizeof(struct images_args),
	.done = images_done,
	.run = images_run,
};
