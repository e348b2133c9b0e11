/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/mount_table.h"

#include <errno.h>
#include <stdio.h>
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
	mount_table_mark(&t, 40);
	r = mount_table_locate(&t, "/home/u/x");
	ok(r && r->id == 30, "the nearest mount point above a path");
	r = mount_table_locate(&t, "/homes");
	ok(r && r->id == 22, "by whole names");
	r = mount_table_locate(&t, "/proc/root/x/y");
	ok(r && r->id == 22, "not one of those left out");
	ok(mount_table_by_id(&t, 40)->is_below && mount_table_by_id(&t, 41)->is_below,
	   "the mount and one below");
	ok(!mount_table_by_id(&t, 31)->is_below, "one beside it");
	mount_table_free(&t);
}

/* A mount over a directory above another one, and one over the same place, as the kernel lists them. */
static void test_out_of_reach(void)
{
	static const char table[] = "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
				    "30 22 0:44 / /home/u rw - tmpfs none rw\n"
				    "31 22 0:45 / /home rw - tmpfs none rw\n"
				    "32 31 0:46 / /home/v rw - tmpfs none rw\n"
				    "33 32 0:47 / /home/v rw - tmpfs none rw\n";
	static const struct {
		const char *path;
		int id;
	} cases[] = {
		{"/home/u/x", 31}, {"/home/u", 31}, {"/home/v/x", 33}, {"/home", 31}, {"/x", 22}};
	struct mount_table t;

	is_int(mount_table_parse(strdup(table), &t, NULL), 0, "parses");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct mount_row *r = mount_table_locate(&t, cases[i].path);

		is_int(r ? r->id : -1, cases[i].id, "%s", cases[i].path);
	}
	ok(!mount_table_shows(&t, "/home/u", false, "/home/v/x"),
	   "no place of another file system");
	mount_table_free(&t);
}

/* A container's root (40) that shows one directory of the host, and a path of the host. */
static void test_may_show(void)
{
	static const struct {
		const char *shown, *path;
		bool may;
		const char *what;
	} cases[] = {
		{"254:0 /", "/var/own", true, "the whole file system"},
		{"254:0 /var", "/var/own", true, "a directory above"},
		{"254:0 /var/own", "/var/own", true, "the directory"},
		{"254:0 /var/own/part", "/var/own", true, "a part of it"},
		{"254:0 /var/owns", "/var/own", false, "one that begins with the same letters"},
		{"254:0 /opt", "/var/own", false, "one beside it"},
		{"0:99 /", "/var/own", false, "another file system"},
		{"0:44 /@home/u", "/home/u/own", true, "below a mount of a part"},
		{"0:44 /u", "/home/u/own", false, "the same name elsewhere in it"},
		{"254:0 /", "/home/u/own", true, "the place that the way is mounted on"},
		{"254:0 /srv/data", "/mnt/d/own", true, "the source of a bind mount"},
		{"254:0 /srv/data/own/x", "/mnt/d/own", true, "a part, by that source"},
		{"254:0 /srv/other", "/mnt/d/own", false, "beside that source"},
		{"254:0 /mnt", "/mnt/d/own", true, "the way to a bind mount"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mount_table t;
		char text[1024];

		snprintf(text, sizeof(text),
			 "22 1 254:0 / / rw - ext4 a rw\n30 22 0:44 /@home /home rw - btrfs b rw\n"
			 "32 22 254:0 /srv/data /mnt/d rw - ext4 a rw\n"
			 "40 22 0:60 / /r rw - overlay none rw\n42 40 %s /r/x ro - any none rw\n",
			 cases[i].shown);
		is_int(mount_table_parse(strdup(text), &t, NULL), 0, "parses");
		mount_table_mark(&t, 40);
		ok(mount_table_may_show(&t, cases[i].path) == cases[i].may, "%s", cases[i].what);
		mount_table_free(&t);
	}
}

static void test_shows(void)
{
	static const struct {
		const char *source, *path;
		bool only_itself, does;
		const char *what;
	} cases[] = {
		{"/home/u", "/home/u/own", false, true, "the directory above"},
		{"/home/u/own", "/home/u/own", false, true, "the place itself"},
		{"/home/u/work", "/home/u/own", false, false, "one beside it"},
		{"/homes", "/home/u/own", false, false, "one that begins with the same letters"},
		{"/far/h", "/home/u/own", false, true, "another mount of the file system"},
		{"/far", "/home/u/own", false, true, "a mount below it"},
		{"/far", "/home/u/own", true, false, "a mount below it, by itself"},
		{"/far/h/u", "/home/u/own", true, true, "a part of another mount"},
		{"/far/h/v", "/home/u/own", false, false, "another part"},
		{"/", "/home/u/own", false, true, "the root with all"},
		{"/", "/home/u/own", true, false, "the root by itself"},
		{"/home/u", "/far/h/u/own", false, true, "the other way round"},
		{"/mnt", "/srv/data/own", false, true, "a bind mount below, of a part"},
		{"/mnt/d", "/srv/other", false, false, "beside that part"},
		{"/srv/data", "/mnt/d/own", false, true, "the source of a bind mount"},
	};
	static const char text[] = "22 1 254:0 / / rw - ext4 a rw\n"
				   "30 22 0:44 /@home /home rw - btrfs b rw\n"
				   "31 22 0:44 /@home /far/h rw - btrfs b rw\n"
				   "32 22 254:0 /srv/data /mnt/d rw - ext4 a rw\n";
	struct mount_table t;

	is_int(mount_table_parse(strdup(text), &t, NULL), 0, "parses");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(mount_table_shows(&t, cases[i].source, !cases[i].only_itself, cases[i].path) ==
			   cases[i].does,
		   "%s", cases[i].what);
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
	mount_table_mark(&t, 1);
	ok(!t.rows[0].is_below, "a mount that is its own parent");
	mount_table_free(&t);
	is_int(mount_table_parse(strdup("7 8 0:1 / / rw\n8 7 0:1 / / rw\n"), &t, NULL), 0,
	       "a circle");
	mount_table_mark(&t, 1);
	ok(!t.rows[0].is_below, "which has an end");
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
	test_out_of_reach();
	test_may_show();
	test_shows();
	test_garbage();
	test_beyond();
	return done_testing();
}
