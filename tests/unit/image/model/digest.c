/* SPDX-License-Identifier: Apache-2.0 */
#include "image/model/digest.h"

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

#define HEX "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" /* of nothing */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* of "abc" */
#define ABC512                                                             \
	"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" \
	"2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

static void test_parse(void)
{
	static const char *const good[] = {"sha256:" HEX, "sha512:" ABC512};
	static const char *const bad[] = {
		"",
		"sha256",
		"sha256:",
		":" HEX,
		HEX,
		"sha256:" HEX "0",
		"SHA256:" HEX,
		"sha256: " HEX,
		"sha256:E3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"sha256:g3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"sha256:../../../../../../../../../../../../../../../../../../../../etc/a",
		"sha256:3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"sha512:" HEX,
		"sha256:" ABC512,
		"md5:d41d8cd98f00b204e9800998ecf8427e",
		"blake3:" HEX,
		"sha256:" HEX "\n",
		"sha256/" HEX,
		"sha256:" HEX ":",
		"../sha256:" HEX,
	};
	char text[DIGEST_TEXT_MAX];
	struct digest d;

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ok(!digest_parse(good[i], &d, NULL) && digest_is_set(&d), "accepts %.20s", good[i]);
		is_str(digest_format(&d, text), good[i], "and writes the same");
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;

		is_int(digest_parse(bad[i], &d, &e), -EINVAL, "refuses \"%.80s\": %s", bad[i],
		       e.msg);
	}
}

static void test_hash(void)
{
	struct digest_ctx c = DIGEST_CTX_INIT;
	struct digest want, other, got, unset = {0};
	struct err e = ERR_INIT;

	digest_parse("sha256:" ABC, &want, NULL);
	digest_parse("sha256:" HEX, &other, NULL);
	ok(!digest_of("abc", 3, &got, &e) && digest_equal(&got, &want), "sha256 of abc");
	ok(!digest_of("", 0, &got, &e) && digest_equal(&got, &other), "sha256 of nothing");
	is_int(digest_verify("abc", 3, &want, &e), 0, "verifies");
	is_int(digest_verify("abd", 3, &want, &e), -EBADMSG, "another content: %s", e.msg);
	digest_parse("sha512:" ABC512, &want, NULL);
	is_int(digest_verify("abc", 3, &want, &e), 0, "sha512 by its name");
	ok(!digest_init(&c, "sha512", &e), "in pieces");
	digest_update(&c, "a", 1);
	digest_update(&c, "", 0);
	digest_update(&c, "bc", 2);
	ok(!digest_final(&c, &got, &e) && digest_equal(&got, &want), "is the same");
	ok(!digest_equal(&unset, &unset) && !digest_is_set(&unset),
	   "an unknown digest equals nothing");
	ok(digest_init(&c, "md5", &e) < 0, "no other algorithm: %s", e.msg);
	digest_free(&c);
}

int main(void)
{
	test_parse();
	test_hash();
	return done_testing();
}
