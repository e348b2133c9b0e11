/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/layer/layer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/boot_id.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"
#include "tests/unit/tap.h"

static struct paths paths;

/* Makes the mark that the kernel leaves of a volatile mount that was not unmounted cleanly. */
static void leave_kernel_mark(const struct layer *l)
{
	mkdirat(l->work, "work", 0700);
	mkdirat(l->work, "work/incompat", 0700);
	mkdirat(l->work, "work/incompat/volatile", 0700);
	is_int(fchmodat(l->work, "work", 0, 0), 0, "the kernel's mark, out of reach");
}

static bool has(const struct layer *l, int dirfd, const char *name)
{
	struct stat st;

	(void)l;
	return !fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW);
}

static void test_kept(void)
{
	_free_ char *want = str_printf("layer py: in use by pid %d", getpid());
	struct layer l, second;
	struct stat st;
	struct err e = ERR_INIT;
	char boot[BOOT_ID_SIZE] = "", mark[BOOT_ID_SIZE] = "";

	is_int(layer_open(&paths, "../x", 0, &l, &e), -EINVAL, "no name: %s", e.msg);
	is_int(layer_open(&paths, "py", 0, &l, &e), 0, "made: %s", e.msg);
	ok(!l.was_dirty, "clean");
	ok(!fstat(l.upper, &st) && (st.st_mode & 07777) == 0755, "upper has the mode of /");
	ok(str_has_suffix(l.upper_path, "/py/upper"), "path");
	boot_id_read(boot, NULL);
	is_int(readlinkat(l.dir, "dirty", mark, sizeof(mark)), BOOT_ID_SIZE - 1, "marked");
	is_mem(mark, BOOT_ID_SIZE - 1, boot, BOOT_ID_SIZE - 1, "with the boot id");
	is_int(layer_open(&paths, "py", 0, &second, &e), -EBUSY, "one at a time");
	is_str(e.msg, want, "%s", e.msg);
	leave_kernel_mark(&l);
	layer_close(&l);

	is_int(layer_open(&paths, "py", 0, &l, &e), 0, "after a kill, same boot: %s", e.msg);
	ok(l.was_dirty, "was dirty");
	ok(!has(&l, l.work, "work"), "the kernel's mark is gone");
	leave_kernel_mark(&l);
	is_int(layer_clean(&l, &e), 0, "clean: %s", e.msg);
	ok(!has(&l, l.dir, "dirty") && !has(&l, l.work, "work"), "both marks are gone");
	layer_close(&l);
}

static void test_crash(void)
{
	struct layer l;
	struct err e = ERR_INIT;

	is_int(layer_open(&paths, "py", 0, &l, &e), 0, "open: %s", e.msg);
	unlinkat(l.dir, "dirty", 0);
	is_int(symlinkat("00000000-0000-0000-0000-000000000000", l.dir, "dirty"), 0,
	       "another boot's mark");
	leave_kernel_mark(&l);
	layer_close(&l);
	is_int(layer_open(&paths, "py", 0, &l, &e), -EUCLEAN, "refused");
	is_str(e.msg,
	       "layer may be incomplete after a crash: csbx start -w --force uses it as "
	       "it is, or remove the container",
	       "%s", e.msg);
	is_int(layer_open(&paths, "py", 0, &l, &e), -EUCLEAN, "and again");
	is_int(layer_open(&paths, "py", LAYER_FORCE, &l, &e), 0, "forced: %s", e.msg);
	layer_close(&l);
	is_int(layer_open(&paths, "py", 0, &l, &e), 0, "this boot's from then on: %s", e.msg);
	layer_close(&l);
}

/* Without a mark of its own it is known by the kernel's, should it be used again. */
static void test_one_that_goes(void)
{
	struct layer l;
	struct err e = ERR_INIT;

	is_int(layer_open(&paths, "goes", LAYER_GOES, &l, &e), 0, "made: %s", e.msg);
	ok(!has(&l, l.dir, "dirty") && !l.was_dirty, "not marked");
	leave_kernel_mark(&l);
	layer_close(&l);
	is_int(layer_open(&paths, "goes", LAYER_GOES, &l, &e), 0, "used again: %s", e.msg);
	ok(l.was_dirty && !has(&l, l.work, "work"), "its last use is seen, the mark gone");
	ok(has(&l, l.dir, "dirty"), "marked from then on");
	layer_close(&l);
}

static void test_read(void)
{
	struct layer l, second;
	struct err e = ERR_INIT;

	is_int(layer_read(&paths, "never", &l, &e), 0, "none is no error: %s", e.msg);
	ok(l.dir < 0, "and none is made");
	layer_close(&l);
	is_int(layer_open(&paths, "read", 0, &l, &e), 0, "made: %s", e.msg);
	is_int(layer_read(&paths, "read", &second, &e), -EBUSY, "not while it is written: %s",
	       e.msg);
	layer_close(&l);
	is_int(layer_read(&paths, "read", &l, &e), 0, "after a kill, same boot: %s", e.msg);
	ok(has(&l, l.dir, "dirty"), "the mark stays");
	is_int(layer_open(&paths, "read", 0, &second, &e), -EBUSY, "held: %s", e.msg);
	ok(strstr(e.msg, "by a start that reads it"), "and by whom: %s", e.msg);
	is_int(layer_read(&paths, "read", &second, &e), 0, "many may read: %s", e.msg);
	layer_close(&second);
	unlinkat(l.dir, "dirty", 0);
	is_int(symlinkat("another", l.dir, "dirty"), 0, "mark of another boot");
	layer_close(&l);
	is_int(layer_read(&paths, "read", &l, &e), -EUCLEAN, "incomplete: %s", e.msg);
	ok(l.dir < 0 && l.lock < 0, "nothing is held");
}

static void test_destroy(void)
{
	struct layer l, held;
	struct err e = ERR_INIT;
	_free_ char *dir = str_printf("%s/py", paths.layers);

	is_int(layer_open(&paths, "py", 0, &l, &e), 0, "open: %s", e.msg);
	is_int(layer_hold(&paths, "py", &held, &e), -EBUSY, "held: %s", e.msg);
	layer_close(&l);
	is_int(layer_hold(&paths, "py", &held, &e), 0, "hold: %s", e.msg);
	is_int(layer_open(&paths, "py", 0, &l, &e), -EBUSY, "a start meanwhile: %s", e.msg);
	is_int(layer_destroy(&held, &e), 0, "destroy: %s", e.msg);
	layer_close(&held);
	ok(access(dir, F_OK) < 0, "gone");
	is_int(layer_hold(&paths, "py", &held, &e), 0, "hold of none: %s", e.msg);
	is_int(held.dir, -1, "nothing held");
	is_int(layer_destroy(&held, &e), 0, "destroy of none");
	layer_close(&held);
}

static void test_scratch(void)
{
	struct layer l;
	struct err e = ERR_INIT;
	_free_ char *dir = NULL;

	is_int(scratch_create(&paths, "0123456789ab", &l, &e), 0, "create: %s", e.msg);
	dir = strdup(l.path);
	ok(has(&l, l.upper, "../lock") && has(&l, l.work, "."), "complete");
	leave_kernel_mark(&l);
	scratch_discard(&l, -1);
	ok(access(dir, F_OK) < 0, "renamed away at once");
	is_int(l.dir, -1, "closed");
	is_int(scratch_create(&paths, "0123456789ab", &l, &e), 0, "again: %s", e.msg);
	scratch_discard(&l, -1);
}

/* The detached deleters hold the lock of temporary names until they are done. */
static void wait_for_deleters(void)
{
	_free_ char *path = scratch_root_path(&paths);
	_close_ int root = path_open_private_dir(path, NULL), lock = -1;
	struct stat st;

	lock = openat(root, ".lock", O_RDWR | O_CLOEXEC);
	is_int(file_lock_wait(lock, true), 0, "deleters are done");
	is_int(fstat(root, &st), 0, "stat");
	is_int(st.st_nlink, 2, "nothing is left in %s", path);
}

int main(void)
{
	char dir[TAP_PATH_SIZE] = "csbx-unit-layer";

	if (!tap_mkdtemp(dir))
		return EXIT_FAILURE;
	paths = (struct paths){.layers = dir, .scratch = dir};
	test_kept();
	test_crash();
	test_one_that_goes();
	test_read();
	test_destroy();
	test_scratch();
	wait_for_deleters();
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	return done_testing();
}
