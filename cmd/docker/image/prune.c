/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <time.h>

#include "cmd/docker/frame/confirm.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/delete.h"
#include "cmd/docker/image/filter.h"
#include "cmd/docker/frame/verbs_image.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/frame/prune.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/options/image_find.h"
#include "image/table/image_table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct prune_args {
	bool all, force;
	struct strv filters;
};

static const struct opt prune_opts[] = {
	{OPT_FLAG, 'a', "all", NULL, offsetof(struct prune_args, all),
	 .help = "Remove all unused images, not just dangling ones"},
	{OPT_CALL, 0, "filter", "filter", offsetof(struct prune_args, filters),
	 .set = ps_filter_set, .help = "Provide filter values (e.g. \"until=<timestamp>\")"},
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct prune_args, force),
	 .help = "Do not prompt for confirmation"},
	{0},
};
static const struct opt_table prune_table = {"Options", prune_opts};

static void prune_done(void *args)
{
	strv_free(&((struct prune_args *)args)->filters);
}

struct prune {
	struct image_delete how;
	bool all;
	struct strv lines;
	uint64_t freed_bytes;
};

static bool has_tag(const struct image_item *item)
{
	for (size_t i = 0; i < item->names.n; i++) {
		if (!strchr(item->names.items[i], '@'))
			return true;
	}
	return false;
}

/* A name after the other, then what is left, as docker does; what is in use stays. */
static void prune_one(struct prune *p, const struct image_item *item)
{
	const struct listed_list *l = p->how.containers;
	struct image_record rec = {0};
	bool gone = false;

	for (size_t i = 0; i < l->n; i++) {
		if (l->items[i].image_id && str_eq(l->items[i].image_id, item->record.id))
			return;
	}
	for (size_t i = 0; i < item->names.n; i++)
		(void)image_delete(&p->how, image_name_familiar(item->names.items[i]), &p->lines,
				   NULL);
	if (!item->names.n)
		(void)image_delete(&p->how, item->record.id, &p->lines, NULL);
	gone = image_table_read(p->how.dirfd, item->record.id, &rec, NULL) == -ENOENT;
	if (gone)
		p->freed_bytes += item->record.file_bytes;
	else
		image_record_free(&rec);
}

static int prune(struct prune *p, const struct strv *filters, struct err *e)
{
	_image_list_ struct image_list all = {0};
	uint64_t now_s = (uint64_t)time(NULL);
	int r = image_table_list(p->how.dirfd, &all, e);

	for (size_t i = 0; r >= 0 && i < all.n; i++) {
		if (!p->all && has_tag(&all.items[i]))
			continue;
		r = image_filter_image(filters, &all, &all.items[i], now_s, e);
		if (r > 0)
			prune_one(p, &all.items[i]);
	}
	return r < 0 ? r : strv_check(&p->lines, e);
}

int docker_prune_images(struct docker *d, bool all, const struct strv *filters, struct strbuf *out,
			uint64_t *bytes, struct err *e)
{
	static const char *const keys[] = {"dangling", "label", "label!", "until", NULL};
	_listed_ struct listed_list containers = {0};
	struct prune p = {.how = {.dirfd = -1, .containers = &containers}, .all = all};
	_close_ int dirfd = -1;
	int r = image_filter_check(filters, keys, e);

	if (r >= 0)
		r = dirfd = p.how.dirfd = images_open(&d->cmd.paths, e);
	if (r >= 0)
		r = listed_read(&d->cmd.paths, true, &containers, e);
	if (r >= 0)
		r = prune(&p, filters, e);
	for (size_t i = 0; r >= 0 && i < p.lines.n; i++) {
		const char *line = p.lines.items[i];

		strbuf_addf(out, "%s%c%s\n", i ? "" : "Deleted Images:\n",
			    line[0] == 'U' ? 'u' : 'd', line + 1);
	}
	*bytes += p.freed_bytes;
	strv_free(&p.lines);
	return r < 0 ? r : 0;
}

static int prune_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct prune_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	uint64_t bytes = 0;
	struct err e = ERR_INIT;
	int r;

	(void)argc;
	(void)argv;
	if (!a->force &&
	    !docker_confirm(a->all ? "WARNING! This will remove all images without at least one "
				     "container associated to them."
				   : "WARNING! This will remove all dangling images."))
		return 0;
	r = docker_prune_images(d, a->all || image_filter_dangling(&a->filters) == 0, &a->filters,
				&out, &bytes, &e);
	return docker_prune_end(&out, bytes, r, &e);
}

const struct docker_verb docker_image_prune = {
	.name = "image prune",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&prune_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct prune_args),
	.done = prune_done,
	.run = prune_run,
};
