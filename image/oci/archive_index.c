/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/archive_index.h"

#include <stdlib.h>
#include <string.h>

#include "image/oci/archive_header.h"
#include "image/layer/layer.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* Long names and PAX records: those that tools write are below a few KiB. */
#define EXTENSION_MAX (1u << 20)

/* The values of extension headers for the member to come. */
struct pending {
	char *name, *link;
	uint64_t size_bytes;
	bool has_size, sparse;
};

struct scan {
	const struct archive_input *in;
	struct archive_index *index;
	struct pending pending;
	uint64_t offset; /* of the next header */
	struct err *e;
};

static void pending_release(struct pending *p)
{
	free(p->name);
	free(p->link);
	*p = (struct pending){0};
}

static int damaged(struct scan *s, const char *what)
{
	return err_set(s->e, EBADMSG, "tar: %s at byte %llu", what, (unsigned long long)s->offset);
}

/* Moves over len bytes of data and their padding. */
static int skip_data(struct scan *s, uint64_t len)
{
	uint64_t padded;

	if (__builtin_add_overflow(len, ARCHIVE_BLOCK - 1, &padded) ||
	    len > s->in->size_bytes - s->offset)
		return damaged(s, "truncated");
	padded -= padded % ARCHIVE_BLOCK;
	/* The last member's padding may be cut: some tools do. */
	s->offset = padded > s->in->size_bytes - s->offset ? s->in->size_bytes : s->offset + padded;
	return 0;
}

/* The data of an extension header as a string; NUL bytes at its end do not count. */
static int read_extension(struct scan *s, uint64_t len, struct strbuf *out)
{
	_free_ char *buf = NULL;
	ssize_t n;

	if (!len || len > EXTENSION_MAX)
		return damaged(s, "extension header of unreasonable size");
	buf = malloc(len);
	if (!buf)
		return err_oom(s->e);
	n = s->in->read(s->in->arg, buf, len, s->offset, s->e);
	if (n < 0)
		return (int)n;
	if ((uint64_t)n != len)
		return damaged(s, "truncated");
	strbuf_add(out, buf, len);
	return strbuf_check(out, s->e);
}

static int take_string(struct scan *s, char **slot, const char *text, size_t len)
{
	free(*slot);
	*slot = memchr(text, 0, len) ? NULL : strndup(text, len);
	return *slot ? 0 : damaged(s, "bad name in an extension header");
}

/* One PAX record: keys that concern us. */
static int apply_record(struct scan *s, const char *key, size_t key_len, const char *val,
			size_t len)
{
	struct pending *p = &s->pending;

	if (key_len == 4 && !memcmp(key, "path", 4))
		return take_string(s, &p->name, val, len);
	if (key_len == 8 && !memcmp(key, "linkpath", 8))
		return take_string(s, &p->link, val, len);
	if (key_len == 4 && !memcmp(key, "size", 4)) {
		p->has_size = true;
		return archive_header_decimal(val, len, &p->size_bytes) < 0
			       ? damaged(s, "bad PAX size")
			       : 0;
	}
	if (key_len > 11 && !memcmp(key, "GNU.sparse.", 11))
		p->sparse = true;
	return 0;
}

/* "LENGTH KEY=VALUE\n", the length counting all of it. */
static int apply_pax(struct scan *s, const char *p, size_t left)
{
	while (left) {
		const char *space = memchr(p, ' ', left < 20 ? left : 20), *equals;
		uint64_t len;
		size_t head;
		int r;

		if (!space || archive_header_decimal(p, (size_t)(space - p), &len) < 0)
			return damaged(s, "bad PAX record");
		head = (size_t)(space + 1 - p);
		if (len > left || len < head + 2 || p[len - 1] != '\n')
			return damaged(s, "bad PAX record");
		equals = memchr(space + 1, '=', len - head);
		if (!equals)
			return damaged(s, "bad PAX record");
		r = apply_record(s, space + 1, (size_t)(equals - space - 1), equals + 1,
				 (size_t)(p + len - 1 - (equals + 1)));
		if (r < 0)
			return r;
		p += len;
		left -= len;
	}
	return 0;
}

static int apply_extension(struct scan *s, const struct archive_header *h)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = read_extension(s, h->size_bytes, &text);

	if (r < 0)
		return r;
	if (h->kind == HEADER_PAX)
		r = apply_pax(s, text.data, text.len);
	else
		r = take_string(s,
				h->kind == HEADER_LONG_NAME ? &s->pending.name : &s->pending.link,
				text.data, strnlen(text.data, text.len));
	return r < 0 ? r : skip_data(s, h->size_bytes);
}

static int append(struct scan *s, const char *name, const struct archive_header *h, uint64_t size)
{
	struct archive_index *i = s->index;
	struct archive_member *m;

	if (i->n == ARCHIVE_MEMBERS_MAX)
		return err_set(s->e, E2BIG, "tar: more than %d members", ARCHIVE_MEMBERS_MAX);
	if (i->n == i->cap) {
		size_t cap = i->cap ? i->cap * 2 : 64;

		m = reallocarray(i->members, cap, sizeof(*m));
		if (!m)
			return err_oom(s->e);
		i->members = m;
		i->cap = cap;
	}
	m = &i->members[i->n++];
	*m = (struct archive_member){.type = s->pending.sparse ? MEMBER_OTHER : h->type,
				     .offset = s->offset,
				     .size_bytes = size};
	m->name = strdup(name);
	if (h->type == MEMBER_SYMLINK || h->type == MEMBER_HARDLINK)
		m->link = strdup(s->pending.link ? s->pending.link : h->link);
	if (!m->name || ((h->type == MEMBER_SYMLINK || h->type == MEMBER_HARDLINK) && !m->link))
		return err_oom(s->e);
	return 0;
}

/* A header that stands for a member, with what extensions said about it. */
static int add_member(struct scan *s, const struct archive_header *h)
{
	_strbuf_ struct strbuf name = STRBUF_INIT;
	uint64_t size = s->pending.has_size ? s->pending.size_bytes : h->size_bytes;
	int r = 0;

	if (h->type != MEMBER_FILE && h->type != MEMBER_OTHER)
		size = 0; /* links and directories have no data, whatever the field says */
	if (size > s->in->size_bytes - s->offset)
		return damaged(s, "truncated");
	if (!layer_clean_path(s->pending.name ? s->pending.name : h->name, &name, NULL) && name.len)
		r = append(s, name.data, h, size);
	pending_release(&s->pending);
	return r < 0 ? r : skip_data(s, size);
}

/* The map of an old GNU sparse file may go on in blocks of its own. */
static int skip_sparse_blocks(struct scan *s)
{
	unsigned char block[ARCHIVE_BLOCK];

	do {
		ssize_t n = s->in->read(s->in->arg, block, sizeof(block), s->offset, s->e);

		if (n < 0)
			return (int)n;
		if (n < (ssize_t)sizeof(block))
			return damaged(s, "truncated");
		s->offset += sizeof(block);
	} while (block[504]);
	return 0;
}

/* 1: go on; 0: the end of the archive. */
static int scan_header(struct scan *s)
{
	unsigned char block[ARCHIVE_BLOCK];
	struct archive_header h;
	ssize_t n = s->in->read(s->in->arg, block, sizeof(block), s->offset, s->e);
	int r;

	if (n < 0)
		return (int)n;
	if (!n)
		return 0;
	if (n < (ssize_t)sizeof(block))
		return damaged(s, "truncated");
	r = archive_header_parse(block, &h);
	if (!r)
		return 0;
	if (r < 0)
		return damaged(s, "not a tar header");
	s->offset += sizeof(block);
	if (h.kind == HEADER_GLOBAL)
		r = skip_data(s, h.size_bytes);
	else if (h.kind != HEADER_MEMBER)
		r = apply_extension(s, &h);
	else if (h.sparse_continues)
		r = skip_sparse_blocks(s);
	if (r >= 0 && h.kind == HEADER_MEMBER)
		r = add_member(s, &h);
	return r < 0 ? r : 1;
}

static int compare_members(const void *a, const void *b)
{
	return strcmp(((const struct archive_member *)a)->name,
		      ((const struct archive_member *)b)->name);
}

static void mark_twice(struct archive_index *i)
{
	for (size_t k = 1; k < i->n; k++) {
		struct archive_member *a = &i->members[k - 1], *b = &i->members[k];

		if (str_eq(a->name, b->name) &&
		    (a->type != MEMBER_DIRECTORY || b->type != MEMBER_DIRECTORY || a->twice))
			a->twice = b->twice = true;
	}
}

int archive_index_scan(const struct archive_input *in, struct archive_index *ret, struct err *e)
{
	_archive_index_ struct archive_index index = {0};
	struct scan s = {.in = in, .index = &index, .e = e};
	int r;

	do {
		r = scan_header(&s);
	} while (r > 0);
	pending_release(&s.pending);
	if (r < 0)
		return r;
	if (index.n)
		qsort(index.members, index.n, sizeof(*index.members), compare_members);
	mark_twice(&index);
	*ret = index;
	index = (struct archive_index){0};
	return 0;
}

void archive_index_free(struct archive_index *i)
{
	for (size_t k = 0; k < i->n; k++) {
		free(i->members[k].name);
		free(i->members[k].link);
	}
	free(i->members);
	*i = (struct archive_index){0};
}

const struct archive_member *archive_index_get(const struct archive_index *i, const char *name)
{
	struct archive_member key = {.name = (char *)name};

	if (!i->n)
		return NULL;
	return bsearch(&key, i->members, i->n, sizeof(*i->members), compare_members);
}

/* The target of a symlink at `name`, inside the archive: "a/b" and "../c/d" give "c/d". */
static int resolve_symlink(const char *name, const char *link, struct strbuf *out)
{
	const char *slash = strrchr(name, '/');

	strbuf_reset(out);
	if (*link == '/')
		return -EBADMSG;
	if (slash)
		strbuf_add(out, name, (size_t)(slash - name));
	while (*link) {
		size_t n = strcspn(link, "/");

		if (n == 2 && !memcmp(link, "..", 2)) {
			const char *up = out->len ? strrchr(out->data, '/') : NULL;

			if (!out->len)
				return -EBADMSG;
			out->len = up ? (size_t)(up - out->data) : 0;
			out->data[out->len] = 0;
		} else if (n && !(n == 1 && *link == '.')) {
			strbuf_addstr(out, out->len ? "/" : "");
			strbuf_add(out, link, n);
		}
		link += n + (link[n] == '/');
	}
	return out->failed || !out->len || out->len > LAYER_PATH_MAX ? -EBADMSG : 0;
}

/* The name the link member m leads to, into out. */
static int follow(const struct archive_member *m, struct strbuf *out)
{
	if (m->type == MEMBER_SYMLINK)
		return resolve_symlink(m->name, m->link, out);
	strbuf_reset(out);
	return layer_clean_path(m->link, out, NULL);
}

int archive_index_find(const struct archive_index *i, const char *name,
		       const struct archive_member **ret, struct err *e)
{
	_strbuf_ struct strbuf at = STRBUF_INIT, next = STRBUF_INIT;
	const struct archive_member *m;
	int r = layer_clean_path(name, &at, e);

	if (r < 0)
		return r;
	for (int links = 0;; links++) {
		m = archive_index_get(i, strbuf_str(&at));
		if (!m)
			return err_set(e, ENOENT, "%.200s: not in the archive", strbuf_str(&at));
		if (m->twice)
			return err_set(e, EBADMSG, "%.200s: twice in the archive", m->name);
		if (m->type == MEMBER_FILE)
			break;
		if (m->type != MEMBER_SYMLINK && m->type != MEMBER_HARDLINK)
			return err_set(e, EBADMSG, "%.200s: not a regular file", m->name);
		if (links == ARCHIVE_LINKS_MAX)
			return err_set(e, ELOOP, "%.200s: too many links", name);
		if (follow(m, &next) < 0)
			return err_set(e, EBADMSG, "%.200s: link leaves the archive", m->name);
		strbuf_reset(&at);
		strbuf_addstr(&at, strbuf_str(&next));
		if (at.failed)
			return err_oom(e);
	}
	*ret = m;
	return 0;
}
