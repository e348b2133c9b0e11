/* SPDX-License-Identifier: Apache-2.0 */
#include "image/layer/layer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "image/layer/index.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"
#include "tests/unit/tar_writer.h"

/*
 * --- names -------------------------------------------------------------------------------------
 */

static void test_paths(void)
{
	static const char *const good[][2] = {
		{"a", "a"},
		{"./a/b", "a/b"},
		{"/a//b/", "a/b"},
		{"", ""},
		{".", ""},
		{"./", ""},
		{"/", ""},
		{"a/./b/.", "a/b"},
		{"...", "..."},
		{"a/..b/c..", "a/..b/c.."},
		{"\xff\xfe", "\xff\xfe"},
	};
	static const char *const bad[] = {"..", "../a", "a/..", "a/../b", "/..", "./../a"};
	_strbuf_ struct strbuf out = STRBUF_INIT, longest = STRBUF_INIT;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ok(!layer_clean_path(good[i][0], &out, &e), "'%s' is a path", good[i][0]);
		is_str(strbuf_str(&out), good[i][1], "and means '%s'", good[i][1]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(layer_clean_path(bad[i], &out, &e), -EBADMSG, "%s", e.msg);
	for (int i = 0; i < 255; i++)
		strbuf_addch(&longest, 'n');
	ok(!layer_clean_path(longest.data, &out, &e), "a name of 255 bytes");
	strbuf_addch(&longest, 'n');
	is_int(layer_clean_path(longest.data, &out, &e), -EBADMSG, "of 256: %s", e.msg);
	strbuf_reset(&longest);
	for (int i = 0; i < 1024; i++)
		strbuf_addstr(&longest, "a/");
	ok(!layer_clean_path(longest.data, &out, &e), "1024 levels");
	strbuf_addstr(&longest, "a");
	is_int(layer_clean_path(longest.data, &out, &e), -EBADMSG, "1025: %s", e.msg);
	while (longest.len < 4097)
		strbuf_addch(&longest, '/');
	is_int(layer_clean_path(longest.data, &out, &e), -EBADMSG, "4097 bytes: %s", e.msg);
}

static void test_xattr_names(void)
{
	ok(layer_keeps_xattr("user.a", false), "user. attributes are kept");
	ok(!layer_keeps_xattr("user.overlay.opaque", true), "never those that overlayfs obeys");
	ok(!layer_keeps_xattr("trusted.overlay.opaque", true) &&
		   !layer_keeps_xattr("security.selinux", true),
	   "nor trusted. or other security.");
	ok(!layer_keeps_xattr("user.", false) && !layer_keeps_xattr("", false), "nor half a name");
	ok(layer_keeps_xattr("security.capability", true) &&
		   !layer_keeps_xattr("security.capability", false),
	   "capabilities on request");
	ok(layer_keeps_xattr("user.overlayfs", false), "a name that only looks alike is fine");
}

/*
 * --- tars --------------------------------------------------------------------------------------
 */

static int memfd(const struct strbuf *b)
{
	int fd = memfd_create("layer", MFD_CLOEXEC);

	if (fd < 0 || io_pwrite_all(fd, strbuf_str(b), b->len, 0, NULL) < 0)
		exit(1);
	return fd;
}

static int open_tar(struct layer_reader **l, const struct strbuf *tar, uint64_t max_bytes,
		    struct err *e)
{
	struct layer_options o = {.max_bytes = max_bytes, .hash_plain = true};
	struct source_layer src = {.fd = memfd(tar), .length = tar->len};

	return layer_reader_open(l, &src, &o, e); /* the descriptor lives as long as the test */
}

/* One line for every entry: type, path, link, mode, ids, time, size, attributes. */
static int list(const struct strbuf *tar, struct strbuf *out, struct err *e)
{
	_layer_reader_ struct layer_reader *l = NULL;
	struct layer_entry n;
	int r = open_tar(&l, tar, 1 << 20, e);

	while (r == 0 && (r = layer_reader_next(l, &n, e)) > 0) {
		strbuf_addf(out, "%c %s%s%s %o %u:%u @%u %llu", "fdlhpsc"[n.type], n.path,
			    n.link ? " -> " : "", n.link ? n.link : "", n.mode, n.uid, n.gid,
			    n.mtime_s, (unsigned long long)n.size_bytes);
		for (size_t i = 0; i < n.n_xattrs; i++)
			strbuf_addf(out, " %s=%.*s", n.xattrs[i].name, (int)n.xattrs[i].len,
				    (const char *)n.xattrs[i].value);
		strbuf_addch(out, '\n');
		r = 0;
	}
	return r;
}

static void test_entries(void)
{
	_strbuf_ struct strbuf tar = STRBUF_INIT, out = STRBUF_INIT;
	struct err e = ERR_INIT;

	tar_add(&tar, &(struct tar_member){"./", '5'});
	tar_add(&tar, &(struct tar_member){"/etc/passwd", .data = "root"});
	tar_add(&tar, &(struct tar_member){"link", '2', .link = "../../x"});
	tar_add(&tar, &(struct tar_member){"hard", '1', .link = "./etc//passwd"});
	tar_add(&tar, &(struct tar_member){"fifo", '6'});
	tar_add(&tar, &(struct tar_member){"null", '3'});
	tar_add(&tar, &(struct tar_member){"sda", '4'});
	tar_add(&tar, &(struct tar_member){"contiguous", '7', .data = "x"});
	tar_add(&tar, &(struct tar_member){"old/", 0});
	tar_end(&tar);
	is_int(list(&tar, &out, &e), 0, "types: %s", e.msg);
	is_str(strbuf_str(&out),
	       "d  644 0:0 @0 0\n"
	       "f etc/passwd 644 0:0 @0 4\n"
	       "l link -> ../../x 644 0:0 @0 0\n"
	       "h hard -> etc/passwd 644 0:0 @0 0\n"
	       "p fifo 644 0:0 @0 0\n"
	       "c null 644 0:0 @0 0\n"
	       "c sda 644 0:0 @0 0\n"
	       "f contiguous 644 0:0 @0 1\n"
	       "d old 644 0:0 @0 0\n",
	       "one line each");
}

struct pax {
	const char *key, *value;
};

/* A PAX header in front of a regular file "short". */
static void add_pax(struct strbuf *tar, const struct pax *p)
{
	_strbuf_ struct strbuf records = STRBUF_INIT;

	for (; p->key; p++)
		tar_pax_record(&records, p->key, p->value);
	tar_add(tar, &(struct tar_member){"PaxHeader", 'x', .data = strbuf_str(&records)});
	tar_add(tar, &(struct tar_member){"short"});
}

static void test_pax(void)
{
	static const struct {
		struct pax p[4];
		const char *want;
	} cases[] = {
		{{{"path", "a/\xc3\xa9"}}, "f a/\xc3\xa9 644 0:0 @0 0\n"},
		{{{"path", "\xff\xfe/latin"}}, "f \xff\xfe/latin 644 0:0 @0 0\n"},
		{{{"uid", "4000000000"}, {"gid", "70000"}}, "f short 644 4000000000:70000 @0 0\n"},
		{{{"mtime", "1700000000.123456789"}}, "f short 644 0:0 @1700000000 0\n"},
		{{{"mtime", "-5"}}, "f short 644 0:0 @0 0\n"},
		{{{"mtime", "5000000000"}}, "f short 644 0:0 @4294967295 0\n"},
		{{{"SCHILY.xattr.user.a", "1"}, {"SCHILY.xattr.trusted.overlay.opaque", "y"}},
		 "f short 644 0:0 @0 0 user.a=1\n"},
		{{{"SCHILY.xattr.user.overlay.opaque", "y"},
		  {"SCHILY.xattr.security.capability", "\1"}},
		 "f short 644 0:0 @0 0\n"},
		{{{"LIBARCHIVE.xattr.user.b", "dmFsdWU"}}, "f short 644 0:0 @0 0 user.b=value\n"},
		{{{"RHT.security.selinux", "x"}, {"comment", "y"}}, "f short 644 0:0 @0 0\n"},
		{{{"path", "a/../b"}}, NULL},
		{{{"uid", "4294967296"}}, NULL},
		{{{"size", "18446744073709551615"}}, NULL},
		{{{"size", "1099511627776"}}, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_strbuf_ struct strbuf tar = STRBUF_INIT, out = STRBUF_INIT;
		struct err e = ERR_INIT;
		int r;

		add_pax(&tar, cases[i].p);
		tar_end(&tar);
		r = list(&tar, &out, &e);
		if (cases[i].want)
			is_str(r < 0 ? e.msg : strbuf_str(&out), cases[i].want, "PAX %s",
			       cases[i].p[0].key);
		else
			ok(r < 0, "PAX %s=%s: %s", cases[i].p[0].key, cases[i].p[0].value, e.msg);
	}
}

static void test_gnu_names(void)
{
	_strbuf_ struct strbuf tar = STRBUF_INIT, out = STRBUF_INIT;
	char name[301], want[1000];
	struct err e = ERR_INIT;

	memset(name, 'n', 300);
	name[150] = '/';
	name[300] = 0;
	tar_add(&tar, &(struct tar_member){"././@LongLink", 'K', .data = name, .gnu = true});
	tar_add(&tar, &(struct tar_member){"././@LongLink", 'L', .data = name, .gnu = true});
	tar_add(&tar, &(struct tar_member){"nnn", '2', .link = "nnn", .gnu = true});
	tar_end(&tar);
	snprintf(want, sizeof(want), "l %s -> %s 644 0:0 @0 0\n", name, name);
	is_int(list(&tar, &out, &e), 0, "GNU long names: %s", e.msg);
	is_str(strbuf_str(&out), want, "both are whole");
}

static void test_bad_tars(void)
{
	static const struct {
		struct tar_member m;
		const char *text;
	} cases[] = {
		{{"../etc/passwd", .data = "x"}, ".."},
		{{"a/../../x", .data = "x"}, ".."},
		{{"hard", '1', .link = "../../etc/passwd"}, ".."},
		{{".", '2', .link = "elsewhere"}, "root"},
		{{"./", '0', .data = "x"},
		 "tar"}, /* a directory by its slash; those have no data */
		{{"big", .size = "77777777777"}, "limit"},
		{{"bad", .bad_checksum = true}, "tar"},
		{{"loose", '2'}, "symlink"},
	};
	_strbuf_ struct strbuf junk = STRBUF_INIT, out = STRBUF_INIT, cut = STRBUF_INIT;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_strbuf_ struct strbuf tar = STRBUF_INIT;

		tar_add(&tar, &(struct tar_member){"first", .data = "1"});
		tar_add(&tar, &cases[i].m);
		tar_end(&tar);
		err_set(&e, EPERM, "nothing");
		ok(list(&tar, &out, &e) < 0 && strstr(e.msg, cases[i].text), "'%s': %s",
		   cases[i].m.name, e.msg);
	}
	for (int i = 0; i < 2000; i++)
		strbuf_addstr(&junk, "not a tar ");
	ok(list(&junk, &out, &e) < 0, "no tar: %s", e.msg);
	tar_add(&cut, &(struct tar_member){"f", .data = "0123456789"});
	cut.len -= 505;
	ok(list(&cut, &out, &e) < 0, "ends inside a file: %s", e.msg);
	strbuf_reset(&out);
	strbuf_reset(&cut);
	is_int(list(&cut, &out, &e), 0, "no bytes at all is an empty layer");
	tar_end(&cut);
	is_int(list(&cut, &out, &e), 0, "as are zeros");
	is_str(strbuf_str(&out), "", "without an entry");
}

static void test_digest_covers_padding(void)
{
	_strbuf_ struct strbuf tar = STRBUF_INIT;
	_layer_reader_ struct layer_reader *l = NULL;
	struct layer_index x = {0};
	struct digest want;
	struct err e = ERR_INIT;

	tar_add(&tar, &(struct tar_member){"a", .data = "1"});
	for (int i = 0; i < 20; i++)
		tar_end(&tar);
	strbuf_addstr(&tar, "and some bytes nobody reads");
	digest_of(tar.data, tar.len, &want, NULL);
	ok(!open_tar(&l, &tar, 0, &e) && !layer_index_build(&x, l, &e), "index: %s", e.msg);
	ok(digest_equal(&x.result.diff_id, &want) && x.result.plain_bytes == tar.len,
	   "the diff_id covers all bytes, to the last one");
	is_int(x.n, 1, "one entry");
	layer_index_free(&x);
}

/*
 * --- content -----------------------------------------------------------------------------------
 */

static int read_content(struct layer_reader *l, uint64_t size, struct strbuf *out, struct err *e)
{
	const void *data;
	uint64_t offset;
	size_t len;
	int r;

	while ((r = layer_reader_read(l, &data, &len, &offset, e)) > 0) {
		while (out->len < offset)
			strbuf_addch(out, 0);
		strbuf_add(out, data, len);
	}
	while (r == 0 && out->len < size)
		strbuf_addch(out, 0);
	return r;
}

/* Numbers of an old GNU sparse header: offset and length of one piece at `at`. */
static void put_sparse(struct strbuf *tar, size_t at, unsigned offset, unsigned len)
{
	snprintf(tar->data + at, 12, "%011o", offset);
	snprintf(tar->data + at + 12, 12, "%011o", len);
}

static void test_gnu_sparse(void)
{
	_strbuf_ struct strbuf tar = STRBUF_INIT, out = STRBUF_INIT, want = STRBUF_INIT;
	_layer_reader_ struct layer_reader *l = NULL;
	struct layer_entry n;
	struct err e = ERR_INIT;

	tar_add(&tar, &(struct tar_member){"sparse", 'S', .data = "abcdefgh", .gnu = true});
	put_sparse(&tar, 386, 512, 4);
	put_sparse(&tar, 410, 2048, 4);
	put_sparse(&tar, 434, 5000, 0);
	snprintf(tar.data + 483, 12, "%011o", 5000);
	tar_checksum((unsigned char *)tar.data);
	tar_end(&tar);
	ok(!open_tar(&l, &tar, 1 << 20, &e) && layer_reader_next(l, &n, &e) == 1, "%s", e.msg);
	is_int(n.size_bytes, 5000, "the size with its holes");
	is_int(read_content(l, n.size_bytes, &out, &e), 0, "content: %s", e.msg);
	for (int i = 0; i < 5000; i++)
		strbuf_addch(&want, 0);
	memcpy(want.data + 512, "abcd", 4);
	memcpy(want.data + 2048, "efgh", 4);
	is_mem(out.data, out.len, want.data, want.len, "pieces lie where they belong");
}

static void test_pax_sparse(void)
{
	static const struct pax records[] = {{"GNU.sparse.major", "1"},
					     {"GNU.sparse.minor", "0"},
					     {"GNU.sparse.name", "real"},
					     {"GNU.sparse.realsize", "3000"},
					     {0}};
	_strbuf_ struct strbuf tar = STRBUF_INIT, pax = STRBUF_INIT, out = STRBUF_INIT,
			       body = STRBUF_INIT;
	_layer_reader_ struct layer_reader *l = NULL;
	struct layer_entry n;
	struct err e = ERR_INIT;

	for (const struct pax *p = records; p->key; p++)
		tar_pax_record(&pax, p->key, p->value);
	strbuf_addstr(&body, "2\n100\n2\n2998\n2\n");
	while (body.len < 512)
		strbuf_addch(&body, ' ');
	strbuf_addstr(&body, "abcd");
	tar_add(&tar, &(struct tar_member){"PaxHeader", 'x', .data = pax.data});
	tar_add(&tar, &(struct tar_member){"GNUSparseFile.0/real", .data = body.data});
	memset(tar.data + 1024 + 512 + 15, 0, 512 - 15);
	tar_end(&tar);
	ok(!open_tar(&l, &tar, 1 << 20, &e) && layer_reader_next(l, &n, &e) == 1, "%s", e.msg);
	ok(n.size_bytes == 3000 && str_eq(n.path, "real"),
	   "PAX 1.0 sparse: its true name and size");
	ok(!read_content(l, 3000, &out, &e) && out.len == 3000 &&
		   !memcmp(out.data + 100, "ab", 2) && !memcmp(out.data + 2998, "cd", 2) &&
		   !out.data[99] && !out.data[102],
	   "content: %s", e.msg);
}

/*
 * --- directories -------------------------------------------------------------------------------
 */

static void put(int dirfd, const char *name, const char *text, mode_t mode)
{
	_close_ int fd = openat(dirfd, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || io_write_all(fd, text, strlen(text), NULL) < 0 || fchmod(fd, mode) < 0)
		exit(1);
}

static void fill_directory(int dirfd)
{
	static const struct timespec times[2] = {{.tv_sec = 7}, {.tv_sec = 1700000000}};

	put(dirfd, "b", "content", 0640);
	put(dirfd, "a.x", "", 0400);
	ok(!mkdirat(dirfd, "a", 0700) && !mkdirat(dirfd, "a/sub", 0711), "directories");
	put(dirfd, "a/one", "1", 0600);
	ok(!linkat(dirfd, "a/one", dirfd, "two", 0), "a hard link");
	ok(!symlinkat("/nowhere", dirfd, "s") && !mkfifoat(dirfd, "p", 0600),
	   "a symlink and a fifo");
	ok(!utimensat(dirfd, "b", times, 0), "a time");
}

static void test_directory(void)
{
	char tmp[TAP_PATH_SIZE] = "csbx-layer";
	const char *dir = tap_mkdtemp(tmp);
	_close_ int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	_close_ int file = -1;
	struct source_layer src = {.kind = LAYER_DIRECTORY, .fd = fd};
	_strbuf_ struct strbuf out = STRBUF_INIT, content = STRBUF_INIT;
	_layer_reader_ struct layer_reader *l = NULL;
	struct layer_options o = {0};
	struct layer_entry n = {0};
	struct err e = ERR_INIT;
	bool has_xattr;
	int r;

	fill_directory(fd);
	file = openat(fd, "b", O_RDONLY | O_CLOEXEC);
	has_xattr = !fsetxattr(file, "user.k", "v", 1, 0);
	r = layer_reader_open(&l, &src, &o, &e);
	while (r == 0 && (r = layer_reader_next(l, &n, &e)) > 0) {
		strbuf_addf(&out, "%c %s%s%s %o %llu\n", "fdlhpsc"[n.type], n.path,
			    n.link ? " -> " : "", n.link ? n.link : "", n.mode,
			    (unsigned long long)n.size_bytes);
		if (str_eq(n.path, "b")) {
			ok(n.mtime_s == 1700000000 && n.uid == geteuid(), "its time and owner");
			ok(!has_xattr || (n.n_xattrs == 1 && str_eq(n.xattrs[0].name, "user.k") &&
					  !memcmp(n.xattrs[0].value, "v", 1)),
			   "its attributes");
			is_int(read_content(l, n.size_bytes, &content, &e), 0, "its content %s",
			       e.msg);
		}
		r = 0;
	}
	is_str(strbuf_str(&content), "content", "as it is");
	is_str(r < 0 ? e.msg : strbuf_str(&out),
	       "d  700 0\n"
	       "d a 700 0\n"
	       "f a/one 600 1\n"
	       "d a/sub 711 0\n"
	       "f a.x 400 0\n"
	       "f b 640 7\n"
	       "p p 600 0\n"
	       "l s -> /nowhere 777 0\n"
	       "h two -> a/one 600 0\n",
	       "sorted, a directory before its content");
	layer_reader_close(&l);
	path_remove_tree_at(AT_FDCWD, tmp, NULL);
}

int main(void)
{
	test_paths();
	test_xattr_names();
	test_entries();
	test_pax();
	test_gnu_names();
	test_bad_tars();
	test_digest_covers_padding();
	test_gnu_sparse();
	test_pax_sparse();
	test_directory();
	return done_testing();
}
