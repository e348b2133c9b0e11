/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/name.h"

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

static void test_valid(void)
{
	static const char *const good[] = {"py", "0", "A.b_c+d-e", "ubuntu+latest", "a..b", "9-"};
	static const char *const bad[] = {"",    ".",   "..",   ".py",   "-x",       "_x",  "+x",
					  "a/b", "a b", "a\nb", "a\x1b", "\xc3\xa9", "a:b", "a,b",
					  "/",   "a\\", "a%",   " a",    "a "};
	char name[NAME_BYTES_MAX + 2];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(name_is_valid(good[i]), "valid: %s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!name_is_valid(bad[i]), "invalid name %zu", i);
	memset(name, 'a', sizeof(name));
	name[NAME_BYTES_MAX] = 0;
	ok(name_is_valid(name), "%d characters", NAME_BYTES_MAX);
	name[NAME_BYTES_MAX] = 'a';
	name[NAME_BYTES_MAX + 1] = 0;
	ok(!name_is_valid(name), "one more");
}

static void test_check(void)
{
	struct err e = ERR_INIT;

	is_int(name_check("py", &e), 0, "good name");
	is_int(name_check("a\x1b[31m", &e), -EINVAL, "bad name");
	ok(strstr(e.msg, "'a\\x1b[31m'") != NULL, "shown escaped: %s", e.msg);
}

static void test_ids(void)
{
	char a[NAME_ID_DIGITS + 1], b[NAME_ID_DIGITS + 1];

	is_int(name_new_id(a, NULL), 0, "id");
	is_int(name_new_id(b, NULL), 0, "id");
	ok(name_is_id(a) && name_is_id(b), "well-formed");
	ok(strcmp(a, b) != 0, "two ids differ");
	ok(!name_is_id("0123456789a") && !name_is_id("0123456789abc") &&
		   !name_is_id("0123456789aB"),
	   "too short, too long, upper case");
}

static void is_default_name(const char *path, const char *want)
{
	_free_ char *name = NULL;
	int r = name_from_image(path, &name, NULL);

	is_int(r, want ? 0 : -EINVAL, "%s: result", path);
	is_str(name, want, "%s", path);
}

static void test_operands(void)
{
	is_int(operand_kind("py"), OPERAND_NAME, "py");
	is_int(operand_kind("py.sqsh"), OPERAND_PATH, "py.sqsh");
	is_int(operand_kind("./py"), OPERAND_PATH, "./py");
	is_int(operand_kind("py.sqsh.old"), OPERAND_NAME, "py.sqsh.old");
	is_default_name("python-image.sqsh", "python-image");
	is_default_name("/a/b/ubuntu+latest.sqsh", "ubuntu+latest");
	is_default_name("/a/rootfs/", "rootfs");
	is_default_name("a b.sqsh", NULL);
	is_default_name("/", NULL);
	is_default_name(".sqsh", NULL);
	is_default_name("..", NULL);
}

int main(void)
{
	test_valid();
	test_check();
	test_ids();
	test_operands();
	return done_testing();
}
