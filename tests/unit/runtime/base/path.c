/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/path.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

static char outside[PATH_MAX], inside[PATH_MAX];

static bool exists(int dirfd, const char *path)
{
	struct stat st;

	return !fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW);
}

/* A tree whose links all try to lead out of it. */
static int make_tree(void)
{
	const char *tmp = getenv("TMPDIR");
	char up[] = "../../../../../../../../tmp";
	int fd;

	snprintf(outside, sizeof(outside), "%s/csbx-path-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(outside))
		return -1;
	snprintf(inside, sizeof(inside), "%.4000s/root", outside);
	if (mkdir(inside, 0755) < 0)
		return -1;
	fd = open(inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || symlinkat(outside, fd, "absolute") || symlinkat(up, fd, "relative") ||
	    symlinkat("loop", fd, "loop") || symlinkat("/made/by/link", fd, "dangling") ||
	    symlinkat("/proc/self/root", fd, "magic") || mkdirat(fd, "real", 0755))
		return -1;
	return fd;
}

static void test_mkdirs(int root)
{
	static const char *const hostile[] = {"/absolute/x/y", "relative/x", "../../x",
					      "/dangling/z", "real/../../../x2"};
	struct err e = ERR_INIT;
	bool had = exists(AT_FDCWD, "/tmp/x"); /* somebody else's */
	int fd;

	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		fd = path_mkdirs_in_root(root, hostile[i], &e);
		if (fd >= 0)
			close(fd);
		ok(exists(AT_FDCWD, "/tmp/x") == had && !exists(root, "../x") &&
			   !exists(root, "../x2"),
		   "%s makes nothing outside (returned %d)", hostile[i], fd);
	}
	ok(exists(root, "made/by/link/z"), "what a link names is made inside");
	for (size_t i = 0; i < 3; i++) {
		static const char *const links[][3] = {{"l1", "../../run/lock", "l1"},
						       {"real/l2", "l3/../x", "real/l2/y"},
						       {"l4", "l5", "l4/a/b"}};

		ok(!symlinkat(links[i][1], root, links[i][0]), "a link to %s", links[i][1]);
		fd = path_mkdirs_in_root(root, links[i][2], &e);
		ok(fd >= 0, "%s is made: %s", links[i][2], fd < 0 ? e.msg : "");
		fd_close(&fd);
	}
	ok(exists(root, "run/lock") && exists(root, "real/x/y") && exists(root, "l5/a/b"),
	   "where the links point");
	ok(!exists(root, "../run") && !exists(AT_FDCWD, "/l5"), "not outside");
	ok(path_mkdirs_in_root(root, "loop/a", &e) == -ELOOP, "a loop is an error");
	fd = path_mkdirs_in_root(root, "/new/deep//er/", &e);
	ok(fd >= 0 && exists(root, "new/deep/er"), "makes what is missing");
	fd_close(&fd);
	ok(path_mkdirs_in_root(root, "", &e) < 0, "an empty path is an error");
}

static void test_open_and_touch(int root)
{
	struct err e = ERR_INIT;
	int fd = path_touch_in_root(root, "/etc/deep/hosts", &e);

	ok(fd >= 0 && exists(root, "etc/deep/hosts"), "touch makes parents and the file");
	fd_close(&fd);
	fd = path_touch_in_root(root, "/absolute/passwd", &e);
	fd_close(&fd);
	ok(!exists(root, "../passwd"), "touch stays inside");
	ok(!symlinkat("../run/resolve/conf", root, "etc/resolv") &&
		   !symlinkat("/etc/resolv2", root, "etc/again"),
	   "links to files that are not there");
	fd = path_touch_in_root(root, "etc/resolv", &e);
	ok(fd >= 0 && exists(root, "run/resolve/conf"), "are made: %s", fd < 0 ? e.msg : "");
	fd_close(&fd);
	fd = path_touch_in_root(root, "/etc/again", &e);
	ok(fd >= 0 && exists(root, "etc/resolv2"), "by an absolute one too");
	fd_close(&fd);
	ok(path_open_in_root(root, "/magic/etc", O_PATH, 0, &e) < 0,
	   "magic links are not followed");
	ok(path_touch_in_root(root, "/", &e) >= 0, "the root exists");
	ok(path_touch_in_root(root, "/nodir/..", &e) < 0, "dots are no file name");
}

static void test_clean_absolute(void)
{
	ok(path_is_clean_absolute("/"), "/");
	ok(path_is_clean_absolute("/a/b.c/..d"), "dots in names");
	ok(!path_is_clean_absolute("a"), "relative");
	ok(!path_is_clean_absolute(""), "empty");
	ok(!path_is_clean_absolute("/a/../b"), "dot-dot");
	ok(!path_is_clean_absolute("/a/."), "dot");
	ok(!path_is_clean_absolute("/.."), "dot-dot at the root");
}

static void test_within(void)
{
	ok(path_is_within("/a/b", "/a/b"), "itself");
	ok(path_is_within("/a/b/c", "/a/b"), "below");
	ok(!path_is_within("/a/bc", "/a/b"), "a longer name");
	ok(!path_is_within("/a", "/a/b"), "above");
	ok(!path_is_within("", "/a"), "empty");
}

static void test_remove_tree(int root)
{
	struct err e = ERR_INIT;
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), next, depth;

	/* Deeper than PATH_MAX and than any sane recursion or descriptor limit. */
	for (depth = 0; depth < 1500; depth++) {
		if (mkdirat(fd, "d", 0755) < 0 ||
		    (next = openat(fd, "d", O_RDONLY | O_CLOEXEC)) < 0)
			break;
		close(fd);
		fd = next;
	}
	is_int(depth, 1500, "made a deep tree");
	close(fd);
	is_int(path_remove_tree_at(root, "d", &e), 0, "removes it (%s)", e.msg);
	ok(!exists(root, "d"), "nothing of it is left");
	ok(!mkdirat(root, "locked", 0755) && !mkdirat(root, "locked/in", 0755) &&
		   !fchmodat(root, "locked", 0, 0),
	   "made a directory without permissions");
	is_int(path_remove_tree_at(root, "locked", &e), 0, "removes it (%s)", e.msg);
	is_int(path_remove_tree_at(root, "missing", &e), 0, "missing is fine");
	is_int(path_remove_tree_at(root, "absolute", &e), 0, "removes a link");
	ok(exists(AT_FDCWD, outside), "and not what it points to");
}

static void test_private_dir(void)
{
	struct err e = ERR_INIT;
	char path[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%.4000s/private/deep", outside);
	fd = path_open_private_dir(path, &e);
	ok(fd >= 0 && !fstat(fd, &st) && (st.st_mode & 07777) == 0700, "made with mode 0700");
	fd_close(&fd);
	ok(!chmod(path, 0777) && path_open_private_dir(path, &e) == -EPERM,
	   "writable to others is refused");
	ok(!chmod(path, 0755), "readable to others");
	fd = path_open_private_dir(path, &e);
	ok(fd >= 0 && !fstat(fd, &st) && (st.st_mode & 07777) == 0755, "is left as it is");
	ok(!mkdirat(fd, "name", 0755), "made a name in it");
	is_int(path_open_private_at(fd, path, "name", &e), -EPERM,
	       "that others can read: is refused (%s)", e.msg);
	ok(!fchmodat(fd, "name", 0700, 0) && !symlinkat("name", fd, "link"), "and a link to it");
	is_int(path_open_private_at(fd, path, "link", &e), -ENOTDIR, "which is not followed");
	fd_close(&fd);
	if (geteuid())
		is_int(path_open_private_dir("/", &e), -EPERM,
		       "another user's directory is refused");
	else
		tap_skip("root owns every directory there is");
}

/* "link" in dir, where anybody may have made it. */
static void test_links_of_others(void)
{
	struct err e = ERR_INIT;
	char dir[PATH_MAX], link[PATH_MAX + 8], target[PATH_MAX + 8], path[PATH_MAX + 16];
	struct stat st;
	int fd;

	snprintf(dir, sizeof(dir), "%.4000s/shared", outside);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(target, sizeof(target), "%.4000s/ours", outside);
	snprintf(path, sizeof(path), "%s/link/made/here", dir);
	ok(!mkdir(dir, 0755) && !mkdir(target, 0755) && !symlink("../ours", link), "made a link");
	fd = path_open_private_dir(path, &e);
	ok(fd >= 0, "a link of our own on the way is followed (%s)", e.msg);
	fd_close(&fd);
	fd = path_open_private_dir(link, &e);
	ok(fd >= 0 && !fstat(fd, &st) && !stat(target, &st) && (st.st_mode & 07777) == 0755,
	   "and as the last component, and the mode of what it leads to stays");
	fd_close(&fd);
	snprintf(path, sizeof(path), "%s/loop", dir);
	ok(!symlink("loop", path), "made a loop");
	is_int(path_open_private_dir(path, &e), -ELOOP, "a loop has an end");
	ok(!chmod(dir, 0777), "opened the directory to everybody");
	fd = path_open_private_dir(link, &e);
	ok(fd >= 0, "our own link is followed there too (%s)", e.msg);
	fd_close(&fd);
	snprintf(path, sizeof(path), "%s/second", dir);
	if (!linkat(AT_FDCWD, link, AT_FDCWD, path, 0)) {
		is_int(path_open_private_dir(path, &e), -ELOOP,
		       "but not one with a second name: anybody could have given it");
		ok(!unlink(path), "removed it");
	} else {
		tap_skip("no hard links of symbolic links here");
	}
	if (geteuid() || lchown(link, 12345, 12345)) {
		tap_skip("only root can make a link another user's");
		return;
	}
	is_int(path_open_private_dir(link, &e), -ELOOP, "another user's link is not");
	ok(strstr(e.msg, "user 12345") != NULL, "says whose it is: %s", e.msg);
	ok(!chmod(dir, 0755), "closed the directory");
	is_int(path_open_private_dir(link, &e), -ELOOP, "nor in a closed directory");
}

static void test_no_links(int root)
{
	struct err e = ERR_INIT;
	int fd = path_open_no_links(root, "real", O_RDONLY | O_DIRECTORY, &e);

	ok(fd >= 0, "a directory is opened: %s", fd < 0 ? e.msg : "");
	fd_close(&fd);
	ok(!symlinkat("real", root, "to-real"), "a link to it");
	is_int(path_open_no_links(root, "to-real", O_PATH, &e), -ELOOP, "is not opened");
	is_int(path_open_no_links(root, "to-real/.", O_PATH, &e), -ELOOP, "nor what is behind it");
	fd = path_open_no_links(root, "/../../real", O_PATH, &e);
	ok(fd >= 0, "the root is the root");
	fd_close(&fd);
}

int main(void)
{
	struct err e = ERR_INIT;
	int root = make_tree();

	if (!ok(root >= 0, "made a tree"))
		return done_testing();
	test_mkdirs(root);
	test_open_and_touch(root);
	test_no_links(root);
	test_clean_absolute();
	test_within();
	test_remove_tree(root);
	test_private_dir();
	test_links_of_others();
	is_int(path_remove_tree_at(AT_FDCWD, outside, &e), 0, "clean-up (%s)", e.msg);
	return done_testing();
}
