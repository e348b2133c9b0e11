/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_JSON_H
#define CSBX_BASE_JSON_H

/*
 * The room runtime/base/json. JSON, read and written.
 *
 * In: foreign text; values. Out: a tree on which all readers of the text would agree; text.
 *
 *	read.h		text becomes tokens
 *	tree.c		tokens become a tree; the one file that includes cJSON
 *	out.h		writing
 *
 * Must: refuse a text in full or take it in full. Mustn't: look at what it means.
 *
 * Foreign JSON is read strictly (RFC 8259 and I-JSON, RFC 7493). Parsers that disagree about a
 * document are an attack: one checks another thing than the other uses. So a document is refused
 * where implementations are known to differ: a byte order mark, invalid UTF-8, \u0000, lone
 * surrogates, duplicate keys, anything behind the value, more than 64 levels. Members are looked up
 * by exact case, and json_check_keys() refuses the spelling that a reader which ignores case would
 * take for a key we know. A caller whose clients may write names in any case asks for that by
 * json_get_any_case().
 *
 * A member that is null counts as absent. Numbers keep their text. Values live as long as their
 * document.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json; /* a value, opaque */
struct err;
struct json_out;
struct strv;

#define JSON_DEPTH_MAX 64
#define JSON_WHOLE_MAX ((UINT64_C(1) << 53) - 1) /* what every reader takes for the same number */
#define JSON_VALUES_MAX (1u << 18)               /* in one document */
#define JSON_NUMBER_MAX 60                       /* bytes of one */
#define JSON_MANIFEST_MAX (4u << 20)
#define JSON_CONFIG_MAX (8u << 20)

/* -EBADMSG with line and column for a malformed document, -EFBIG past max_bytes. */
int json_parse(const void *text, size_t len, size_t max_bytes, struct json **ret, struct err *e);
void json_free(struct json *root);
static inline void json_freep(struct json **root)
{
	json_free(*root);
}
#define _json_ __attribute__((cleanup(json_freep)))

bool json_is_object(const struct json *v);
bool json_is_array(const struct json *v);
bool json_is_null(const struct json *v);
const char *json_text(const struct json *v);   /* NULL unless v is a string */
int json_truth(const struct json *v);          /* 1 true, 0 false, -EINVAL for anything else */
const char *json_number(const struct json *v); /* as it is written; NULL unless v is a number */
/* A whole number 0..JSON_WHOLE_MAX, written as one; -EINVAL for anything else. */
int json_whole(const struct json *v, uint64_t *ret);
/* The same with a sign: within +-JSON_WHOLE_MAX. */
int json_integer(const struct json *v, int64_t *ret);

/* The elements of an array or the members of an object, in order; NULL at the end. */
const struct json *json_first(const struct json *v);
const struct json *json_next(const struct json *v);
const char *json_name(const struct json *member);
size_t json_count(const struct json *v);

/* NULL when absent or null. obj must be an object. */
const struct json *json_member(const struct json *obj, const char *key);

/*
 * Members of a given type. An absent one leaves *ret NULL (or the list empty) and is 0; one of
 * another type is -EBADMSG naming the key.
 */
int json_get_str(const struct json *obj, const char *key, const char **ret, struct err *e);
int json_get_object(const struct json *obj, const char *key, const struct json **ret,
		    struct err *e);
int json_get_array(const struct json *obj, const char *key, const struct json **ret, struct err *e);
int json_get_strv(const struct json *obj, const char *key, struct strv *ret, struct err *e);

/*
 * A whole number 0..2^53-1, written as one: "1.0", "1e3" and "-0" are refused. The member must be
 * there.
 */
int json_get_size(const struct json *obj, const char *key, uint64_t *ret, struct err *e);

/*
 * The member whose name is key in any case, as Go's encoding/json matches names: ASCII letters,
 * and U+017F and U+212A, whose simple case folds are "s" and "k". Absent or null: *ret is NULL.
 * -EBADMSG when several members match, for readers differ in which of them they take.
 */
int json_get_any_case(const struct json *obj, const char *key, const struct json **ret,
		      struct err *e);

/* -EBADMSG when obj has a key that equals one of known (NULL-terminated) but for its case. */
int json_check_keys(const struct json *obj, const char *const *known, struct err *e);

/* Writes the value as it was read: members in their order, numbers in their text. */
void json_out_value(struct json_out *j, const struct json *v);

#endif
