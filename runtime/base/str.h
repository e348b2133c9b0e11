/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_STR_H
#define CSBX_BASE_STR_H

/*
 * Growing byte buffers, string vectors and a few predicates. A buffer stays NUL-terminated; an
 * allocation failure sticks (`failed`) and is asked about once, at the end, by strbuf_check().
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct err;

struct strbuf {
	char *data; /* NULL only while empty */
	size_t len, cap;
	bool failed;
};
#define STRBUF_INIT \
	{           \
		0   \
	}

bool strbuf_reserve(struct strbuf *b, size_t more); /* room for more bytes in one step */
void strbuf_add(struct strbuf *b, const void *data, size_t len);
void strbuf_addstr(struct strbuf *b, const char *s);
void strbuf_addch(struct strbuf *b, char c);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_reset(struct strbuf *b); /* empties, keeps the memory */
void strbuf_free(struct strbuf *b);
const char *strbuf_str(const struct strbuf *b);          /* never NULL */
char *strbuf_take(struct strbuf *b);                     /* caller frees; NULL on a failed buffer */
int strbuf_check(const struct strbuf *b, struct err *e); /* 0 or -ENOMEM */
#define _strbuf_ __attribute__((cleanup(strbuf_free)))

struct strv {
	char **items; /* NULL-terminated once non-empty; every item is owned */
	size_t n, cap;
	bool failed;
};
#define STRV_INIT \
	{         \
		0 \
	}

void strv_add(struct strv *v, const char *s);              /* copies */
void strv_addn(struct strv *v, const char *s, size_t len); /* copies len bytes */
void strv_take(struct strv *v, char *s);                   /* takes ownership, NULL = failed */
void strv_set_env(struct strv *v, const char *assignment); /* replaces a NAME= of the same name */
const char *strv_get_env(const struct strv *v, const char *name); /* value or NULL */
/*
 * After any number of strv_add(): what strv_set_env() of each in turn had left, in n log n time. A
 * name without a value takes away what is before it.
 */
void strv_settle_env(struct strv *v);
void strv_free(struct strv *v);
int strv_check(const struct strv *v, struct err *e);
#define _strv_ __attribute__((cleanup(strv_free)))

static inline bool str_eq(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static inline bool str_has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* True for "." and "..". */
static inline bool str_is_dots(const char *s)
{
	return s[0] == '.' && (!s[1] || (s[1] == '.' && !s[2]));
}

/* True when all len bytes are zero. */
bool mem_is_zero(const void *p, size_t len);

bool str_has_suffix(const char *s, const char *suffix);

/* True for well-formed UTF-8 (no surrogates, no overlong forms, <= U+10FFFF). */
bool str_is_utf8(const char *s, size_t len);

/*
 * Decodes the code point at s: its length in bytes, 0 where the bytes are not well-formed UTF-8
 * (or len is 0).
 */
size_t str_utf8_next(const char *s, size_t len, uint32_t *ret_cp);

/* True for characters that can steer a terminal or hide text: C0, C1, bidi, zero width. */
bool str_is_display_control(uint32_t cp);

/* Adds s with control bytes, invalid UTF-8, bidi and zero-width controls as \xHH: safe to show. */
void strbuf_add_escaped(struct strbuf *b, const char *s, size_t len);
/* The same of a text of lines: ends of lines and tabulators stay. */
void strbuf_add_lines_escaped(struct strbuf *b, const char *s, size_t len);

/* Nanoseconds since 1970 as UTC: "2026-01-02T03:04:05.678Z". */
void strbuf_add_time(struct strbuf *b, uint64_t realtime_ns);

/* asprintf(3) and vasprintf(3) that return NULL on failure. */
char *str_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *str_vprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

#endif
