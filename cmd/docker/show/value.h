/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VALUE_H
#define CSBX_CMD_DOCKER_VALUE_H

/*
 * The room cmd/docker/show. How docker shows things.
 *
 * In: trees of values, templates. Out: tables, JSON, text.
 *
 *	value.h			a tree with what Go's types add
 *	template.h, template_*.c: Go's templates over it
 *	format.h, inspect_out.h	lists and objects
 *	listed.h, ps_filter.h	containers that a list shows
 *	human.h, log_time.h	spans, sizes, times
 *
 * Must: be pure but for listed.c.
 * Mustn't: ask what a container is for.
 */

/*
 * The output of a showing verb, as a tree: printed as JSON, or read by a template (template.h).
 *
 * The tree keeps what Go's types add to JSON, because templates can tell: a struct's members have
 * an order, a map's are sorted when printed; an empty list of a struct is null in JSON but "[]" in
 * a template; a member may have another name in Go (ID) than in JSON (Id), or no place in JSON.
 *
 * Builders take the parent and the key (NULL in a list) and return what they added; a NULL parent
 * adds nothing, and running out of memory sticks to the root: value_check() asks once, at the end.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;
struct json_out;

enum value_kind {
	VALUE_NIL,    /* a pointer to nothing: "<nil>" */
	VALUE_NOLIST, /* a list that is null in JSON */
	VALUE_NOMAP,  /* a map that is */
	VALUE_BOOL,
	VALUE_INT,
	VALUE_STR,
	VALUE_LIST,
	VALUE_MAP,
	VALUE_STRUCT,
};

#define VALUE_GO_ONLY 1u   /* a field that JSON leaves out while it is empty */
#define VALUE_JSON_ONLY 2u /* written as JSON, but no field of the struct */

struct value {
	enum value_kind kind;
	unsigned flags;
	bool failed;      /* in a root: out of memory */
	char *key;        /* in JSON */
	const char *go;   /* in Go, where it differs; static */
	const char *type; /* of a struct, for messages; static */
	char *text;       /* VALUE_STR */
	int64_t number;   /* VALUE_INT, VALUE_BOOL */
	size_t count;
	struct value *up, *first, *last, *next;
};

struct value *value_new(enum value_kind kind); /* a root; NULL without memory */
void value_free(struct value *root);
static inline void value_freep(struct value **root)
{
	value_free(*root);
}
#define _value_ __attribute__((cleanup(value_freep)))

struct value *value_add(struct value *parent, const char *key, enum value_kind kind);
struct value *value_str(struct value *parent, const char *key, const char *s); /* NULL is "" */
struct value *value_strn(struct value *parent, const char *key, const char *s, size_t len);
struct value *value_strf(struct value *parent, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
struct value *value_int(struct value *parent, const char *key, int64_t v);
struct value *value_bool(struct value *parent, const char *key, bool v);
/* A list of strings; an empty one is `empty` (VALUE_LIST or VALUE_NOLIST). */
struct value *value_strv(struct value *parent, const char *key, const struct strv *v,
			 enum value_kind empty);
/* Text of RFC 3339 with nanoseconds as Go writes it; 0 is "0001-01-01T00:00:00Z". */
struct value *value_time(struct value *parent, const char *key, uint64_t realtime_ns);
/* Marks what was just added. */
struct value *value_in_go(struct value *v, const char *go);

int value_check(const struct value *root, struct err *e); /* 0 or -ENOMEM */

const struct value *value_find(const struct value *v, const char *key);
const struct value *value_at(const struct value *v, size_t i);

/* JSON: on one line, or one member a line with four blanks an indentation. */
int value_json(const struct value *v, bool pretty, struct strbuf *out, struct err *e);
/* As Go's fmt prints it: "[a b]", "map[a:b]", "{x 1}"; raw: as read from JSON, structs as maps. */
void value_print(const struct value *v, bool raw, struct strbuf *out);

#endif
