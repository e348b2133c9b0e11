/* SPDX-License-Identifier: Apache-2.0 */
#include "image/table/image_name.h"

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LONG64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct {
	const char *text, *canonical, *familiar;
	size_t repository;
} good[] = {
	{"app", "docker.io/library/app:latest", "app:latest", 3},
	{"app:1", "docker.io/library/app:1", "app:1", 3},
	{"library/app", "docker.io/library/app:latest", "app:latest", 3},
	{"docker.io/app", "docker.io/library/app:latest", "app:latest", 3},
	{"index.docker.io/app", "docker.io/library/app:latest", "app:latest", 3},
	{"docker.io/me/app:2", "docker.io/me/app:2", "me/app:2", 6},
	{"me/app", "docker.io/me/app:latest", "me/app:latest", 6},
	{"library/a/b", "docker.io/library/a/b:latest", "library/a/b:latest", 11},
	{"localhost/app", "localhost/app:latest", "localhost/app:latest", 13},
	{"localhost:5000/app:1", "localhost:5000/app:1", "localhost:5000/app:1", 18},
	{"reg.example/a/b", "reg.example/a/b:latest", "reg.example/a/b:latest", 15},
	{"HOST/app", "HOST/app:latest", "HOST/app:latest", 8},
	{"[::1]:5000/app", "[::1]:5000/app:latest", "[::1]:5000/app:latest", 14},
	{"app@sha256:" HEX64, "docker.io/library/app@sha256:" HEX64, "app@sha256:" HEX64, 3},
	{"app:1@sha256:" HEX64, "docker.io/library/app@sha256:" HEX64, "app@sha256:" HEX64, 3},
	{"localhost:5000/a@sha256:" HEX64, "localhost:5000/a@sha256:" HEX64,
	 "localhost:5000/a@sha256:" HEX64, 16},
};

static const char *const bad[] = {
	"",
	":",
	"/",
	"@",
	"app:",
	"app:-x",
	"app:.x",
	"app:a b",
	"app/",
	"a//b",
	"app@",
	"app@sha256:12",
	"app@md5:" HEX64,
	"-app",
	"app_",
	"a___b",
	"a..b",
	"app:" LONG64 LONG64 "x",
	"exa mple.com/x",
	"app\n",
	"local host/app",
};

static const struct {
	const char *text, *says;
} told[] = {
	{"App", "invalid reference format: repository name (library/App) must be lowercase"},
	{"me/App:1", "invalid reference format: repository name (me/App) must be lowercase"},
	{HEX64, "invalid repository name (" HEX64 "), cannot specify 64-byte hexadecimal strings"},
	{"app:$x", "invalid reference format"},
};

static void test_good(void)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		_image_name_ struct image_name n = {0}, again = {0};
		_free_ char *canonical = NULL, *second = NULL;
		struct err e = ERR_INIT;

		if (!ok(!image_name_parse(good[i].text, &n, &e), "%s: %s", good[i].text, e.msg))
			continue;
		canonical = image_name_canonical(&n);
		is_str(canonical, good[i].canonical, "%s: canonical", good[i].text);
		is_str(image_name_familiar(canonical), good[i].familiar, "%s: shown", good[i].text);
		is_int(image_name_repository_len(good[i].familiar), good[i].repository,
		       "%s: repository", good[i].text);
		ok(!image_name_parse(image_name_familiar(canonical), &again, &e),
		   "%s: what is shown can be typed", good[i].text);
		second = image_name_canonical(&again);
		is_str(second, canonical, "%s: and means the same", good[i].text);
	}
}

static void test_bad(void)
{
	_free_ char *longest = str_printf("%s%s%s%s", LONG64, LONG64, LONG64, LONG64);
	struct image_name n;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(image_name_parse(bad[i], &n, &e), -EINVAL, "refused: '%s'", bad[i]);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		is_int(image_name_parse(told[i].text, &n, &e), -EINVAL, "refused: %s",
		       told[i].text);
		is_str(e.msg, told[i].says, "in docker's words");
	}
	is_int(image_name_parse(longest, &n, &e), -EINVAL, "256 characters are too many");
	is_str(e.msg, "repository name must not be more than 255 characters", "and it is said");
}

static void test_id(void)
{
	is_str(image_id_hex("sha256:" HEX64), HEX64, "an id");
	is_str(image_id_hex(HEX64), HEX64, "its digits");
	ok(!image_id_hex("sha256:" HEX64 "0"), "too long");
	ok(!image_id_hex("0123"), "too short");
	ok(!image_id_hex("sha512:" HEX64), "another algorithm");
}

int main(void)
{
	test_good();
	test_bad();
	test_id();
	return done_testing();
}
