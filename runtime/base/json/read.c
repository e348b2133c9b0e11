/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json/read.h"

#include <stdint.h>
#include <stdlib.h>

#include "runtime/base/err.h"

static int fail(const struct json_reader *r, const char *what, struct err *e)
{
	bool is_one_line =
		r->start == r->end || !memchr(r->start, '\n', (size_t)(r->end - r->start));
	size_t line = 1, column = 1;

	for (const unsigned char *p = r->start; p < r->p; p++) {
		column++;
		if (*p == '\n') {
			line++;
			column = 1;
		}
	}
	if (is_one_line) /* a line of a file, as a rule: the caller says which */
		return err_set(e, EBADMSG, "JSON: %s at column %zu", what, column);
	return err_set(e, EBADMSG, "JSON: %s at line %zu, column %zu", what, line, column);
}

static int peek(const struct json_reader *r)
{
	return r->p < r->end ? *r->p : -1;
}

static void skip_blanks(struct json_reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

/* --- strings ------------------------------------------------------------------------------ */

static int hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four digits after "\u"; -1 when they are not there. */
static int32_t read_hex4(struct json_reader *r)
{
	int32_t v = 0;

	for (int i = 0; i < 4; i++, r->p++) {
		int digit = hex_value(peek(r));

		if (digit < 0)
			return -1;
		v = v * 16 + digit;
	}
	return v;
}

/* As UTF-8; a lone surrogate as the three bytes that its number gives. */
static void add_code_point(struct strbuf *out, uint32_t cp)
{
	char utf8[] = {(char)(0xf0 | cp >> 18), (char)(0x80 | (cp >> 12 & 63)),
		       (char)(0x80 | (cp >> 6 & 63)), (char)(0x80 | (cp & 63))};
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

	if (n == 3)
		utf8[1] = (char)(0xe0 | cp >> 12);
	else if (n == 2)
		utf8[2] = (char)(0xc0 | cp >> 6);
	else if (n == 1)
		utf8[3] = (char)cp;
	strbuf_add(out, utf8 + 4 - n, n);
}

/* Behind the "u" of an escape: one code point, which may take a second escape. */
static int read_unicode(struct json_reader *r, struct err *e)
{
	int32_t cp = read_hex4(r), low = -1;
	const unsigned char *behind = r->p;

	if (cp < 0)
		return fail(r, "bad \\u escape", e);
	if (!cp && !r->rules->takes_python)
		return fail(r, "\\u0000", e);
	if (cp >= 0xd800 && cp <= 0xdfff) {
		if (cp < 0xdc00 && r->end - r->p >= 2 && r->p[0] == '\\' && r->p[1] == 'u') {
			r->p += 2;
			low = read_hex4(r);
		}
		if (low >= 0xdc00 && low <= 0xdfff)
			cp = 0x10000 + ((cp & 0x3ff) << 10) + (low & 0x3ff);
		else if (!r->rules->takes_python)
			return fail(r, "lone surrogate", e);
		else
			r->p = behind;
	}
	add_code_point(&r->text, (uint32_t)cp);
	return 0;
}

static int read_escape(struct json_reader *r, struct err *e)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c = peek(r);
	const char *at = c > 0 ? strchr(from, c) : NULL;

	if (!at && c != 'u')
		return fail(r, "bad escape", e);
	r->p++;
	if (!at)
		return read_unicode(r, e);
	strbuf_addch(&r->text, to[at - from]);
	return 0;
}

static int read_string(struct json_reader *r, struct err *e)
{
	strbuf_reset(&r->text);
	r->p++;
	for (;;) {
		const unsigned char *run = r->p;
		int c;

		while (r->p < r->end && *r->p != '"' && *r->p != '\\' && *r->p >= 0x20)
			r->p++;
		strbuf_add(&r->text, run, (size_t)(r->p - run));
		c = peek(r);
		if (c < 0)
			return fail(r, "unfinished string", e);
		if (c < 0x20)
			return fail(r, "control byte in a string", e);
		r->p++;
		if (c == '"')
			return strbuf_check(&r->text, e);
		if (read_escape(r, e) < 0)
			return -EBADMSG;
	}
}

/* --- numbers and words -------------------------------------------------------------------- */

static size_t skip_digits(struct json_reader *r)
{
	const unsigned char *from = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return (size_t)(r->p - from);
}

static int keep_number(struct json_reader *r, const unsigned char *from, struct err *e)
{
	int ret;

	strbuf_reset(&r->text);
	strbuf_add(&r->text, from, (size_t)(r->p - from));
	ret = strbuf_check(&r->text, e);
	return ret < 0 ? ret : JSON_NUMBER;
}

static int read_number(struct json_reader *r, struct err *e)
{
	const unsigned char *from = r->p, *digits;
	size_t n;

	r->p += *r->p == '-';
	digits = r->p;
	n = skip_digits(r);
	if (!n)
		return fail(r, "unexpected byte", e);
	if (n > 1 && *digits == '0')
		return fail(r, "number with a leading zero", e);
	if (peek(r) == '.') {
		r->p++;
		if (!skip_digits(r))
			return fail(r, "number without digits behind the point", e);
	}
	if (peek(r) == 'e' || peek(r) == 'E') {
		r->p++;
		r->p += peek(r) == '+' || peek(r) == '-';
		if (!skip_digits(r))
			return fail(r, "number without an exponent", e);
	}
	if ((size_t)(r->p - from) > r->rules->number_bytes_max)
		return fail(r, "overlong number", e);
	return keep_number(r, from, e);
}

static bool take_word(struct json_reader *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
		return false;
	r->p += n;
	return true;
}

static int read_word(struct json_reader *r, struct err *e)
{
	static const char *const numbers[] = {"NaN", "Infinity", "-Infinity"};
	const unsigned char *from = r->p;
	int c = peek(r);

	if (take_word(r, "true"))
		return JSON_TRUE;
	if (take_word(r, "false"))
		return JSON_FALSE;
	if (take_word(r, "null"))
		return JSON_NULL;
	for (size_t i = 0; r->rules->takes_python && i < sizeof(numbers) / sizeof(numbers[0]);
	     i++) {
		if (take_word(r, numbers[i]))
			return keep_number(r, from, e);
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return read_number(r, e);
	return fail(r, c < 0 ? "unexpected end" : "unexpected byte", e);
}

/* --- members ------------------------------------------------------------------------------ */

/* Notes the name in r->text as one of the object that is open. */
static int keep_name(struct json_reader *r, struct err *e)
{
	if (r->n_keys == r->keys_cap) {
		size_t cap = r->keys_cap ? r->keys_cap * 2 : 16;
		struct json_key *keys = reallocarray(r->keys, cap, sizeof(*keys));

		if (!keys)
			return err_oom(e);
		r->keys = keys;
		r->keys_cap = cap;
	}
	r->keys[r->n_keys++] = (struct json_key){r->names.len, r->text.len};
	/* With the NUL behind it. */
	strbuf_add(&r->names, strbuf_str(&r->text), r->text.len + 1);
	return strbuf_check(&r->names, e);
}

static int compare_names(const struct json_reader *r, const struct json_key *a,
			 const struct json_key *b)
{
	int d = memcmp(r->names.data + a->at, r->names.data + b->at,
		       a->len < b->len ? a->len : b->len);

	return d ? d : (a->len > b->len) - (a->len < b->len);
}

/* Lets keys[at] sink to where no key below it in the heap is greater. */
static void sift_down(const struct json_reader *r, struct json_key *keys, size_t at, size_t n)
{
	size_t child;

	while ((child = at * 2 + 1) < n) {
		struct json_key swap = keys[at];

		if (child + 1 < n && compare_names(r, &keys[child], &keys[child + 1]) < 0)
			child++;
		if (compare_names(r, &swap, &keys[child]) >= 0)
			return;
		keys[at] = keys[child];
		keys[child] = swap;
		at = child;
	}
}

/* A heap sort: qsort() of the C library asks the kernel how much memory there is. */
static void sort_keys(const struct json_reader *r, struct json_key *keys, size_t n)
{
	for (size_t i = n / 2; i--;)
		sift_down(r, keys, i, n);
	while (n > 1) {
		struct json_key last = keys[--n];

		keys[n] = keys[0];
		keys[0] = last;
		sift_down(r, keys, 0, n);
	}
}

/* Names are compared after their escapes are decoded: "\u0061" is "a" too. */
static int check_names(const struct json_reader *r, size_t first, struct err *e)
{
	struct json_key *keys;
	size_t n = r->n_keys - first;

	if (n < 2)
		return 0;
	keys = r->keys + first;
	sort_keys(r, keys, n);
	for (size_t i = 1; i < n; i++) {
		if (!compare_names(r, &keys[i - 1], &keys[i]))
			return err_set(e, EBADMSG, "JSON: key \"%.64s\" twice in one object",
				       r->names.data + keys[i].at);
	}
	return 0;
}

/* A key and its colon, up to where the value begins. */
static int read_key(struct json_reader *r, struct err *e)
{
	int ret;

	skip_blanks(r);
	if (peek(r) != '"')
		return fail(r, "expected a key", e);
	ret = read_string(r, e);
	if (ret < 0)
		return ret;
	skip_blanks(r);
	if (peek(r) != ':')
		return fail(r, "expected a colon", e);
	r->p++;
	r->place = JSON_AT_VALUE;
	ret = keep_name(r, e);
	return ret < 0 ? ret : JSON_KEY;
}

/* --- the document ------------------------------------------------------------------------- */

static int open_level(struct json_reader *r, bool is_object, struct err *e)
{
	if (r->depth == r->rules->depth_max || r->depth == JSON_READ_DEPTH_MAX)
		return fail(r, "nested too deeply", e);
	r->p++;
	r->level[r->depth++] = (struct json_level){is_object, r->n_keys, r->names.len};
	r->place = JSON_AT_FIRST;
	return is_object ? JSON_OBJECT : JSON_ARRAY;
}

static int close_level(struct json_reader *r, struct err *e)
{
	const struct json_level *l = &r->level[--r->depth];

	r->p++;
	r->place = JSON_AT_NEXT;
	if (check_names(r, l->n_keys, e) < 0)
		return -EBADMSG;
	r->n_keys = l->n_keys;
	r->names.len = l->names_len;
	return l->is_object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static int read_value(struct json_reader *r, struct err *e)
{
	int c, ret;

	skip_blanks(r);
	c = peek(r);
	if (++r->n_values > r->rules->values_max)
		return fail(r, "too many values", e);
	if (c == '{' || c == '[')
		return open_level(r, c == '{', e);
	r->place = JSON_AT_NEXT;
	if (c != '"')
		return read_word(r, e);
	ret = read_string(r, e);
	return ret < 0 ? ret : JSON_STRING;
}

static int read_item(struct json_reader *r, const struct json_level *l, struct err *e)
{
	return l->is_object ? read_key(r, e) : read_value(r, e);
}

int json_read(struct json_reader *r, struct err *e)
{
	const struct json_level *l = r->depth ? &r->level[r->depth - 1] : NULL;
	int c;

	if (r->place == JSON_AT_VALUE)
		return read_value(r, e);
	skip_blanks(r);
	c = peek(r);
	if (!l)
		return c < 0 ? JSON_END : fail(r, "bytes after the document", e);
	if (c == (l->is_object ? '}' : ']'))
		return close_level(r, e);
	if (r->place == JSON_AT_FIRST)
		return read_item(r, l, e);
	if (c != ',')
		return fail(r, c < 0 ? "unexpected end" : "expected a comma or the closing bracket",
			    e);
	r->p++;
	return read_item(r, l, e);
}

const char *json_read_name(const struct json_reader *r)
{
	return r->names.data + r->keys[r->n_keys - 1].at;
}

int json_read_begin(struct json_reader *r, const void *text, size_t len,
		    const struct json_rules *rules, struct err *e)
{
	*r = (struct json_reader){.start = text, .p = text, .rules = rules};
	r->end = r->start + len;
	if (len > rules->bytes_max)
		return err_set(e, EFBIG, "JSON: larger than %zu bytes", rules->bytes_max);
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		return fail(r, "byte order mark", e);
	if (!str_is_utf8(text, len))
		return err_set(e, EBADMSG, "JSON: not valid UTF-8");
	return 0;
}

void json_reader_free(struct json_reader *r)
{
	strbuf_free(&r->text);
	strbuf_free(&r->names);
	free(r->keys);
	r->keys = NULL;
}
