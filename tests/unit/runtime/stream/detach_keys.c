/* SPDX-License-Identifier: Apache-2.0 */
/* The keys by which a terminal is left: their words, and what of the typing goes on. */
#include <string.h>

#include "runtime/stream/detach_keys.h"
#include "tests/unit/tap.h"

static bool parses(const char *text, const char *bytes, size_t n)
{
	struct detach_keys k;

	return detach_keys_parse(text, &k) == 0 && k.n == n && !memcmp(k.bytes, bytes, n);
}

static void test_words(void)
{
	static const char *const bad[] = {
		"foo",    ",",         "a,",
		"ctrl-A", "ctrl-1",    "ctrl-pp",
		"DELX",   "ctrl-p,,a", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"};
	struct detach_keys k;

	ok(parses(NULL, "\x10\x11", 2) && parses("", "\x10\x11", 2), "the default");
	ok(parses("ctrl-a,x", "\x01x", 2), "a control character and a letter");
	ok(parses("ctrl-@,ctrl-[,ctrl-\\,ctrl-],ctrl-^,ctrl-_,DEL", "\0\x1b\x1c\x1d\x1e\x1f\x7f",
		  7),
	   "characters that are no letters");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(detach_keys_parse(bad[i], &k) < 0, "no keys: %s", bad[i]);
}

/* Checks which bytes of these pieces are passed on; the last piece ends the keys or not. */
static void typed(const char *const *pieces, bool ends, const char *want)
{
	char out[128] = "", buf[64];
	struct detach_keys k;
	bool left = false;

	detach_keys_parse("a,b,c", &k);
	for (; *pieces && !left; pieces++) {
		size_t n = strlen(*pieces);

		memcpy(buf, *pieces, n);
		left = detach_keys_take(&k, buf, &n);
		strncat(out, buf, n);
	}
	ok(left == ends && !strcmp(out, want) && !*pieces, "typed: \"%s\" goes on", want);
}

#define TYPED(...) ((const char *const[]){__VA_ARGS__, NULL})

int main(void)
{
	test_words();
	typed(TYPED("x", "a", "b", "c"), true, "x");
	typed(TYPED("abc"), true, "");
	typed(TYPED("a", "bc"), true, "");
	typed(TYPED("a", "b", "x", "y"), false, "abxy");
	typed(TYPED("a", "bcd"), false, "abcd");
	typed(TYPED("xabc"), false, "xabc");
	typed(TYPED("a", "a", "b", "c"), false, "aabc");
	return done_testing();
}
