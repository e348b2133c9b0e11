/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/ids.h"

#include <string.h>

#include "cmd/judge/test/report.h"
#include "cmd/options/input_file.h"
#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define IDS_FILE_BYTES_MAX (32u << 20)

static int check_id(const char *id, size_t len, struct err *e)
{
	if (len > TEST_ID_MAX)
		return err_set(e, EINVAL, "an id of more than %u bytes", TEST_ID_MAX);
	if (!len || memchr(id, 0, len) || !str_is_utf8(id, len))
		return err_set(e, EINVAL, "an id that is empty or not UTF-8");
	return 0;
}

int test_id_check(const char *id, struct err *e)
{
	return check_id(id, strlen(id), e);
}

static int add_id(struct strv *ret, const char *id, size_t len, struct err *e)
{
	int r = check_id(id, len, e);

	if (r < 0)
		return r;
	if (ret->n >= TEST_CASES_MAX)
		return err_set(e, E2BIG, "more than %u ids", TEST_CASES_MAX);
	strv_addn(ret, id, len);
	return 0;
}

static int add_array(const struct strbuf *text, struct strv *ret, struct err *e)
{
	_json_ struct json *root = NULL;
	int r = json_parse(text->data, text->len, IDS_FILE_BYTES_MAX, &root, e);

	if (r < 0)
		return r;
	for (const struct json *v = json_first(root); v && r >= 0; v = json_next(v)) {
		const char *id = json_text(v);

		r = id ? add_id(ret, id, strlen(id), e)
		       : err_set(e, EINVAL, "an element that is not a string");
	}
	return r;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int add_lines(const struct strbuf *text, struct strv *ret, struct err *e)
{
	const char *p = strbuf_str(text), *end = p + text->len;
	int r = 0;

	while (p < end && r >= 0) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *last = eol ? eol : end, *next = last + 1;

		while (p < last && is_blank(*p))
			p++;
		while (last > p && is_blank(last[-1]))
			last--;
		if (last > p)
			r = add_id(ret, p, (size_t)(last - p), e);
		p = next;
	}
	return r;
}

static int add_file(const char *path, const struct container_spec *run, struct strv *ret,
		    struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = input_file_read(path, IDS_FILE_BYTES_MAX, run, &text, e);
	const char *first = strbuf_str(&text);

	if (r < 0)
		return r;
	first += strspn(first, " \t\r\n");
	return *first == '[' ? add_array(&text, ret, e) : add_lines(&text, ret, e);
}

int test_ids_read(const struct strv *given, const struct container_spec *run, struct strv *ret,
		  struct err *e)
{
	for (size_t i = 0; i < given->n; i++) {
		const char *word = given->items[i];
		int r = *word == '@' ? add_file(word + 1, run, ret, e)
				     : add_id(ret, word, strlen(word), e);

		if (r < 0)
			return *word == '@' ? err_wrap(e, "%s", word + 1) : r;
	}
	/* All tests would be run, and none of them had to pass. */
	if (given->n && !ret->n && strv_check(ret, e) >= 0)
		return err_set(e, EINVAL, "%s: there is no id of a test in it",
			       given->items[0] + 1);
	return strv_check(ret, e);
}
