/* SPDX-License-Identifier: Apache-2.0 */
#include "image/import/import.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/model/digest.h"
#include "image/model/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/image_trailer.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"
#include "tests/unit/tar_writer.h"

#define CONFIG                                                                             \
	"{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":{},\"rootfs\":{\"type\":" \
	"\"layers\",\"diff_ids\":[]}}"
#define SQUASHFS_MAGIC "hsqs"

/* libsquashfs forgets blocks that were under way when a write failed. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libsquashfs";
}

/* The locks around libc's locales and iconv are not visible to ThreadSanitizer. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:__gconv_*\nrace:_nl_*";
}

/*
 * --- a source of two layers, and where images go ------------------------------------------------
 */

struct fixture {
	struct image_source src;
	struct source_layer layers[2];
	int dirfd;
	char dir[TAP_PATH_SIZE];
};

static int memfd(const void *data, size_t len)
{
	int fd = memfd_create("blob", MFD_CLOEXEC);

	if (fd < 0 || io_pwrite_all(fd, data, len, 0, NULL) < 0)
		exit(1);
	return fd;
}

static void set_layer(struct source_layer *l, const struct strbuf *tar)
{
	*l = (struct source_layer){
		.fd = memfd(tar->data, tar->len), .length = tar->len, .size_bytes = tar->len};
	digest_of(tar->data, tar->len, &l->digest, NULL);
	l->diff_id = l->digest;
}

static void setup(struct fixture *f)
{
	_strbuf_ struct strbuf lower = STRBUF_INIT, upper = STRBUF_INIT, big = STRBUF_INIT;

	for (int i = 0; i < 40000; i++)
		strbuf_addf(&big, "%d\n", i * i);
	*f = (struct fixture){.dir = "csbx-import"};
	tar_add(&lower, &(struct tar_member){"bin/tool", .data = big.data});
	tar_add(&lower, &(struct tar_member){"etc/fstab", .data = "the image's own"});
	tar_add(&lower, &(struct tar_member){"gone", .data = "x"});
	tar_end(&lower);
	tar_add(&upper, &(struct tar_member){".wh.gone"});
	tar_add(&upper, &(struct tar_member){"bin/link", '1', .link = "bin/tool"});
	tar_end(&upper);
	set_layer(&f->layers[0], &lower);
	set_layer(&f->layers[1], &upper);
	f->src = (struct image_source){
		.ref = (char *)(uintptr_t) "test:image", .layers = f->layers, .n_layers = 2};
	strbuf_addstr(&f->src.config, CONFIG);
	f->dirfd = tap_mkdtemp(f->dir) ? open(f->dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
}

static void teardown(struct fixture *f)
{
	strbuf_free(&f->src.config);
	close(f->layers[0].fd);
	close(f->layers[1].fd);
	close(f->dirfd);
	path_remove_tree_at(AT_FDCWD, f->dir, NULL);
}

static unsigned count_files(const struct fixture *f)
{
	DIR *dir = opendir(f->dir);
	struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir)))
		n += !str_is_dots(entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

static int import(const struct fixture *f, const char *name, const struct import_options *o,
		  struct err *e)
{
	struct import_result res;

	return import_image(&f->src, f->dirfd, name, o, &res, e);
}

static void load(const struct fixture *f, const char *name, struct strbuf *out)
{
	strbuf_reset(out);
	if (io_read_file_at(f->dirfd, name, 64 << 20, out, NULL) < 0)
		strbuf_reset(out);
}

/*
 * --- tests -------------------------------------------------------------------------------------
 */

static void test_same_bytes(void)
{
	_strbuf_ struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	static const enum squash_comp comps[] = {SQUASH_ZSTD, SQUASH_LZ4, SQUASH_GZIP, SQUASH_NONE};
	struct err e = ERR_INIT;
	struct fixture f;

	setup(&f);
	for (size_t i = 0; i < 4; i++) {
		struct import_options o = {.squash = {.comp = comps[i], .threads = 1},
					   .force = true};
		char name[32];

		squash_format_comp(&o.squash, name, sizeof(name));
		is_int(import(&f, "a", &o, &e), 0, "%s, one thread %s", name, e.msg);
		o.squash.threads = 5;
		is_int(import(&f, "b", &o, &e), 0, "%s, five threads %s", name, e.msg);
		load(&f, "a", &a);
		load(&f, "b", &b);
		is_mem(a.data, a.len, b.data, b.len, "are the same file");
		ok(a.len > 4096 && !memcmp(a.data, SQUASHFS_MAGIC, 4), "and a squashfs");
	}
	is_int(count_files(&f), 2, "nothing else is there");
	teardown(&f);
}

static uint64_t get_le64(const char *p)
{
	uint64_t v = 0;

	for (int i = 7; i >= 0; i--)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

static void test_trailer(void)
{
	_strbuf_ struct strbuf image = STRBUF_INIT;
	struct import_options o = {0};
	struct flat_reader r;
	struct flat_field field;
	struct err e = ERR_INIT;
	unsigned n_layers = 0;
	const char *ref = "", *text;
	struct fixture f;
	uint64_t at;

	setup(&f);
	ok(!import(&f, "a", &o, &e), "import %s", e.msg);
	load(&f, "a", &image);
	at = (get_le64(image.data + 40) + 4095) / 4096 * 4096;
	ok(at < image.len && !flat_open(&r, image.data + at, image.len - at, IMAGE_TRAILER_MAGIC,
					IMAGE_TRAILER_VERSION, &e),
	   "the trailer lies behind bytes_used %s", e.msg);
	while (flat_next(&r, &field, &e) == 1) {
		if (field.tag == TRAILER_REF)
			flat_get_str(&field, &ref, NULL);
		n_layers += field.tag == TRAILER_DIFF_ID && !flat_get_str(&field, &text, NULL) &&
			    str_has_prefix(text, "sha256:");
	}
	is_str(ref, "test:image", "names the source");
	is_int(n_layers, 2, "and the layers");
	teardown(&f);
}

static void test_destination(void)
{
	_strbuf_ struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	struct import_options o = {0};
	struct err e = ERR_INIT;
	struct fixture f;

	setup(&f);
	io_write_file_at(&(struct io_replace){.dirfd = f.dirfd, .name = "a", .mode = 0600}, "old",
			 3, NULL);
	is_int(import(&f, "a", &o, &e), -EEXIST, "an existing file stays: %s", e.msg);
	load(&f, "a", &before);
	is_str(strbuf_str(&before), "old", "as it was");
	o.force = true;
	is_int(import(&f, "a", &o, &e), 0, "force replaces it");
	load(&f, "a", &after);
	ok(after.len > 4096, "by the image");
	ok(!mkdirat(f.dirfd, "d", 0700) && import(&f, "d", &o, &e) == -EISDIR,
	   "never a directory: %s", e.msg);
	is_int(count_files(&f), 2, "nothing else is there");
	teardown(&f);
}

static void expect_failure(const struct fixture *f, const struct import_options *o,
			   const char *text)
{
	struct err e = ERR_INIT;
	int r = import(f, "a", o, &e);

	ok(r < 0 && strstr(e.msg, text), "%s", e.msg);
	is_int(count_files(f), 0, "and nothing is left");
}

static void test_verification(void)
{
	struct import_options o = {0};
	struct fixture f;

	setup(&f);
	f.layers[1].digest.hex[0] ^= 1;
	expect_failure(&f, &o, "layer 2 of 2");
	f.layers[1].digest.hex[0] ^= 1;
	f.layers[0].diff_id.hex[63] ^= 1;
	expect_failure(&f, &o, "diff_id");
	f.layers[0].diff_id.hex[63] ^= 1;
	f.layers[0].size_bytes--;
	expect_failure(&f, &o, "descriptor");
	f.layers[0].size_bytes++;
	f.layers[0].length -= 1024;
	f.layers[0].size_bytes = UINT64_MAX;
	expect_failure(&f, &o, "digest");
	teardown(&f);
}

/* A progress callback that changes the layer between the passes. */
static void tamper(void *arg, const struct import_progress *p)
{
	struct fixture *f = arg;

	if (p->phase == IMPORT_DATA)
		io_pwrite_all(f->layers[0].fd, "Z", 1, 512 + 262144, NULL);
}

static void test_limits_and_interruptions(void)
{
	_Atomic int cancel = 0;
	struct import_options o = {.max_image_bytes = 300000};
	struct rlimit old, limit;
	struct fixture f;

	setup(&f);
	expect_failure(&f, &o, "limit of 300000");
	o.max_image_bytes = 0;
	o.cancel = &cancel;
	cancel = 1;
	expect_failure(&f, &o, "interrupted");
	cancel = 0;
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 8192;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	o.squash.comp = SQUASH_NONE;
	expect_failure(&f, &o, "File too large");
	setrlimit(RLIMIT_FSIZE, &old);
	o.progress = tamper;
	o.progress_arg = &f;
	expect_failure(&f, &o, "changed");
	teardown(&f);
}

static void test_no_layers(void)
{
	struct import_options o = {0};
	struct err e = ERR_INIT;
	struct fixture f;

	setup(&f);
	f.src.n_layers = 0;
	is_int(import(&f, "a", &o, &e), 0, "an image without layers %s", e.msg);
	strbuf_reset(&f.src.config);
	is_int(import(&f, "b", &(struct import_options){.no_enroot_files = true}, &e), 0,
	       "and without anything at all %s", e.msg);
	teardown(&f);
}

static void test_comp_names(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"zstd", "zstd:3"},   {"zstd:19", "zstd:19"}, {"lz4", "lz4"},   {"gzip", "gzip:6"},
		{"gzip:9", "gzip:9"}, {"none", "none"},       {"zstd:0", NULL}, {"zstd:23", NULL},
		{"zstd:", NULL},      {"lz4:1", NULL},        {"xz", NULL},     {"", NULL},
		{"zstd:3x", NULL},    {"ZSTD", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct squash_options o = {0};
		struct err e = ERR_INIT;
		char text[32];
		int r = squash_parse_comp(cases[i].text, &o.comp, &o.level, &e);

		squash_format_comp(&o, text, sizeof(text));
		if (cases[i].want)
			is_str(r < 0 ? e.msg : text, cases[i].want, "'%s'", cases[i].text);
		else
			is_int(r, -EINVAL, "%s", e.msg);
	}
}

int main(void)
{
	test_same_bytes();
	test_trailer();
	test_destination();
	test_verification();
	test_limits_and_interruptions();
	test_no_layers();
	test_comp_names();
	return done_testing();
}
