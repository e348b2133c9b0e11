/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/endpoints.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/io.h"
#include "runtime/spec/name.h"

#define ENDPOINTS_MAGIC 0x31504e45u /* "ENP1" */
#define ENDPOINTS_VERSION 1u
#define ENDPOINTS_BYTES_MAX (1u << 20)

enum tag {
	TAG_CONTAINER = 1, /* str */
	TAG_HOSTNAME,      /* str */
	TAG_NETWORK,       /* str, begins an endpoint */
	TAG_NETWORK_ID,    /* str */
	TAG_ALIAS,         /* str, repeated */
	TAG_LINK,          /* str, repeated */
};

static void free_one(struct endpoint *x)
{
	free(x->network);
	free(x->network_id);
	strv_free(&x->aliases);
	strv_free(&x->links);
}

void endpoints_free(struct endpoints *x)
{
	for (size_t i = 0; i < x->n; i++)
		free_one(&x->items[i]);
	free(x->items);
	free(x->container_id);
	free(x->hostname);
	*x = (struct endpoints){0};
}

struct endpoint *endpoints_get(const struct endpoints *x, const char *network)
{
	for (size_t i = 0; i < x->n; i++) {
		if (str_eq(x->items[i].network, network))
			return &x->items[i];
	}
	return NULL;
}

struct endpoint *endpoints_add(struct endpoints *x, const char *network, const char *network_id)
{
	struct endpoint one = {.network = strdup(network), .network_id = strdup(network_id)};

	if (one.network && one.network_id && x->n == x->cap) {
		size_t cap = x->cap ? x->cap * 2 : 4;
		struct endpoint *items = reallocarray(x->items, cap, sizeof(*items));

		if (items) {
			x->items = items;
			x->cap = cap;
		}
	}
	if (!one.network || !one.network_id || x->n == x->cap) {
		free_one(&one);
		return NULL;
	}
	x->items[x->n] = one;
	return &x->items[x->n++];
}

void endpoints_drop(struct endpoints *x, const char *network)
{
	struct endpoint *one = endpoints_get(x, network);

	if (!one)
		return;
	free_one(one);
	memmove(one, one + 1, (size_t)(x->items + x->n - one - 1) * sizeof(*one));
	x->n--;
}

/* --- on disk ------------------------------------------------------------------------------ */

static int file_name(const char *name, char ret[NAME_BYTES_MAX + 16], struct err *e)
{
	int n = snprintf(ret, NAME_BYTES_MAX + 16, "%s/endpoints", name);

	return n < NAME_BYTES_MAX + 16 ? 0 : err_set(e, ENAMETOOLONG, "%s", name);
}

int endpoints_write(int containers_fd, const char *name, const struct endpoints *x, struct err *e)
{
	char file[NAME_BYTES_MAX + 16];
	struct flat_writer w = {0};
	int r = file_name(name, file, e);

	if (r < 0)
		return r;
	flat_begin(&w, ENDPOINTS_MAGIC, ENDPOINTS_VERSION);
	flat_str(&w, TAG_CONTAINER, x->container_id);
	flat_str(&w, TAG_HOSTNAME, x->hostname);
	for (size_t i = 0; i < x->n; i++) {
		flat_str(&w, TAG_NETWORK, x->items[i].network);
		flat_str(&w, TAG_NETWORK_ID, x->items[i].network_id);
		flat_strv(&w, TAG_ALIAS, &x->items[i].aliases);
		flat_strv(&w, TAG_LINK, &x->items[i].links);
	}
	r = flat_end(&w, e);
	if (r >= 0 && w.buf.len > ENDPOINTS_BYTES_MAX)
		r = err_set(e, E2BIG, "container %s: aliases are longer than %u bytes", name,
			    ENDPOINTS_BYTES_MAX);
	if (r >= 0) {
		const struct io_replace where = {
			.dirfd = containers_fd, .name = file, .mode = 0600, .replace = true};

		r = io_write_file_at(&where, w.buf.data, w.buf.len, e);
	}
	flat_free(&w);
	return r;
}

static int set_text(char **at, const char *text, struct err *e)
{
	free(*at);
	*at = strdup(text);
	return *at ? 0 : err_oom(e);
}

static int take_field(const struct flat_field *f, struct endpoints *x, struct err *e)
{
	struct endpoint *last = x->n ? &x->items[x->n - 1] : NULL;
	const char *text;
	int r = flat_get_str(f, &text, e);

	if (r < 0)
		return r;
	switch (f->tag) {
	case TAG_CONTAINER:
		return set_text(&x->container_id, text, e);
	case TAG_HOSTNAME:
		return set_text(&x->hostname, text, e);
	case TAG_NETWORK:
		return endpoints_add(x, text, "") ? 0 : err_oom(e);
	}
	if (!last)
		return err_set(e, EBADMSG, "a field before its network");
	switch (f->tag) {
	case TAG_NETWORK_ID:
		return set_text(&last->network_id, text, e);
	case TAG_ALIAS:
		strv_add(&last->aliases, text);
		return strv_check(&last->aliases, e);
	case TAG_LINK:
		strv_add(&last->links, text);
		return strv_check(&last->links, e);
	default:
		return 0;
	}
}

int endpoints_read(int containers_fd, const char *name, struct endpoints *ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	char file[NAME_BYTES_MAX + 16];
	struct flat_reader reader;
	struct flat_field f;
	int r = file_name(name, file, e);

	*ret = (struct endpoints){0};
	if (r >= 0)
		r = io_read_file_at(containers_fd, file, ENDPOINTS_BYTES_MAX, &text, e);
	if (r == -ENOENT)
		return 0;
	if (r >= 0)
		r = flat_open(&reader, text.data, text.len, ENDPOINTS_MAGIC, ENDPOINTS_VERSION, e);
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = take_field(&f, ret, e);
	if (r >= 0)
		return 1;
	endpoints_free(ret);
	return err_wrap(e, "networks of container %s", name);
}

int endpoints_each(int containers_fd,
		   int (*fn)(void *arg, const char *name, const struct endpoints *x), void *arg,
		   struct err *e)
{
	_close_ int list = openat(containers_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *ent;
	DIR *d = list < 0 ? NULL : fdopendir(list);
	int r = 0;

	if (!d)
		return err_sys(e, "list containers");
	(void)take_fd(&list);
	while (r == 0 && (ent = readdir(d))) {
		_endpoints_ struct endpoints x = {0};

		/* One that cannot be read shall not hide the others. */
		if (name_is_valid(ent->d_name) &&
		    endpoints_read(containers_fd, ent->d_name, &x, NULL) > 0)
			r = fn(arg, ent->d_name, &x);
	}
	closedir(d);
	return r;
}
