/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_VALUE_H
#define CSBX_CMD_EVAL_VALUE_H

/*
 * The room cmd/judge/value. Values that judged programs take and give.
 *
 * In: foreign JSON and literals. Out: trees that can be compared and written.
 *
 *	value.h			the tree
 *	json.h, literal.c, build.h, lines.h: reading
 *	out.c, marshal.c	writing
 *	compare.h		equal, close, an exception of that kind
 *
 * Must: bound depth, number and memory.
 * Mustn't: run anything.
 */

/*
 * Values of a judged program: those that a case hands to a function, the one it expects, the one
 * that came back. They come from two foreign texts, JSON (json.h) and the tagged literals of
 * cmd/harness/PROTOCOL.md, and both readers are strict, iterative and bounded: in nesting, in the
 * number of values, and in memory by these and the length of the text. All functions that recurse
 * do so over what a reader has built, so at most VALUE_DEPTH_MAX deep.
 *
 * Whole numbers keep their digits: a reader that takes them for a double would judge 2**53 + 1
 * wrongly.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct strbuf;

#define VALUE_DEPTH_MAX 100u
#define VALUE_NODES_MAX (1u << 20)

enum value_kind {
	VALUE_NONE,
	VALUE_BOOL,
	VALUE_INT, /* text: -?digits, no leading zeros */
	VALUE_FLOAT,
	VALUE_STR,   /* text: UTF-8, lone surrogates as three bytes */
	VALUE_BYTES, /* text */
	VALUE_LIST,
	VALUE_TUPLE,
	VALUE_DICT, /* items: key, value, key, value ... */
	VALUE_SET,
	VALUE_COMPLEX, /* items: real and imaginary part, floats */
	VALUE_RANGE,   /* items: start, stop and step, ints of 64 bits; the step is not 0 */
	VALUE_OPAQUE,  /* items: type's name, representation; equals nothing */
	VALUE_MADE,    /* items: name, what it is made of; equals nothing here: csbx passes it on */
};

struct value {
	enum value_kind kind;
	size_t n; /* bytes of text, or items */
	union {
		bool truth;
		double number;
		const char *text; /* NUL-terminated behind its n bytes */
		struct value *items;
	};
};

/* The memory of any number of values. */
struct value_pool {
	struct value_chunk *chunks;
};
#define VALUE_POOL_INIT \
	{               \
		0       \
	}

void *value_alloc(struct value_pool *pool, size_t bytes); /* aligned; NULL: out of memory */
void value_pool_free(struct value_pool *pool);
#define _value_pool_ __attribute__((cleanup(value_pool_free)))

/* One literal, all of the text. -EBADMSG; -E2BIG: of more values than may be. */
int value_read_literal(struct value_pool *pool, const void *text, size_t len, struct value *ret,
		       struct err *e);
void value_write_literal(const struct value *v, struct strbuf *out);
/* As Python's marshal.loads() reads it. False: that has no word for some of it, or no short one. */
bool value_write_marshal(const struct value *v, struct strbuf *out);
/* A list, of a call that the harness makes: so where that can be, else as a literal. */
void value_write_call(const struct value *v, struct strbuf *out);

/* As Python writes it, for people; "..." once it is max_bytes long. */
void value_write_python(const struct value *v, size_t max_bytes, struct strbuf *out);

/* The name Python has for the type; of an opaque value its own. */
const char *value_type_name(const struct value *v);
/* True when the harness tells values of a type of this name as what they are, and never as opaque
 * ones. */
bool value_has_tag(const char *type_name);

/* A complex number with no imaginary part as that float; else the value. */
const struct value *value_real(const struct value *v);
/* True when the items are parts of which a complex number, or a range, can be made. */
bool value_has_parts(enum value_kind kind, const struct value *items, size_t n);

/* A member of a dict by a key that is a str; NULL: none. */
const struct value *value_member(const struct value *dict, const char *key);
bool value_is_text(const struct value *v, const char *text);

/*
 * A total order in which what Python calls equal is equal: 1, 1.0 and True, but also a list and
 * the tuple of the same items, and a NaN with itself. Dicts and sets must have been sorted.
 */
int value_order(const struct value *a, const struct value *b);

/* Sorts every dict (by key) and set. -EBADMSG where a key or member is there twice. */
int value_sort(struct value *v, struct err *e);

#endif
