/* SPDX-License-Identifier: Apache-2.0 */
/* Container store, kept layers, instances and the meta cache, in a directory of the test's own. */
#include "runtime/record/container_store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/path.h"
#include "runtime/life/container_end.h"
#include "runtime/server/image_meta.h"
#include "runtime/record/instance.h"
#include "runtime/layer/layer.h"
#include "runtime/server/meta_cache.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/image_id.h"
#include "runtime/record/run_dir.h"
#include "runtime/kernel/temp_dir.h"
#include "tests/unit/tap.h"

static struct paths paths;
static int n_meta_reads;

/* Stands in for the confined reader. */
static int read_meta(void *arg, int fd, enum rootfs_kind kind, struct strbuf *ret, struct err *e)
{
	struct flat_writer w;
	int r;

	(void)arg, (void)fd, (void)kind;
	n_meta_reads++;
	flat_begin(&w, IMAGE_META_MAGIC, IMAGE_META_VERSION);
	flat_str(&w, META_USER, "app");
	r = flat_end(&w, e);
	if (!r)
		strbuf_add(ret, w.buf.data, w.buf.len);
	flat_free(&w);
	return r;
}

static const struct meta_source source = {.read = read_meta};

static void put(unsigned char *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

static void make_image(unsigned char head[4096], uint64_t used)
{
	memset(head, 0, 4096);
	memcpy(head, "hsqs", 4);
	put(head + 12, 131072, 4);
	put(head + 20, 6, 2);
	put(head + 22, 17, 2);
	put(head + 28, 4, 2);
	put(head + 40, used, 8);
}

static char *in_dir(const char *name)
{
	return str_printf("%s/%s", paths.data, name);
}

static void write_at(const char *path, const void *data, size_t len)
{
	_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		ok(false, "write %s", path);
}

/* Writes a good image and returns its path. */
static char *image_named(const char *name)
{
	unsigned char head[4096];
	char *path = in_dir(name);

	make_image(head, 4096);
	write_at(path, head, sizeof(head));
	return path;
}

static int create(const char *name, const char *image, bool replace, struct err *e)
{
	struct container_create how = {
		.name = name, .image = image, .replace = replace, .meta = &source};
	struct err none = ERR_INIT;
	int r = container_store_create(&paths, &how, NULL, &none);

	if (e)
		*e = none;
	return r;
}

static size_t count_debris(void)
{
	_strv_ struct strv names = STRV_INIT;
	size_t debris = 0;

	container_store_list(&paths, &names, &debris, NULL);
	return debris;
}

/* --- sniff -------------------------------------------------------------------------------- */

static void is_sniffed(const unsigned char *head, size_t len, uint64_t bytes, const char *want)
{
	struct err e = ERR_INIT;

	is_int(image_sniff(head, len, bytes, &e), *want ? -EINVAL : 0, "sniff");
	is_str(e.msg, want, "%s", *want ? want : "good");
}

static void test_sniff(void)
{
	unsigned char h[4096];

	make_image(h, 4096);
	is_sniffed(h, 96, 4096, "");
	is_sniffed(h, 96, 4095, "a squashfs image cut short: 4095 of 4096 bytes");
	is_sniffed(h, 95, 95, "a squashfs image cut short: 95 bytes");
	is_sniffed(h, 0, 0, "not a squashfs image: csbx import makes one");
	put(h + 28, 3, 2);
	is_sniffed(h, 96, 4096, "squashfs version 3, not 4");
	make_image(h, UINT64_MAX);
	is_sniffed(h, 96, 4096, "a squashfs image cut short: 4096 of 18446744073709551615 bytes");
	make_image(h, 4096);
	put(h + 12, 131073, 4);
	is_sniffed(h, 96, 4096, "a damaged squashfs image: block size 131073");
	put(h + 12, 131072, 4);
	put(h + 22, 49, 2);
	is_sniffed(h, 96, 4096, "a damaged squashfs image: block size 131072");
	is_sniffed((const unsigned char *)"sqsh", 4, 4, "a squashfs older than version 4");
	is_sniffed((const unsigned char *)"\x1f\x8b\x08\0", 4, 4,
		   "not a squashfs image but compressed data: csbx import first");
}

/* --- create ------------------------------------------------------------------------------- */

static void test_create(void)
{
	_free_ char *image = image_named("py.sqsh"), *shown = NULL, *missing = in_dir("none.sqsh");
	struct container_record rec;
	struct image_meta meta;
	struct image_id id;
	struct err e = ERR_INIT;
	_close_ int fd = -1;

	is_int(create("py", image, false, &e), 0, "create: %s", e.msg);
	is_int(create("py", image, false, &e), -EEXIST, "again: %s", e.msg);
	is_int(create("bad/name", image, false, &e), -EINVAL, "bad name: %s", e.msg);
	is_int(create("other", missing, false, &e), -ENOENT, "missing image: %s", e.msg);
	is_int(container_store_open(&paths, "py", &rec, &e), 0, "open: %s", e.msg);
	is_int(rec.pin, PIN_LINK, "pinned by a link");
	is_str(rec.image, image, "path");
	ok(rec.created_ns > UINT64_C(1700000000000000000), "time");
	is_int(image_meta_decode(&meta, rec.meta, rec.meta_len, &e), 0, "meta is in the record");
	is_str(meta.user, "app", "meta");
	image_meta_free(&meta);

	unlink(image);
	fd = container_store_open_image(&paths, "py", &rec, &shown, &id, &e);
	ok(fd >= 0, "the image is pinned, though its path is gone: %s", e.msg);
	ok(image_id_same(&id, &rec.id), "same identity");
	ok(shown && str_has_suffix(shown, "/containers/py/image"), "path of the pin");
	container_record_free(&rec);
	is_int(container_store_open(&paths, "nope", &rec, &e), -ENOENT, "no such container: %s",
	       e.msg);
	is_int(container_store_open(&paths, "..", &rec, &e), -EINVAL, "no name: %s", e.msg);
	is_int(count_debris(), 0, "no debris");
}

static void test_changed(void)
{
	_free_ char *image = image_named("c.sqsh"), *dir = in_dir("rootfs"),
		    *dir2 = in_dir("rootfs2");
	struct container_record rec;
	struct image_id id;
	struct err e = ERR_INIT;
	struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	int fd;

	is_int(create("c", image, false, &e), 0, "create: %s", e.msg);
	is_int(utimensat(AT_FDCWD, image, times, 0), 0, "touched in place");
	container_store_open(&paths, "c", &rec, &e);
	is_int(container_store_open_image(&paths, "c", &rec, NULL, &id, &e), -ESTALE, "refused: %s",
	       e.msg);
	container_record_free(&rec);

	mkdir(dir, 0755);
	is_int(create("d", dir, false, &e), 0, "a directory: %s", e.msg);
	is_int(container_store_open(&paths, "d", &rec, &e), 0, "open: %s", e.msg);
	is_int(rec.pin, PIN_PATH, "pinned by path");
	ok(rec.kind == ROOTFS_DIRECTORY && !rec.meta, "no meta: its files may change");
	fd = container_store_open_image(&paths, "d", &rec, NULL, &id, &e);
	ok(fd >= 0, "opened: %s", e.msg);
	close(fd);
	rename(dir, dir2);
	is_int(container_store_open_image(&paths, "d", &rec, NULL, &id, &e), -ENOENT, "gone: %s",
	       e.msg);
	mkdir(dir, 0755);
	is_int(container_store_open_image(&paths, "d", &rec, NULL, &id, &e), -ESTALE, "another: %s",
	       e.msg);
	container_record_free(&rec);
}

static void test_no_image(void)
{
	_free_ char *text = in_dir("text"), *fifo = in_dir("fifo"), *oci = in_dir("oci"),
		    *file = NULL;
	struct err e = ERR_INIT;

	write_at(text, "hello\n", 6);
	is_int(create("t", text, false, &e), -EINVAL, "a text file: %s", e.msg);
	mkfifo(fifo, 0600);
	is_int(create("t", fifo, false, &e), -EINVAL, "a fifo: %s", e.msg);
	mkdir(oci, 0755);
	file = in_dir("oci/oci-layout");
	write_at(file, "{}", 2);
	is_int(create("t", oci, false, &e), -EINVAL, "an OCI layout: %s", e.msg);
	is_int(count_debris(), 0, "no debris");
}

static void test_damaged(void)
{
	_free_ char *image = image_named("dm.sqsh"), *record = in_dir("containers/dm/record");
	struct container_record rec;
	struct err e = ERR_INIT;

	is_int(create("dm", image, false, &e), 0, "create: %s", e.msg);
	is_int(truncate(record, 40), 0, "torn");
	is_int(container_store_open(&paths, "dm", &rec, &e), -EBADMSG, "refused: %s", e.msg);
	is_int(create("dm", image, true, &e), 0, "create -f: %s", e.msg);
	is_int(container_store_open(&paths, "dm", &rec, &e), 0, "whole again: %s", e.msg);
	container_record_free(&rec);
	is_int(truncate(record, 0), 0, "emptied");
	is_int(container_store_remove(&paths, "dm", &e), 0, "remove: %s", e.msg);
}

/* --- remove and replace, in use ------------------------------------------------------------- */

static void test_in_use(void)
{
	_free_ char *image = image_named("u.sqsh"),
		    *want = str_printf("in use by pid %d", getpid());
	_free_ char *want_layer = str_printf("layer u: %s", want), *layer_dir = in_dir("layers/u");
	struct instance inst = INSTANCE_INIT;
	struct instance_record rec = {
		.id = "0123456789ab", .name = "u", .image = image, .supervisor = getpid()};
	struct layer layer;
	struct err e = ERR_INIT;

	is_int(create("u", image, false, &e), 0, "create: %s", e.msg);
	is_int(instance_begin(&paths, rec.id, &inst, &e), 0, "begin: %s", e.msg);
	is_int(instance_publish(&inst, &rec, &e), 0, "publish: %s", e.msg);
	is_int(container_store_remove(&paths, "u", &e), -EBUSY, "remove");
	is_str(e.msg, want, "%s", e.msg);
	is_int(create("u", image, true, &e), -EBUSY, "create -f");
	instance_end(&inst);

	is_int(layer_open(&paths, "u", false, &layer, &e), 0, "layer: %s", e.msg);
	is_int(container_store_remove(&paths, "u", &e), -EBUSY, "remove while the layer is held");
	is_str(e.msg, want_layer, "%s", e.msg);
	layer_close(&layer);
	is_int(create("u", image, true, &e), 0, "create -f: %s", e.msg);
	ok(access(layer_dir, F_OK) < 0, "the old layer is gone");
	is_int(layer_open(&paths, "u", false, &layer, &e), 0, "a new one: %s", e.msg);
	is_int(layer_clean(&layer, &e), 0, "clean: %s", e.msg);
	layer_close(&layer);
	is_int(container_store_remove(&paths, "u", &e), 0, "remove: %s", e.msg);
	is_int(container_store_remove(&paths, "u", &e), -ENOENT, "again: %s", e.msg);
	ok(access(layer_dir, F_OK) < 0, "its layer is gone");
}

/* Many at once on one name: one creator and one remover win each round, and nothing is left. */
static void test_race(void)
{
	_free_ char *image = image_named("r.sqsh");
	int winners[2] = {0, 0};

	for (int step = 0; step < 2; step++) {
		pid_t pids[16];

		for (int i = 0; i < 16; i++) {
			pids[i] = fork();
			if (!pids[i])
				_exit(step ? container_store_remove(&paths, "r", NULL) == 0
					   : create("r", image, false, NULL) == 0);
		}
		for (int i = 0; i < 16; i++) {
			int status = 0;

			waitpid(pids[i], &status, 0);
			winners[step] += WIFEXITED(status) && WEXITSTATUS(status) == 1;
		}
	}
	is_int(winners[0], 1, "one of 16 creators");
	is_int(winners[1], 1, "one of 16 removers");
	is_int(count_debris(), 0, "no debris");
}

static void test_list(void)
{
	_free_ char *image = image_named("l.sqsh"),
		    *debris = in_dir("containers/.tmp-0123456789abcdef");
	_strv_ struct strv names = STRV_INIT, again = STRV_INIT;
	size_t n = 99;
	_close_ int dirfd = container_store_open_dir(&paths, NULL), lock = -1;

	create("l2", image, false, NULL);
	create("l1", image, false, NULL);
	mkdir(debris, 0700);
	is_int(container_store_list(&paths, &names, &n, NULL), 0, "list");
	is_int(n, 1, "debris counted");
	is_int(names.n, 5, "c d l1 l2 py");
	for (size_t i = 1; i < names.n; i++)
		ok(strcmp(names.items[i - 1], names.items[i]) < 0, "%s comes after",
		   names.items[i]);
	lock = temp_begin(dirfd, NULL);
	container_store_list(&paths, &again, &n, NULL);
	is_int(n, 0, "what is being built is no debris");
	rmdir(debris);
}

static void test_meta_cache(void)
{
	_free_ char *image = image_named("m.sqsh"), *dir = in_dir("mdir"),
		    *etc = in_dir("mdir/etc"), *passwd = in_dir("mdir/etc/passwd");
	int before;

	create("m1", image, false, NULL);
	before = n_meta_reads;
	create("m2", image, false, NULL);
	is_int(n_meta_reads, before, "the second create reads the cache");
	mkdir(dir, 0755);
	mkdir(etc, 0755);
	for (int i = 0; i < 4; i++) {
		_strbuf_ struct strbuf rec = STRBUF_INIT;
		_close_ int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
		struct image_id id;
		struct stat st;

		fstat(fd, &st);
		image_id_from_stat(&id, &st);
		before = n_meta_reads;
		is_int(meta_cache_get(&paths, fd, ROOTFS_DIRECTORY, &id, &source, &rec, NULL), 0,
		       "directory");
		is_int(n_meta_reads - before, i != 1, "read %d", i);
		if (i)
			write_at(passwd, "root:x:0:0::/:\n", (size_t)(i == 1 ? 15 : 14));
	}
}

/* --- a record that is no longer that of its name -------------------------------------------- */

static void test_stale(void)
{
	const struct container_stop how = {.has_grace = true};
	_free_ char *image = image_named("stale.sqsh"), *path = in_dir("containers/stale");
	struct container_record rec, old;
	struct container_state state;
	struct err e = ERR_INIT;
	struct run_dir run;
	_close_ int dir = -1;

	is_int(create("stale", image, false, &e), 0, "create: %s", e.msg);
	is_int(container_store_open(&paths, "stale", &rec, &e), 0, "open: %s", e.msg);
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	is_int(run_dir_take(dir, rec.container_id, &run, &e), 0, "it runs: %s", e.msg);
	old = rec;
	old.container_id = "0123456789abcdef";
	old.spec = ""; /* of one that stays */
	is_int(container_stop(&paths, "stale", &old, &how, &state, &e), -ENOENT, "stop: %s", e.msg);
	is_int(container_kill(&paths, "stale", &old, SIGKILL, &e), -ENOENT, "kill: %s", e.msg);
	is_int(container_remove(&paths, "stale", &old, true, &e), -ENOENT, "rm -f: %s", e.msg);
	run_dir_close(&run);
	container_record_free(&rec);
}

int main(void)
{
	char dir[TAP_PATH_SIZE] = "csbx-unit-store";

	if (!tap_mkdtemp(dir))
		return EXIT_FAILURE;
	paths = (struct paths){.data = dir,
			       .cache = str_printf("%s/cache", dir),
			       .runtime = str_printf("%s/run", dir),
			       .layers = str_printf("%s/layers", dir),
			       .scratch = str_printf("%s/layers", dir)};
	test_sniff();
	test_create();
	test_changed();
	test_no_image();
	test_damaged();
	test_in_use();
	test_race();
	test_list();
	test_meta_cache();
	test_stale();
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	free(paths.cache);
	free(paths.runtime);
	free(paths.layers);
	free(paths.scratch);
	return done_testing();
}
