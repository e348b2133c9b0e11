/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/image_archive.h"

#include <stdlib.h>

#include "image/table/image_name.h"
#include "image/oci/layout.h"
#include "image/oci/image.h"
#include "image/oci/platform.h"
#include "image/source/source.h"
#include "image/oci/source_uri.h"
#include "image/source/sniff.h"
#include "image/source/tar.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static bool serves(const struct oci_descriptor *d, const struct image_wish *wish)
{
	return layout_is_image(d) && platform_rank(wish->platform, d->os, d->arch, d->variant) >= 0;
}

static int list(struct image_archive *a, const struct image_wish *wish, struct err *e)
{
	int r = docker_archive_images(&a->files, &a->docker, e);
	size_t total;

	if (r < 0 && r != -ENOENT)
		return r;
	if (!a->docker.n && fileset_has(&a->files, "index.json")) {
		r = layout_read_index(&a->files, &a->index, e);
		if (r < 0)
			return r;
	}
	total = a->docker.n ? a->docker.n : a->index.n;
	a->places = calloc(total + 1, sizeof(*a->places));
	if (!a->places)
		return err_oom(e);
	for (size_t i = 0; i < total; i++) {
		if (a->docker.n || serves(&a->index.entries[i], wish))
			a->places[a->n++] = i;
	}
	if (!a->n)
		return err_set(e, ENOENT,
			       "invalid archive: does not contain a manifest.json (docker import "
			       "makes an image of a root file system)");
	return 0;
}

int image_archive_open(struct image_archive *a, int fd, int tmp_dirfd,
		       const struct image_wish *wish, struct err *e)
{
	int r;

	*a = (struct image_archive){.fd = -1, .files = {.fd = -1}};
	r = sniff_refuse(fd, e);
	if (r >= 0)
		r = a->fd = tar_plain_file(fd, tmp_dirfd, e);
	if (r >= 0)
		r = fileset_open_archive(&a->files, a->fd, e);
	if (r >= 0)
		r = list(a, wish, e);
	if (r < 0)
		image_archive_close(a);
	return r;
}

void image_archive_close(struct image_archive *a)
{
	fileset_close(&a->files);
	docker_images_free(&a->docker);
	oci_document_free(&a->index);
	free(a->places);
	fd_close(&a->fd);
}

static int add_name(const char *text, struct strv *ret, struct err *e)
{
	_image_name_ struct image_name name = {0};
	int r = image_name_parse(text, &name, e);

	if (r < 0)
		return r;
	ptr_free(&name.digest);
	strv_take(ret, image_name_canonical(&name));
	return strv_check(ret, e);
}

/*
 * A layout's ref.name is a whole name for some tools and a tag alone for others, which names none.
 */
static int add_index_names(const struct oci_descriptor *d, struct strv *ret, struct err *e)
{
	if (d->image_name)
		return add_name(d->image_name, ret, e);
	if (d->ref_name && strpbrk(d->ref_name, ":/"))
		return add_name(d->ref_name, ret, e);
	return 0;
}

int image_archive_names(const struct image_archive *a, size_t i, struct strv *ret, struct err *e)
{
	size_t place = a->places[i];
	const struct strv *tags;
	int r = 0;

	if (!a->docker.n)
		return add_index_names(&a->index.entries[place], ret, e);
	tags = &a->docker.items[place].repo_tags;
	for (size_t k = 0; r >= 0 && k < tags->n; k++)
		r = add_name(tags->items[k], ret, e);
	return r;
}

int image_archive_source(const struct image_archive *a, size_t i, const struct image_wish *wish,
			 struct image_source *ret, struct err *e)
{
	const struct source_uri u = {.select = SELECT_PLACE, .place = a->places[i]};
	int r;

	*ret = (struct image_source){.ref = strdup("docker load"), .name = strdup("image")};
	if (!ret->ref || !ret->name)
		r = err_oom(e);
	else if (a->docker.n)
		r = docker_archive_load(&a->files, &u, wish, ret, e);
	else
		r = layout_load(&a->files, &u, wish, ret, e);
	if (r < 0)
		source_close(ret);
	return r;
}
