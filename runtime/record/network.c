/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/network.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/io.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"

#define NETWORK_MAGIC 0x3154454eu /* "NET1" */
#define NETWORK_VERSION 1u
#define NETWORK_BYTES_MAX (1u << 20)
#define LOCK_FILE ".members"

enum tag {
	TAG_ID = 1,     /* str */
	TAG_CREATED,    /* u64 */
	TAG_DRIVER,     /* str */
	TAG_ATTACHABLE, /* u64 */
	TAG_IPV6,       /* u64 */
	TAG_LABEL,      /* str, repeated */
	TAG_OPTION,     /* str, repeated */
	TAG_SUBNET,     /* str, repeated */
};

static int open_networks(const struct paths *p, struct err *e)
{
	return paths_open(p->data, "networks", e);
}

void network_record_free(struct network_record *r)
{
	free(r->name);
	free(r->driver);
	strv_free(&r->labels);
	strv_free(&r->options);
	strv_free(&r->subnets);
	*r = (struct network_record){0};
}

int network_lock(const struct paths *p, struct err *e)
{
	_close_ int dirfd = open_networks(p, e);
	int fd = dirfd < 0 ? dirfd : file_lock_open(dirfd, LOCK_FILE, true);

	return dirfd < 0 ? dirfd : fd < 0 ? err_code(e, fd, "lock %s/networks", p->data) : fd;
}

/* --- create ------------------------------------------------------------------------------- */

static int make_id(char ret[NETWORK_ID_DIGITS + 1], struct err *e)
{
	char begin[NAME_ID_DIGITS + 1];
	int r = name_new_id(begin, e);

	return r < 0 ? r : name_new_container_id(begin, ret, e);
}

static int encode(const struct network_record *r, struct flat_writer *w, struct err *e)
{
	flat_begin(w, NETWORK_MAGIC, NETWORK_VERSION);
	flat_str(w, TAG_ID, r->id);
	flat_u64(w, TAG_CREATED, r->created_ns);
	flat_str(w, TAG_DRIVER, r->driver);
	flat_u64(w, TAG_ATTACHABLE, r->attachable);
	flat_u64(w, TAG_IPV6, r->ipv6);
	flat_strv(w, TAG_LABEL, &r->labels);
	flat_strv(w, TAG_OPTION, &r->options);
	flat_strv(w, TAG_SUBNET, &r->subnets);
	if (flat_end(w, e) < 0)
		return -e->code;
	return w->buf.len <= NETWORK_BYTES_MAX
		       ? 0
		       : err_set(e, E2BIG,
				 "network %s: labels and options are longer than %u bytes", r->name,
				 NETWORK_BYTES_MAX);
}

int network_create(const struct paths *p, struct network_record *r, struct err *e)
{
	_close_ int dirfd = -1;
	struct flat_writer w = {0};
	struct err why = ERR_INIT;
	struct timespec now;
	int got;

	if (!name_is_valid(r->name))
		return err_set(e, EINVAL, "'%s' is no name of a network: a-z A-Z 0-9 _ . + -",
			       r->name);
	dirfd = open_networks(p, &why);
	got = dirfd < 0 ? dirfd : make_id(r->id, &why);
	clock_gettime(CLOCK_REALTIME, &now);
	r->created_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (got >= 0)
		got = encode(r, &w, &why);
	if (got >= 0) {
		const struct io_replace where = {.dirfd = dirfd, .name = r->name, .mode = 0600};

		got = io_write_file_at(&where, w.buf.data, w.buf.len, &why);
	}
	flat_free(&w);
	if (got < 0 && e)
		*e = why;
	return got == -EEXIST ? err_set(e, EEXIST, "network with name %s already exists", r->name)
			      : got;
}

/* --- read --------------------------------------------------------------------------------- */

static int no_such(const char *name, struct err *e)
{
	return err_set(e, ENOENT, "network %s not found", name);
}

static int get_text(const struct flat_field *f, char **ret, struct err *e)
{
	const char *text;
	int r = flat_get_str(f, &text, e);

	if (r < 0)
		return r;
	free(*ret);
	*ret = strdup(text);
	return *ret ? 0 : err_oom(e);
}

static int get_id(const struct flat_field *f, struct network_record *ret, struct err *e)
{
	const char *text;
	int r = flat_get_str(f, &text, e);

	if (r < 0)
		return r;
	if (!name_is_container_id(text))
		return err_set(e, EBADMSG, "an id that is none");
	memcpy(ret->id, text, sizeof(ret->id));
	return 0;
}

static int get_flag(const struct flat_field *f, bool *ret, struct err *e)
{
	uint64_t v = 0;
	int r = flat_get_u64(f, &v, e);

	*ret = v != 0;
	return r;
}

static int add_text(const struct flat_field *f, struct strv *ret, struct err *e)
{
	const char *text;
	int r = flat_get_str(f, &text, e);

	if (r >= 0)
		strv_add(ret, text);
	return r;
}

static int take_field(const struct flat_field *f, struct network_record *ret, struct err *e)
{
	switch (f->tag) {
	case TAG_ID:
		return get_id(f, ret, e);
	case TAG_CREATED:
		return flat_get_u64(f, &ret->created_ns, e);
	case TAG_DRIVER:
		return get_text(f, &ret->driver, e);
	case TAG_ATTACHABLE:
		return get_flag(f, &ret->attachable, e);
	case TAG_IPV6:
		return get_flag(f, &ret->ipv6, e);
	case TAG_LABEL:
		return add_text(f, &ret->labels, e);
	case TAG_OPTION:
		return add_text(f, &ret->options, e);
	case TAG_SUBNET:
		return add_text(f, &ret->subnets, e);
	default:
		return 0;
	}
}

static int decode(const struct strbuf *text, struct network_record *ret, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r = flat_open(&reader, text->data, text->len, NETWORK_MAGIC, NETWORK_VERSION, e);

	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = take_field(&f, ret, e);
	if (r >= 0 && (!*ret->id || !ret->driver))
		r = err_set(e, EBADMSG, "a record without an id or a driver");
	return r;
}

static int read_at(int dirfd, const char *name, struct network_record *ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = io_read_file_at(dirfd, name, NETWORK_BYTES_MAX, &text, e);

	*ret = (struct network_record){0};
	if (r == -ENOENT)
		return no_such(name, e);
	ret->name = strdup(name);
	if (r >= 0)
		r = ret->name ? decode(&text, ret, e) : err_oom(e);
	if (r < 0)
		network_record_free(ret);
	return r < 0 ? err_wrap(e, "network %s", name) : 0;
}

int network_read(const struct paths *p, const char *name, struct network_record *ret, struct err *e)
{
	_close_ int dirfd = -1;

	*ret = (struct network_record){0};
	if (!name_is_valid(name))
		return no_such(name, e);
	dirfd = open_networks(p, e);
	return dirfd < 0 ? dirfd : read_at(dirfd, name, ret, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int network_list(const struct paths *p, struct strv *ret, struct err *e)
{
	_close_ int list = open_networks(p, e);
	const struct dirent *ent;
	DIR *d;

	if (list < 0)
		return list;
	d = fdopendir(list);
	if (!d)
		return err_sys(e, "list %s/networks", p->data);
	(void)take_fd(&list);
	while ((ent = readdir(d))) {
		if (name_is_valid(ent->d_name))
			strv_add(ret, ent->d_name);
	}
	closedir(d);
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	return strv_check(ret, e);
}

/* Finds the one network whose id begins so. */
static int find_by_id(const struct paths *p, const char *operand, struct network_record *ret,
		      struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	int r = network_list(p, &names, e);

	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		struct network_record one;

		/* One that cannot be read shall not hide the others. */
		if (network_read(p, names.items[i], &one, NULL) < 0)
			continue;
		if (!str_has_prefix(one.id, operand)) {
			network_record_free(&one);
			continue;
		}
		if (ret->name) {
			network_record_free(&one);
			network_record_free(ret);
			return err_set(e, ENOTUNIQ, "network %s is ambiguous: several ids begin so",
				       operand);
		}
		*ret = one;
	}
	if (r < 0)
		return r;
	return ret->name ? 0 : no_such(operand, e);
}

int network_find(const struct paths *p, const char *operand, struct network_record *ret,
		 struct err *e)
{
	int r = network_read(p, operand, ret, e);

	if (r != -ENOENT)
		return r;
	return *operand && strspn(operand, "0123456789abcdef") == strlen(operand)
		       ? find_by_id(p, operand, ret, e)
		       : r;
}

int network_remove(const struct paths *p, const char *name, struct err *e)
{
	_close_ int dirfd = -1;

	if (!name_is_valid(name))
		return no_such(name, e);
	dirfd = open_networks(p, e);
	if (dirfd < 0)
		return dirfd;
	if (unlinkat(dirfd, name, 0) == 0)
		return 0;
	return errno == ENOENT ? no_such(name, e) : err_sys(e, "remove network %s", name);
}
