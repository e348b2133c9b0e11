/* SPDX-License-Identifier: Apache-2.0 */

/*
 * GET /system/df: the lists of images, containers and volumes, with what each takes on the disk.
 * The size of an image is that of its files, as in the list of images; images share nothing.
 */

#include "cmd/docker/daemon/list.h"
#include "cmd/docker/volume/volume.h"
#include "cmd/docker/volume/list.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/image/images_api.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/value.h"
#include "cmd/engine/call/call.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/tree_size.h"

#define MINOR_WITHOUT_NONE 43u
#define MINOR_WITHOUT_VIRTUAL_SIZE 44u

struct disk {
	struct docker_value *images, *containers, *volumes; /* NULL: was not asked for */
	int64_t image_bytes;
};

static void set_number(const struct docker_value *in, const char *key, int64_t number)
{
	for (struct docker_value *i = in->first; i; i = i->next) {
		if (str_eq(i->key, key))
			i->number = number;
	}
}

static int64_t users_of_image(const struct listed_list *all, const struct docker_value *image)
{
	const struct docker_value *id = docker_value_find(image, "Id");
	int64_t n = 0;

	for (size_t i = 0; id && i < all->n; i++)
		n += str_eq(all->items[i].image_id, id->text);
	return n;
}

static int64_t users_of_volume(const struct listed_list *all, const char *name)
{
	int64_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct listed *c = &all->items[i];

		for (size_t m = 0; m < c->n_mounts; m++)
			n += c->mounts[m].is_volume && str_eq(c->mounts[m].source, name);
	}
	return n;
}

static int read_images(struct call *k, const struct listed_list *all, struct disk *d,
		       struct docker_fault *f)
{
	static const struct strv none = STRV_INIT;
	const struct docker_images how = {&none, k->minor < MINOR_WITHOUT_NONE,
					  k->minor < MINOR_WITHOUT_VIRTUAL_SIZE};
	int r = docker_images_list(&k->cmd->paths, &how, &d->images, f);

	for (struct docker_value *i = r < 0 ? NULL : d->images->first; i; i = i->next) {
		const struct docker_value *size = docker_value_find(i, "Size");

		set_number(i, "Containers", users_of_image(all, i));
		set_number(i, "SharedSize", 0);
		d->image_bytes += size ? size->number : 0;
	}
	return r;
}

static void add_usage(struct docker_value *volume, const struct listed_list *all)
{
	const struct docker_value *name = docker_value_find(volume, "Name");
	const struct docker_value *path = docker_value_find(volume, "Mountpoint");
	struct docker_value *usage = docker_value_add(volume, "UsageData", DOCKER_VALUE_STRUCT);

	docker_value_int(usage, "RefCount", name ? users_of_volume(all, name->text) : 0);
	docker_value_int(usage, "Size", path ? (int64_t)tree_size(path->text) : 0);
}

static int read_volumes(struct call *k, const struct listed_list *all, struct disk *d,
			struct docker_fault *f)
{
	static const struct strv none = STRV_INIT;
	_strv_ struct strv names = STRV_INIT;
	int r = docker_volume_list(&k->cmd->paths, &none, &names, f);

	d->volumes = docker_value_new(DOCKER_VALUE_LIST);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		r = docker_volume_describe(&k->cmd->paths, names.items[i], d->volumes, f);
		if (r >= 0 && d->volumes && d->volumes->last)
			add_usage(d->volumes->last, all);
		/* One that was removed meanwhile. */
		if (r == -ENOENT)
			r = 0;
	}
	return r;
}

/* `type` of the query names what is asked for; none: all of it. */
static bool is_wanted(const struct strv *types, const char *type)
{
	for (size_t i = 0; i < types->n; i++) {
		if (str_eq(types->items[i], type))
			return true;
	}
	return !types->n;
}

static int read_disk(struct call *k, const struct strv *types, struct disk *d,
		     struct docker_fault *f)
{
	static const struct strv none = STRV_INIT;
	const struct docker_list how = {.all = true, .size = true, .filters = &none};
	_listed_ struct listed_list all = {0};
	int r = listed_read(&k->cmd->paths, true, &all, &f->err);

	if (r >= 0 && is_wanted(types, "image"))
		r = read_images(k, &all, d, f);
	if (r >= 0 && is_wanted(types, "container"))
		r = docker_list_value(&k->cmd->paths, &how, &d->containers, f);
	if (r >= 0 && is_wanted(types, "volume"))
		r = read_volumes(k, &all, d, f);
	return r;
}

static int add_list(struct strbuf *out, const char *key, const struct docker_value *list,
		    struct err *e)
{
	strbuf_addf(out, "\"%s\":", key);
	if (list)
		return docker_value_json(list, false, out, e);
	strbuf_addstr(out, "null");
	return 0;
}

static void reply_disk(struct call *k, const struct disk *d)
{
	static const struct http_reply reply = {200, HTTP_TYPE_JSON, NULL};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;
	int r;

	strbuf_addf(&out, "{\"LayersSize\":%lld,", (long long)d->image_bytes);
	r = add_list(&out, "Images", d->images, &e);
	strbuf_addch(&out, ',');
	if (r >= 0)
		r = add_list(&out, "Containers", d->containers, &e);
	strbuf_addch(&out, ',');
	if (r >= 0)
		r = add_list(&out, "Volumes", d->volumes, &e);
	strbuf_addstr(&out, ",\"BuildCache\":null,\"BuilderSize\":0}\n");
	if (r >= 0)
		r = strbuf_check(&out, &e);
	if (r < 0)
		call_reply_err(k, &e);
	else
		http_reply(k->conn, &reply, strbuf_str(&out), out.len);
}

void call_disk_usage(struct call *k)
{
	_strv_ struct strv types = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct disk d = {0};

	if (http_query_list(k->conn->head.query, "type", &types, &f.err) < 0 ||
	    read_disk(k, &types, &d, &f) < 0)
		call_reply_fault(k, &f);
	else
		reply_disk(k, &d);
	docker_value_free(d.images);
	docker_value_free(d.containers);
	docker_value_free(d.volumes);
}
