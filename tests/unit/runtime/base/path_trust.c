/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"

#define NO_ID 65534

static uid_t me;

enum { ME = -1, OTHER = -2, THIRD = -3 };

static uid_t uid_of(int who)
{
	return who == ME ? me : who == OTHER ? me + 7 : who == THIRD ? me + 8 : (uid_t)who;
}

static void test_rule(void)
{
	static const struct {
		int dir;
		mode_t mode;
		int link;
		nlink_t names;
		enum path_trust want;
	} rows[] = {
		/* closed directories */
		{0, 0755, 0, 1, PATH_TRUST_OWN},
		{0, 0755, ME, 1, PATH_TRUST_OWN},
		{0, 0755, ME, 2, PATH_TRUST_OWN},
		{0, 0755, NO_ID, 1, PATH_TRUST_OWN},
		{0, 0755, OTHER, 1, PATH_TRUST_PLACE},
		{ME, 0700, NO_ID, 1, PATH_TRUST_OWN},
		{ME, 0700, OTHER, 1, PATH_TRUST_PLACE},
		{NO_ID, 0755, NO_ID, 1, PATH_TRUST_OWN},
		{0, 01755, OTHER, 1, PATH_TRUST_PLACE},
		/* another user's */
		{OTHER, 0755, 0, 1, PATH_TRUST_OWN},
		{OTHER, 0755, ME, 1, PATH_TRUST_OWN},
		{OTHER, 0755, ME, 2, PATH_TRUST_PLACE},
		{OTHER, 0755, OTHER, 1, PATH_TRUST_PLACE},
		{OTHER, 0755, THIRD, 1, PATH_TRUST_PLACE},
		{OTHER, 0755, NO_ID, 1, PATH_TRUST_PLACE},
		/* open to others, without the sticky bit */
		{0, 0775, ME, 1, PATH_TRUST_OWN},
		{0, 0777, OTHER, 1, PATH_TRUST_PLACE},
		{0, 02775, NO_ID, 1, PATH_TRUST_PLACE},
		/* with it */
		{0, 01777, 0, 1, PATH_TRUST_OWN},
		{0, 01777, 0, 2, PATH_TRUST_PLACE},
		{0, 01777, ME, 1, PATH_TRUST_OWN},
		{0, 01777, ME, 2, PATH_TRUST_PLACE},
		{0, 01777, OTHER, 1, PATH_TRUST_NONE},
		{0, 01777, NO_ID, 1, PATH_TRUST_NONE},
		{0, 01775, OTHER, 1, PATH_TRUST_GROUP},
		{0, 03775, NO_ID, 1, PATH_TRUST_GROUP},
		{ME, 01777, OTHER, 1, PATH_TRUST_NONE},
		{OTHER, 01777, OTHER, 1, PATH_TRUST_PLACE},
		{OTHER, 01777, THIRD, 1, PATH_TRUST_NONE},
		{OTHER, 01775, THIRD, 1, PATH_TRUST_GROUP},
		{OTHER, 01777, 0, 1, PATH_TRUST_OWN},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct stat dir = {.st_mode = S_IFDIR | rows[i].mode,
					 .st_uid = uid_of(rows[i].dir)};
		const struct stat link = {.st_mode = S_IFLNK | 0777,
					  .st_uid = uid_of(rows[i].link),
					  .st_nlink = rows[i].names};

		is_int(path_trust_link(&link, &dir), rows[i].want,
		       "row %zu: directory of %d, mode %04o, link of %d", i, rows[i].dir,
		       (unsigned)rows[i].mode, rows[i].link);
	}
}

static int opened(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* top/way leads to top/real, with "file" in it. */
static void test_openers(const char *top)
{
	struct err e = ERR_INIT;
	char link[PATH_MAX], file[PATH_MAX], last[PATH_MAX];

	snprintf(link, sizeof(link), "%.4000s/way", top);
	snprintf(last, sizeof(last), "%.4000s/way/.", top);
	snprintf(file, sizeof(file), "%.4000s/way/file", top);
	is_int(opened(path_open_believed(file, 0, O_RDONLY, &e)), 0, "by a link of ours (%s)",
	       e.msg);
	is_int(opened(path_open_believed(link, 0, O_RDONLY | O_DIRECTORY, &e)), 0,
	       "as the last name");
	ok(!chmod(top, 0777), "opened the directory to all");
	is_int(opened(path_open_believed(file, 1, O_RDONLY, &e)), 0, "the last name (%s)", e.msg);
	is_int(opened(path_open_believed(file, 2, O_RDONLY, &e)), -EPERM, "and the link (%s)",
	       e.msg);
	snprintf(file, sizeof(file), "%.4000s/way/none", top);
	is_int(opened(path_open_believed(file, 2, O_RDONLY, &e)), -ENOENT, "nothing is there");
	snprintf(file, sizeof(file), "%.4000s/real/file", top);
	is_int(opened(path_open_believed(file, 1, O_RDONLY, &e)), 0, "by no link (%s)", e.msg);
	is_int(opened(path_open_believed(file, 2, O_RDONLY, &e)), -EPERM, "as by one (%s)", e.msg);
	snprintf(file, sizeof(file), "%.4000s/way/file", top);
	if (geteuid() || lchown(link, 12345, 12345)) {
		tap_skip("only root can make a link another user's");
		return;
	}
	ok(!chmod(top, 0755), "closed the directory");
	is_int(opened(path_open_believed(file, 0, O_RDONLY, &e)), 0, "believed by another's link");
	is_int(opened(path_open_private_dir(last, &e)), -ELOOP, "nothing is made by it");
	ok(!chmod(top, 01775), "a group's directory");
	is_int(opened(path_open_believed(file, 0, O_RDONLY, &e)), -ELOOP, "not believed (%s)",
	       e.msg);
	is_int(opened(path_open_input(file, O_RDONLY, NULL, &e)), 0, "read, as it is named");
	is_int(opened(path_open_output(file, O_WRONLY, 0, NULL, &e)), -ELOOP, "not written");
	ok(!chmod(top, 01777), "a directory of all");
	is_int(opened(path_open_input(file, O_RDONLY, NULL, &e)), -ELOOP, "not read either");
	ok(!lchown(link, 0, 0) && !chown(top, 12345, 12345), "root's link in another's directory");
	is_int(opened(path_open_input(file, O_RDONLY, NULL, &e)), 0, "is followed (%s)", e.msg);
	is_int(opened(path_open_private_dir(last, &e)), 0, "by all (%s)", e.msg);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	char top[PATH_MAX];
	struct err e = ERR_INIT;
	_close_ int dir = -1, file = -1;

	me = geteuid();
	test_rule();
	snprintf(top, sizeof(top), "%s/csbx-trust-XXXXXX", tmp ? tmp : "/tmp");
	if (!ok(mkdtemp(top) != NULL, "made a directory"))
		return done_testing();
	dir = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(!mkdirat(dir, "real", 0755) && !symlinkat("real", dir, "way"), "and a link in it");
	file = openat(dir, "real/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ok(file >= 0, "and a file");
	test_openers(top);
	is_int(path_remove_tree_at(AT_FDCWD, top, &e), 0, "clean-up (%s)", e.msg);
	return done_testing();
}
