/* SPDX-License-Identifier: Apache-2.0 */
#include "image/table/table.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"

#define HEX_A "aaaa456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEX_B "aabb456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEX_C "cccc456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID_A "sha256:" HEX_A
#define ID_B "sha256:" HEX_B
#define ID_C "sha256:" HEX_C
#define APP "docker.io/library/app:latest"
#define PROCESSES 64

static char dir[] = "/tmp/csbx-test-XXXXXX";
static struct err e;

static int put(int dirfd, const char *id, uint64_t created_s)
{
	struct image_record r = {.id = id, .arch = "amd64", .os = "linux", .created_s = created_s};
	char file[IMAGE_FILE_BYTES];
	_close_ int lock = image_table_lock(dirfd, &e), fd = -1;
	int k;

	r.config = "{}";
	r.config_len = 2;
	r.size_bytes = 12345;
	strv_add(&r.diff_ids, "sha256:" HEX_C);
	image_table_file(id, file);
	fd = openat(dirfd, file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	k = fd < 0 || lock < 0 ? -EIO : image_table_put(dirfd, &r, &e);
	strv_free(&r.diff_ids);
	return k;
}

static int tag(int dirfd, const char *name, const char *id, char old[IMAGE_ID_BYTES])
{
	_close_ int lock = image_table_lock(dirfd, &e);

	return lock < 0 ? lock : image_table_tag(dirfd, name, id, old, &e);
}

static void finds(int dirfd, const char *operand, const char *id, const char *reference)
{
	_image_entry_ struct image_entry x = {0};

	e.msg[0] = 0;
	if (!ok(!image_table_find(dirfd, operand, &x, &e), "%s is found: %s", operand, e.msg))
		return;
	is_str(x.id, id, "%s: its id", operand);
	ok(reference ? x.reference && !strcmp(x.reference, reference) : !x.reference,
	   "%s: its name", operand);
	is_int(x.size_bytes, 12345, "%s: its size", operand);
}

static void misses(int dirfd, const char *operand, int code)
{
	struct image_entry x;

	is_int(image_table_find(dirfd, operand, &x, &e), -code, "%s is not found", operand);
}

static void test_find(int dirfd)
{
	char old[IMAGE_ID_BYTES];

	misses(dirfd, "app", ENOENT);
	ok(!put(dirfd, ID_A, 10) && !put(dirfd, ID_B, 20), "two images");
	ok(!tag(dirfd, APP, ID_A, old) && !*old, "a name");
	for (size_t i = 0; i < 5; i++) {
		static const char *const forms[] = {"app", "app:latest", "library/app",
						    "docker.io/library/app:latest",
						    "index.docker.io/app"};
		finds(dirfd, forms[i], ID_A, "app:latest");
	}
	misses(dirfd, "app:1", ENOENT);
	misses(dirfd, "me/app", ENOENT);
	misses(dirfd, "App", EINVAL);
	misses(dirfd, "..", EINVAL);
	misses(dirfd, "../../etc/passwd", EINVAL);
	finds(dirfd, HEX_A, ID_A, NULL);
	finds(dirfd, ID_B, ID_B, NULL);
	finds(dirfd, "aabb", ID_B, NULL);
	finds(dirfd, "sha256:aaaa", ID_A, NULL);
	misses(dirfd, "aa", ENOTUNIQ);
	misses(dirfd, "ff", ENOENT);
	misses(dirfd, ID_C, ENOENT);
	/* A name goes before the beginning of an id. */
	ok(!tag(dirfd, "docker.io/library/aabb:latest", ID_A, NULL), "named like an id");
	finds(dirfd, "aabb", ID_A, "aabb:latest");
	finds(dirfd, "aabb45", ID_B, NULL);
	ok(!tag(dirfd, "docker.io/library/app@" ID_C, ID_A, NULL), "by the manifest's digest");
	finds(dirfd, "app@" ID_C, ID_A, "app@" ID_C);
	finds(dirfd, "app:7@" ID_C, ID_A, "app@" ID_C);
	misses(dirfd, "app@" ID_A, ENOENT);
	is_int(tag(dirfd, "docker.io/library/" ID_C, ID_A, NULL), -EINVAL, "an id is no name");
	misses(dirfd, ID_C, ENOENT);
	ok(!tag(dirfd, "localhost/sha256:1", ID_A, NULL) &&
		   !image_table_untag(dirfd, "localhost/sha256:1", &e),
	   "but of a repository elsewhere");
}

static void test_change(int dirfd)
{
	char old[IMAGE_ID_BYTES];
	_close_ int lock = -1;

	ok(!tag(dirfd, APP, ID_B, old), "the name moves");
	is_str(old, ID_A, "and says where it was");
	finds(dirfd, "app", ID_B, "app:latest");
	ok(!tag(dirfd, APP, ID_B, old) && !*old, "to the same image it does not move");
	is_int(tag(dirfd, APP, ID_C, old), -ENOENT, "no name for an image that is not there");
	finds(dirfd, "app", ID_B, "app:latest");
	lock = image_table_lock(dirfd, &e);
	ok(!image_table_untag(dirfd, APP, &e), "a name goes");
	is_int(image_table_untag(dirfd, APP, &e), -ENOENT, "once");
	misses(dirfd, "app", ENOENT);
	ok(!image_table_delete(dirfd, ID_B, &e), "an image goes");
	misses(dirfd, HEX_B, ENOENT);
	ok(faccessat(dirfd, HEX_B ".sqsh", F_OK, 0) < 0, "with its file");
}

static void test_long_names(int dirfd)
{
	_free_ char *name = str_printf("docker.io/%0230d/%0*d:%0128d", 1, 20, 2, 3);
	_free_ char *other = str_printf("docker.io/%0230d/%0*d:%0128d", 1, 20, 2, 4);

	ok(!tag(dirfd, name, ID_A, NULL), "a name longer than a file's may be");
	finds(dirfd, name, ID_A, name + strlen("docker.io/"));
	misses(dirfd, other, ENOENT);
}

static void test_list(int dirfd)
{
	_image_list_ struct image_list l = {0};
	_close_ int fd = -1;

	ok(!put(dirfd, ID_C, 99), "an image without a name");
	fd = openat(dirfd, "@docker.io+library+half:latest", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ok(fd >= 0 && write(fd, "CIT1", 4) == 4, "half a record");
	fd_close(&fd);
	fd = openat(dirfd, HEX_B ".image", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ok(fd >= 0, "an empty one");
	ok(!image_table_list(dirfd, &l, &e), "the list");
	is_int(l.n, 2, "images");
	is_int(l.n_damaged, 2, "damaged records");
	is_str(l.items[0].record.id, ID_C, "last created first");
	is_int(l.items[0].names.n, 0, "it has no name");
	is_int(l.items[1].names.n, 3, "the other has all of its own");
	ok(image_list_get(&l, ID_A) == &l.items[1], "by its id");
	misses(dirfd, "half", EBADMSG);
	ok(!tag(dirfd, "docker.io/library/half:latest", ID_A, NULL), "a good record replaces it");
	finds(dirfd, "half", ID_A, "half:latest");
	unlinkat(dirfd, HEX_B ".image", 0);
}

/* 64 processes take one name for two images in turns and give each a name of its own. */
static void test_many(int dirfd)
{
	_image_list_ struct image_list l = {0};
	pid_t pids[PROCESSES];
	int failed = 0, status;

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			_free_ char *own = str_printf("docker.io/library/own:%d", i);
			int bad = 0;

			for (int k = 0; k < 10; k++) {
				struct image_entry x = {0};

				bad |= tag(dirfd, "docker.io/library/shared:latest",
					   (i + k) % 2 ? ID_A : ID_C, NULL) < 0;
				bad |= image_table_find(dirfd, "shared", &x, &e) < 0;
				image_entry_free(&x);
			}
			bad |= tag(dirfd, own, ID_A, NULL) < 0;
			_exit(bad);
		}
	}
	for (int i = 0; i < PROCESSES; i++)
		failed += waitpid(pids[i], &status, 0) < 0 || status;
	is_int(failed, 0, "%d processes at once", PROCESSES);
	ok(!image_table_list(dirfd, &l, &e), "the list");
	is_int(l.items[0].names.n + l.items[1].names.n, 4 + PROCESSES + 1, "no name is lost");
	is_int(l.n_damaged, 0, "nothing is damaged");
}

static void test_import_lock(int dirfd)
{
	_close_ int lock = image_table_import_begin(dirfd, ID_B, &e);
	char byte = 0;
	int p[2], status;
	pid_t pid;

	ok(lock >= 0 && !pipe(p), "an import begins");
	pid = fork();
	if (!pid) {
		int mine;

		/* The lock is the open file's: a copy of it here would hold it for ever. */
		close(lock);
		mine = image_table_import_begin(dirfd, ID_B, &e);

		byte = 'x';
		_exit(mine < 0 || write(p[1], &byte, 1) != 1);
	}
	close(p[1]);
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	usleep(20000);
	ok(read(p[0], &byte, 1) < 0 && errno == EAGAIN, "another waits");
	fcntl(p[0], F_SETFL, 0);
	image_table_import_done(dirfd, ID_B, &lock);
	is_int(read(p[0], &byte, 1), 1, "and goes on when the first is done");
	ok(waitpid(pid, &status, 0) == pid && !status, "well");
	close(p[0]);
}

int main(void)
{
	_close_ int dirfd = -1;

	dirfd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dirfd < 0)
		return 1;
	test_find(dirfd);
	test_change(dirfd);
	test_long_names(dirfd);
	test_list(dirfd);
	test_many(dirfd);
	test_import_lock(dirfd);
	fd_close(&dirfd);
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	return done_testing();
}
