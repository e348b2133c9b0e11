/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/enroot/start/stock.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

/*
 * passwd and group are lists of lines whose first fields are name, password and id. Ours come
 * first; of the image's, those follow that share neither name nor id with one of ours. The result
 * depends on the image alone, so it never grows.
 */

struct entry {
	const char *name;
	unsigned id;
};

/* The third field as a number, -1 when the line has none (getpwent(3) passes over it as well). */
static int64_t id_of(const char *line, size_t len)
{
	char text[16];
	uint64_t id;

	if (memchr(line, 0, len))
		return -1;
	for (int field = 0; field < 2; field++) {
		const char *colon = memchr(line, ':', len);

		if (!colon)
			return -1;
		len -= (size_t)(colon + 1 - line);
		line = colon + 1;
	}
	for (size_t n = 0; n < len && n < sizeof(text); n++) {
		text[n] = line[n];
		if (line[n] == ':') {
			text[n] = 0;
			return num_parse_u64(text, UINT32_MAX, &id) < 0 ? -1 : (int64_t)id;
		}
	}
	return -1;
}

static bool is_taken(const char *line, size_t len, const struct entry *ours, size_t n)
{
	int64_t id = id_of(line, len);

	for (size_t i = 0; i < n; i++) {
		size_t name = strlen(ours[i].name);

		if (id == ours[i].id ||
		    (len > name && line[name] == ':' && !memcmp(line, ours[i].name, name)))
			return true;
	}
	return id < 0;
}

static void add_image(const char *text, size_t len, const struct entry *ours, size_t n,
		      struct strbuf *out)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		if (line && !is_taken(text, line, ours, n)) {
			strbuf_add(out, text, line);
			strbuf_addch(out, '\n');
		}
		line += end != NULL;
		text += line;
		len -= line;
	}
}

#define NOBODY 65534u

static bool has_id(const char *text, size_t len, unsigned id, const struct entry *ours, size_t n)
{
	while (text && len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		if (id_of(text, line) == id && !is_taken(text, line, ours, n))
			return true;
		line += end != NULL;
		text += line;
		len -= line;
	}
	return false;
}

/* The image's file, and what comes before it. */
struct table {
	const char *image;
	size_t len;
	struct entry ours[3]; /* the caller first, unless he is root */
	size_t n;
};

/*
 * root and nobody are the image's own where it has them: their home and shell are its business.
 * True where it has not, in a line that stays: one that has neither the caller's name nor the
 * name of the other.
 */
static bool lacks(struct table *t, const char *name, unsigned id, const char *other,
		  unsigned other_id)
{
	struct entry reserved[2] = {{other, other_id}};
	size_t n = 1;

	if (t->n)
		reserved[n++] = t->ours[0];
	if (t->n && t->ours[0].id == id)
		return false;
	if (has_id(t->image, t->len, id, reserved, n))
		return false;
	t->ours[t->n++] = (struct entry){name, id};
	return true;
}

void stock_passwd(const struct stock_user *u, const char *image, size_t len, struct strbuf *out)
{
	struct table t = {.image = image, .len = len};

	if (u->uid) {
		t.ours[t.n++] = (struct entry){u->name, u->uid};
		strbuf_addf(out, "%s:x:%u:%u::%s:/bin/sh\n", u->name, u->uid, u->gid, u->home);
	}
	if (lacks(&t, "root", 0, "nobody", NOBODY))
		strbuf_addstr(out, "root:x:0:0:root:/root:/bin/sh\n");
	if (lacks(&t, "nobody", NOBODY, "root", 0))
		strbuf_addf(out, "nobody:x:%u:%u:nobody:/:/usr/sbin/nologin\n", NOBODY, NOBODY);
	if (image)
		add_image(image, len, t.ours, t.n, out);
}

void stock_group(const struct stock_user *u, const char *image, size_t len, struct strbuf *out)
{
	struct table t = {.image = image, .len = len};

	if (u->gid) {
		t.ours[t.n++] = (struct entry){u->name, u->gid};
		strbuf_addf(out, "%s:x:%u:\n", u->name, u->gid);
	}
	if (lacks(&t, "root", 0, "nogroup", NOBODY))
		strbuf_addstr(out, "root:x:0:\n");
	if (lacks(&t, "nogroup", NOBODY, "root", 0))
		strbuf_addf(out, "nogroup:x:%u:\n", NOBODY);
	if (image)
		add_image(image, len, t.ours, t.n, out);
}
