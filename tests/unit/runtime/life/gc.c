/* SPDX-License-Identifier: Apache-2.0 */
/* gc beside live things: debris goes, what is held stays. */
#include "runtime/life/gc.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/record/instance.h"
#include "runtime/layer/layer.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/temp_dir.h"
#include "tests/unit/tap.h"

static struct paths paths;

static char *path_of(const char *base, const char *name)
{
	return str_printf("%s/%s", base, name);
}

static bool exists(const char *base, const char *name)
{
	_free_ char *path = path_of(base, name);
	struct stat st;

	return !lstat(path, &st);
}

/* A tree like an interrupted command's. */
static void make_debris(const char *base, const char *sub)
{
	_close_ int dir = paths_open(base, sub, NULL);

	is_int(mkdirat(dir, ".tmp-0123456789abcdef", 0700), 0, "debris in %s/%s", base,
	       sub ? sub : "");
	is_int(mkdirat(dir, ".tmp-0123456789abcdef/d", 0), 0, "with a closed directory");
}

/* A bound socket; listening or dead. */
static int make_socket(const char *name, bool alive)
{
	_free_ char *path = path_of(paths.runtime, name);
	_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	strncpy(a.sun_path, path, sizeof(a.sun_path) - 1);
	is_int(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0, "socket %s", name);
	if (!alive)
		return -1;
	is_int(listen(fd, 8), 0, "listens");
	return take_fd(&fd);
}

/* A start that was killed: it leaves its instance file and its scratch layer. */
static void killed_start(const char *id)
{
	pid_t pid = fork();

	if (!pid) {
		struct instance i;
		struct layer l;

		if (!instance_begin(&paths, id, &i, NULL) && !scratch_create(&paths, id, &l, NULL))
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static size_t count(const struct gc_report *r, enum gc_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->items[i].kind == kind && !r->items[i].failed;
	return n;
}

static size_t run(bool dry, const char *what)
{
	struct gc_request q = {.dry_run = dry};
	struct gc_report r;
	struct err e = ERR_INIT;
	size_t n;

	is_int(gc_run(&paths, &q, &r, &e), 0, "%s: %s", what, e.msg);
	for (size_t i = 0; i < r.n; i++) {
		if (r.items[i].failed)
			ok(false, "%s: %s", r.items[i].path, r.items[i].failed);
	}
	n = r.n;
	if (n) {
		is_int(count(&r, GC_INSTANCE), 1, "%s: instance", what);
		is_int(count(&r, GC_SCRATCH), 1, "%s: scratch", what);
		is_int(count(&r, GC_SOCKET), 1, "%s: socket", what);
		is_int(count(&r, GC_CACHE), 1, "%s: cache", what);
		is_int(count(&r, GC_TEMPORARY), 4, "%s: temporary", what);
	}
	gc_report_free(&r);
	return n;
}

static void test_debris(void)
{
	struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	struct instance live = INSTANCE_INIT;
	struct layer layer, kept;
	_close_ int meta = -1, fd = -1, work = -1;

	is_int(run(true, "nothing there"), 0, "nothing found");
	ok(!exists(paths.data, "containers") && !exists(paths.layers, ""), "and nothing made");

	make_debris(paths.data, "containers");
	make_debris(paths.layers, NULL);
	make_debris(paths.cache, "meta");
	meta = paths_open(paths.cache, "meta", NULL);
	fd = openat(meta, "1-2-3-4", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	is_int(futimens(fd, old), 0, "an old record");
	fd_close(&fd);
	fd = openat(meta, "5-6-7-8", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	fd_close(&fd);
	close(paths_open(paths.runtime, "servers", NULL));
	(void)make_socket("servers/00000000000000aa.sock", false);
	(void)make_socket("servers/.tmp-00000000000000aa", false);
	killed_start("dddddddddddd");

	is_int(instance_begin(&paths, "aaaaaaaaaaaa", &live, NULL), 0, "a live instance");
	is_int(scratch_create(&paths, "aaaaaaaaaaaa", &layer, NULL), 0, "its scratch layer");
	is_int(layer_open(&paths, "py", false, &kept, NULL), 0, "a kept layer");

	is_int(run(true, "dry run"), 8, "found");
	is_int(run(false, "gc"), 8, "removed");
	is_int(run(false, "again"), 0, "nothing left");
	ok(exists(paths.runtime, "instances/aaaaaaaaaaaa"), "the live instance stays");
	ok(exists(layer.path, "upper") && exists(layer.path, "lock"), "its layer stays");
	ok(exists(kept.path, "upper"), "the kept layer stays");
	ok(exists(paths.cache, "meta/5-6-7-8"), "a young record stays");

	make_debris(paths.data, "containers");
	work = paths_open(paths.data, "containers", NULL);
	fd = temp_begin(work, NULL);
	is_int(run(false, "somebody builds"), 0, "nothing removed");
	fd_close(&fd);
	instance_end(&live);
	scratch_discard(&layer, -1);
	layer_close(&kept);
}

int main(void)
{
	char dir[TAP_PATH_SIZE] = "csbx-unit-gc";

	if (!tap_mkdtemp(dir))
		return EXIT_FAILURE;
	paths = (struct paths){.data = path_of(dir, "data"),
			       .cache = path_of(dir, "cache"),
			       .runtime = path_of(dir, "run"),
			       .layers = path_of(dir, "layers"),
			       .scratch = path_of(dir, "tmp")};
	test_debris();
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	paths_free(&paths);
	return done_testing();
}
