/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/image/prune.h"

#include <time.h>

#include "cmd/docker/image/delete.h"
#include "cmd/docker/image/filter.h"
#include "cmd/docker/show/events.h"
#include "cmd/docker/show/listed.h"
#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct prune {
	struct image_delete how;
	bool all;
	struct strv *lines;
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

/* Removes one name after the other, then the images that are left, as docker does; images in use
 * stay. */
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
		(void)image_delete(&p->how, image_name_familiar(item->names.items[i]), p->lines,
				   NULL);
	if (!item->names.n)
		(void)image_delete(&p->how, item->record.id, p->lines, NULL);
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
	return r < 0 ? r : strv_check(p->lines, e);
}

int image_prune(const struct paths *p, bool all, const struct strv *filters, struct strv *lines,
		uint64_t *bytes, struct err *e)
{
	static const char *const keys[] = {"dangling", "label", "label!", "until", NULL};
	_listed_ struct listed_list containers = {0};
	struct prune x = {.how = {.paths = p, .dirfd = -1, .containers = &containers},
			  .all = all,
			  .lines = lines};
	_close_ int dirfd = -1;
	int r = image_filter_check(filters, keys, e);

	if (r >= 0)
		r = dirfd = x.how.dirfd = images_open(p, e);
	if (r >= 0)
		r = listed_read(p, true, &containers, e);
	if (r >= 0)
		r = prune(&x, filters, e);
	*bytes += x.freed_bytes;
	if (r >= 0)
		docker_event_prune(p, "image", x.freed_bytes);
	return r < 0 ? r : 0;
}
