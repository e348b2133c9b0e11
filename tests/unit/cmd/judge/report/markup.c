/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others in markup: nothing ends an element or an attribute, and XML can hold all that comes out. */
#include "cmd/judge/report/markup.h"

#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define BAD "\xef\xbf\xbd"

static void check(const char *text, size_t len, const char *expected, const char *in_attribute)
{
	struct strbuf out = STRBUF_INIT;

	markup_text(&out, text, len);
	is_str(strbuf_str(&out), expected, "text");
	strbuf_reset(&out);
	markup_attribute(&out, text, len);
	is_str(strbuf_str(&out), in_attribute, "attribute");
	strbuf_free(&out);
}

#define CHECK(text, expected, in_attribute) check(text, sizeof(text) - 1, expected, in_attribute)

int main(void)
{
	struct strbuf out = STRBUF_INIT;

	CHECK("<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;",
	      "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
	CHECK("a\n\tb", "a\n\tb", "a&#10;&#9;b");
	CHECK("\0\a\x1b\x7f\r", BAD BAD BAD BAD BAD, BAD BAD BAD BAD BAD);
	CHECK("\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80",
	      "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
	CHECK("\x80\xff", BAD BAD, BAD BAD);
	CHECK("\xc0\xaf", BAD BAD, BAD BAD);                         /* too long a form */
	CHECK("\xe0\x80\xaf", BAD BAD BAD, BAD BAD BAD);             /* likewise */
	CHECK("\xed\xa0\x80", BAD BAD BAD, BAD BAD BAD);             /* a surrogate */
	CHECK("\xef\xbf\xbf", BAD BAD BAD, BAD BAD BAD);             /* U+FFFF */
	CHECK("\xf4\x90\x80\x80", BAD BAD BAD BAD, BAD BAD BAD BAD); /* past the last */
	CHECK("\xe2\x82", BAD BAD, BAD BAD);                         /* cut off */
	CHECK("\xe2<", BAD "&lt;", BAD "&lt;");
	markup_str(&out, NULL);
	is_str(strbuf_str(&out), "", "nothing");
	strbuf_free(&out);
	return done_testing();
}
