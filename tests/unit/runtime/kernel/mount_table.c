/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/mount_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static const char lines[] =
	"22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
	"30 22 0:44 /@home /home rw,nosuid - btrfs /dev/vdb rw\n"
	"31 30 0:51 / /home/u/a\\040b\\134\\011c ro,relatime - tmpfs none rw\n"
	"32 22 254:0 /srv/data /mnt/d ro,relatime master:1 propagate_from:2 - ext4 /dev/vda rw\n"
	"40 22 0:60 / /proc/root rw - overlay none rw\n"
	"41 40 254:0 / /proc/root/x rw,nosuid,nodev - ext4 /dev/vda rw\n";

static void test_parse(void)
{
	struct mount_table t;
	const struct mount_row *r;

	is_int(mount_table_parse(strdup(lines), &t, NULL), 0, "parses");
	is_int((int)t.n, 6, "a row a line");
	r = mount_table_by_id(&t, 31);
	ok(r && r->parent == 30 && r->major == 0 && r->minor == 51 && !r->is_writable, "numbers");
	is_str(r ? r->point : "", "/home/u/a b\\\tc", "octal escapes");
	r = mount_table_by_id(&t, 32);
	is_str(r ? r->root : "", "/srv/data", "the directory that is mounted");
	ok(!mount_table_by_id(&t, 99), "no such mount");
	r = mount_table_locate(&t, "/home/u/x", 40);
	ok(r && r->id == 30, "the nearest mount point above a path");
	r = mount_table_locate(&t, "/homes", 40);
	ok(r && r->id == 22, "by whole names");
	r = mount_table_locate(&t, "/proc/root/x/y", 40);
	ok(r && r->id == 22, "not one of those left out");
	ok(mount_table_is_below(&t, mount_table_by_id(&t, 41), 40), "a mount below");
	ok(!mount_table_is_below(&t, mount_table_by_id(&t, 31), 40), "one beside it");
	mount_table_free(&t);
}

static void test_garbage(void)
{
	static const char *const bad[] = {"1\n", "x y z\n", "1 2 3 / / rw\n", "1 2 3:4 /\n"};
	struct mount_table t;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(mount_table_parse(strdup(bad[i]), &t, NULL), -EBADMSG, "'%s' is refused",
		       bad[i]);
	is_int(mount_table_parse(strdup("7 7 0:1 / / rw"), &t, NULL), 0, "no newline at the end");
	ok(!mount_table_is_below(&t, &t.rows[0], 1), "a mount that is its own parent");
	mount_table_free(&t);
	is_int(mount_table_parse(strdup("7 8 0:1 / / rw\n8 7 0:1 / / rw\n"), &t, NULL), 0,
	       "a circle");
	ok(!mount_table_is_below(&t, &t.rows[0], 1), "which has an end");
	mount_table_free(&t);
}

static void test_beyond(void)
{
	is_str(path_beyond("/a", "/a/b/c"), "b/c", "below");
	is_str(path_beyond("/a", "/a"), "", "itself");
	is_str(path_beyond("/", "/a"), "a", "below the root");
	ok(!path_beyond("/a", "/ab"), "beside");
	ok(!path_beyond("/a/b", "/a"), "above");
}

int main(void)
{
	test_parse();
	test_garbage();
	test_beyond();
	return done_testing();
}
