/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VALUE_H
#define CSBX_CMD_DOCKER_VALUE_H

/*
 * The room cmd/docker/show. The forms in which docker shows things.
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
 * adds nothing, and running out of memory sticks to the root: docker_value_check() asks once, at
 * the end.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;
struct json_out;

enum docker_value_kind {
	DOCKER_VALUE_NIL,    /* a pointer to nothing: "<nil>" */
	DOCKER_VALUE_NOLIST, /* a list that is null in JSON */
	DOCKER_VALUE_NOMAP,  /* a map that is */
	DOCKER_VALUE_BOOL,
	DOCKER_VALUE_INT,
	DOCKER_VALUE_STR,
	DOCKER_VALUE_LIST,
	DOCKER_VALUE_MAP,
	DOCKER_VALUE_STRUCT,
};

#define DOCKER_VALUE_GO_ONLY 1u   /* a field that JSON leaves out while it is empty */
#define DOCKER_VALUE_JSON_ONLY 2u /* written as JSON, but no field of the struct */

struct docker_value {
	enum docker_value_kind kind;
	unsigned flags;
	bool failed;      /* in a root: out of memory */
	char *key;        /* in JSON */
	const char *go;   /* in Go, where it differs; static */
	const char *type; /* of a struct, for messages; static */
	char *text;       /* DOCKER_VALUE_STR */
	int64_t number;   /* DOCKER_VALUE_INT, DOCKER_VALUE_BOOL */
	size_t count;
	struct docker_value *up, *first, *last, *next;
};

struct docker_value *
docker_value_new(enum docker_value_kind kind); /* a root; NULL without memory */
void docker_value_free(struct docker_value *root);
static inline void docker_value_freep(struct docker_value **root)
{
	docker_value_free(*root);
}
#define _docker_value_ __attribute__((cleanup(docker_value_freep)))

struct docker_value *docker_value_add(struct docker_value *parent, const char *key,
				      enum docker_value_kind kind);
struct docker_value *docker_value_str(struct docker_value *parent, const char *key,
				      const char *s); /* NULL is "" */
struct docker_value *docker_value_strn(struct docker_value *parent, const char *key, const char *s,
				       size_t len);
struct docker_value *docker_value_strf(struct docker_value *parent, const char *key,
				       const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct docker_value *docker_value_int(struct docker_value *parent, const char *key, int64_t v);
struct docker_value *docker_value_bool(struct docker_value *parent, const char *key, bool v);
/* A list of strings; an empty one is `empty` (DOCKER_VALUE_LIST or DOCKER_VALUE_NOLIST). */
struct docker_value *docker_value_strv(struct docker_value *parent, const char *key,
				       const struct strv *v, enum docker_value_kind empty);
/* Text of RFC 3339 with nanoseconds as Go writes it; 0 is "0001-01-01T00:00:00Z". */
struct docker_value *docker_value_time(struct docker_value *parent, const char *key,
				       uint64_t realtime_ns);
/* Marks what was just added. */
struct docker_value *docker_value_in_go(struct docker_value *v, const char *go);

int docker_value_check(const struct docker_value *root, struct err *e); /* 0 or -ENOMEM */

const struct docker_value *docker_value_find(const struct docker_value *v, const char *key);
const struct docker_value *docker_value_at(const struct docker_value *v, size_t i);

/* JSON: on one line, or one member a line with four blanks an indentation. */
int docker_value_json(const struct docker_value *v, bool pretty, struct strbuf *out, struct err *e);
/* As Go's fmt prints it: "[a b]", "map[a:b]", "{x 1}"; raw: as read from JSON, structs as maps. */
void docker_value_print(const struct docker_value *v, bool raw, struct strbuf *out);

#endif
