/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that an image tells, as it may tell them who wants harm. */
#include "cmd/build/config/inline_cache.h"

#include <errno.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define HEX16 "0123456789abcdef"
#define KEY HEX16 HEX16 HEX16 HEX16
#define STEP KEY ".0123456789ab"
#define DIGEST "sha256:" KEY
#define WHOLE(cache) "{\"os\":\"linux\",\"" INLINE_CACHE_MEMBER "\":" cache "}"
#define STEPS(list) WHOLE("{\"key\":\"" KEY "\",\"steps\":[" list "]}")

static const struct {
	const char *text;
	int want;
} bad[] = {
	{"", -EBADMSG},
	{"[]", -EBADMSG},
	{"{}", -ENODATA},
	{WHOLE("null"), -ENODATA},
	{WHOLE("[]"), -EBADMSG},
	{WHOLE("{}"), -EBADMSG},
	{WHOLE("{\"key\":\"../../../../etc\"}"), -EBADMSG},
	{STEPS("1"), -EBADMSG},
	{STEPS("{}"), -EBADMSG},
	{STEPS("{\"step\":\"" KEY "\"}"), -EBADMSG},
	{STEPS("{\"step\":\"" KEY "/0123456789ab\"}"), -EBADMSG},
	{STEPS("{\"step\":\"" KEY ".0123456789/.\"}"), -EBADMSG},
	{STEPS("{\"step\":\"" KEY ".0123456789abc\"}"), -EBADMSG},
	{STEPS("{\"step\":\"" STEP "\",\"diff_id\":\"../x\"}"), -EBADMSG},
	{STEPS("{\"step\":\"" STEP "\",\"diff_id\":7}"), -EBADMSG},
};

static void refuses(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct inline_cache c;
		struct err e = ERR_INIT;
		int r = inline_cache_parse(bad[i].text, strlen(bad[i].text), &c, &e);

		ok(r == bad[i].want && !c.n && !c.items, "%s is refused: %d", bad[i].text, r);
		inline_cache_free(&c);
	}
}

static void round_trip(void)
{
	_inline_cache_ struct inline_cache c = {.key = KEY}, back = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_free_ char *whole = NULL;
	struct err e = ERR_INIT;

	ok(inline_cache_add(&c, STEP, DIGEST, &e) == 0, "a step with files");
	ok(inline_cache_add(&c, "f" STEP, NULL, &e) == -EINVAL, "a name that is too long");
	ok(inline_cache_add(&c, KEY ".ffffffffffff", NULL, &e) == 0, "a step without files");
	ok(inline_cache_format(&c, &text, &e) == 0, "is written");
	whole = str_printf("{\"" INLINE_CACHE_MEMBER "\":%s}", strbuf_str(&text));
	ok(inline_cache_parse(whole, strlen(whole), &back, &e) == 0 && back.n == 2, "is read: %s",
	   e.msg);
	ok(back.n == 2 && str_eq(back.items[0].diff_id, DIGEST) && !*back.items[1].diff_id,
	   "with its layers");
	ok(str_eq(back.key, KEY), "with its key");
	ok(inline_cache_find(&back, KEY) == back.items, "a key finds the first of its steps");
	ok(!inline_cache_find(&back, "0"), "another key finds none");
}

int main(void)
{
	refuses();
	round_trip();
	return done_testing();
}
