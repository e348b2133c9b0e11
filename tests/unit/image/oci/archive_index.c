/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/archive_index.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"
#include "tests/unit/tar_writer.h"

static ssize_t read_buffer(void *arg, void *buf, size_t len, uint64_t offset, struct err *e)
{
	const struct strbuf *b = arg;

	(void)e;
	if (offset >= b->len)
		return 0;
	if (len > b->len - offset)
		len = (size_t)(b->len - offset);
	memcpy(buf, b->data + offset, len);
	return (ssize_t)len;
}

static int scan(struct strbuf *b, struct archive_index *i, struct err *e)
{
	struct archive_input in = {.read = read_buffer, .arg = b, .size_bytes = b->len};

	return archive_index_scan(&in, i, e);
}

/* The data of the file that name leads to, or NULL. */
static const char *content(const struct strbuf *b, const struct archive_index *i, const char *name)
{
	static char text[64];
	const struct archive_member *m;

	if (archive_index_find(i, name, &m, NULL) < 0)
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)m->size_bytes, b->data + m->offset);
	return text;
}

static void test_members(void)
{
	_archive_index_ struct archive_index i = {0};
	_strbuf_ struct strbuf b = STRBUF_INIT, pax = STRBUF_INIT;
	char long_name[301];
	struct err e = ERR_INIT;

	memset(long_name, 'n', 300);
	long_name[100] = long_name[200] = '/';
	long_name[300] = 0;
	tar_add(&b, &(struct tar_member){"z/last", .data = "zz"});
	tar_add(&b, &(struct tar_member){"./a", .data = "first"});
	tar_add(&b, &(struct tar_member){"d/", '5'});
	tar_add(&b, &(struct tar_member){"d/empty"});
	tar_add(&b, &(struct tar_member){"old/"});
	tar_add(&b, &(struct tar_member){"tail", .prefix = "a/prefix", .data = "split"});
	tar_add(&b, &(struct tar_member){"tail2", .prefix = "not a prefix", .data = "gnu",
					 .gnu = true});
	tar_add(&b, &(struct tar_member){"././@LongLink", 'L', .data = long_name, .gnu = true});
	tar_add(&b, &(struct tar_member){"nnn", .data = "long"});
	tar_pax_record(&pax, "mtime", "1.5");
	tar_pax_record(&pax, "path", "p\xc3\xa4x");
	tar_pax_record(&pax, "size", "3");
	tar_add(&b, &(struct tar_member){"PaxHeader", 'x', .data = pax.data});
	tar_add(&b, &(struct tar_member){"short", .data = "pax", .size = "00000000000"});
	tar_add(&b, &(struct tar_member){"global", 'g', .data = "19 path=everything\n"});
	tar_add(&b, &(struct tar_member){"after", .data = "after",
					 .size = "\x80\0\0\0\0\0\0\0\0\0\0\5"});
	tar_add(&b, &(struct tar_member){"/abs/olute", .data = "abs"});
	tar_add(&b, &(struct tar_member){"x/../y", .data = "BAD"});
	tar_add(&b, &(struct tar_member){"fifo", '6'});
	tar_end(&b);
	strbuf_addstr(&b, "bytes behind the end do not matter");

	if (!ok(!scan(&b, &i, &e), "scans: %s", e.msg))
		return;
	is_str(content(&b, &i, "z/last"), "zz", "the first member");
	is_str(content(&b, &i, "a"), "first", "without ./");
	is_str(content(&b, &i, "./a"), "first", "and asked for with it");
	is_str(content(&b, &i, "d/empty"), "", "an empty file");
	ok(!content(&b, &i, "d") && archive_index_get(&i, "d"), "a directory is no file");
	is_int(archive_index_get(&i, "old")->type, MEMBER_DIRECTORY, "nor is a v7 directory");
	is_str(content(&b, &i, "a/prefix/tail"), "split", "a POSIX prefix");
	is_str(content(&b, &i, "tail2"), "gnu", "GNU has none");
	is_str(content(&b, &i, long_name), "long", "a GNU long name");
	is_str(content(&b, &i, "p\xc3\xa4x"), "pax", "a PAX path and size");
	is_str(content(&b, &i, "after"), "after", "a base-256 size, behind a global header");
	is_str(content(&b, &i, "abs/olute"), "abs", "an absolute name is relative");
	ok(!content(&b, &i, "y") && !content(&b, &i, "x/../y"), "names with .. cannot be reached");
	ok(!content(&b, &i, "fifo"), "a FIFO is no file");
	ok(!content(&b, &i, "none") && !content(&b, &i, ""), "missing names");
}

static void test_links(void)
{
	static const struct {
		const char *name, *link;
		char type;
		const char *want;
	} links[] = {
		{"1/layer.tar", "../0/layer.tar", '2', "data"},
		{"2/layer.tar", "../1/layer.tar", '2', "data"},
		{"same", "0/layer.tar", '2', "data"},
		{"dotted", "./0/./layer.tar", '2', "data"},
		{"round", "0/../0/layer.tar", '2', "data"},
		{"hard", "0/layer.tar", '1', "data"},
		{"deep/hard", "./0/layer.tar", '1', "data"},
		{"out", "../0/layer.tar", '2', NULL},
		{"out2", "0/../../0/layer.tar", '2', NULL},
		{"abs", "/etc/passwd", '2', NULL},
		{"hardout", "../../etc/passwd", '1', NULL},
		{"hardabs", "/etc/passwd", '1', NULL},
		{"self", "self", '2', NULL},
		{"ping", "pong", '2', NULL},
		{"pong", "ping", '2', NULL},
		{"dangling", "nothing", '2', NULL},
		{"todir", "dir", '2', NULL},
		{"empty", "", '2', NULL},
	};
	_archive_index_ struct archive_index i = {0};
	_strbuf_ struct strbuf b = STRBUF_INIT;
	struct err e = ERR_INIT;
	char name[16], target[16];

	for (unsigned k = 0; k < sizeof(links) / sizeof(links[0]); k++)
		tar_add(&b,
			&(struct tar_member){links[k].name, links[k].type, .link = links[k].link});
	tar_add(&b, &(struct tar_member){"0/layer.tar", .data = "data"});
	tar_add(&b, &(struct tar_member){"dir", '5'});
	for (int k = 0; k <= ARCHIVE_LINKS_MAX; k++) {
		snprintf(name, sizeof(name), "chain%d", k);
		snprintf(target, sizeof(target), k ? "chain%d" : "same", k - 1);
		tar_add(&b, &(struct tar_member){name, '2', .link = target});
	}
	if (!ok(!scan(&b, &i, &e), "scans: %s", e.msg))
		return;
	for (unsigned k = 0; k < sizeof(links) / sizeof(links[0]); k++)
		is_str(content(&b, &i, links[k].name), links[k].want, "%s -> %s", links[k].name,
		       links[k].link);
	snprintf(name, sizeof(name), "chain%d", ARCHIVE_LINKS_MAX - 2);
	is_str(content(&b, &i, name), "data", "as many links as allowed");
	snprintf(name, sizeof(name), "chain%d", ARCHIVE_LINKS_MAX);
	ok(!content(&b, &i, name), "one chain too long");
}

static void test_twice(void)
{
	_archive_index_ struct archive_index i = {0};
	_strbuf_ struct strbuf b = STRBUF_INIT;
	const struct archive_member *m;
	struct err e = ERR_INIT;

	tar_add(&b, &(struct tar_member){"manifest.json", .data = "1"});
	tar_add(&b, &(struct tar_member){"blobs", '5'});
	tar_add(&b, &(struct tar_member){"blobs", '5'});
	tar_add(&b, &(struct tar_member){"./manifest.json", .data = "2"});
	tar_add(&b, &(struct tar_member){"one", .data = "1"});
	ok(!scan(&b, &i, &e), "scans");
	is_int(archive_index_find(&i, "manifest.json", &m, &e), -EBADMSG, "a name twice: %s",
	       e.msg);
	is_str(content(&b, &i, "one"), "1", "another name is not concerned");
	ok(!archive_index_get(&i, "blobs")->twice, "directories may come twice");
}

static void refuses(struct strbuf *b, const char *why)
{
	_archive_index_ struct archive_index i = {0};
	struct err e = ERR_INIT;

	is_int(scan(b, &i, &e), -EBADMSG, "%s: %s", why, e.msg);
	strbuf_reset(b);
}

static void test_damage(void)
{
	static const struct {
		const char *size, *why;
	} sizes[] = {
		{"77777777777", "a size beyond the end"},
		{"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", "a huge base-256 size"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "a negative size"},
		{"12x45", "a size that is no number"},
	};
	static const char *const records[] = {"x path=y\n",
					      "5 a=b",
					      "0 a=b\n",
					      "99 a=b\n",
					      "6 a=b\nx",
					      "4 a\n",
					      "18446744073709551616 a=b\n",
					      "9 size=x\n",
					      "11 size=-5\n",
					      "3\n"};
	_strbuf_ struct strbuf b = STRBUF_INIT;

	for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		char field[12] = {0};

		memcpy(field, sizes[k].size, k == 1 || k == 2 ? 12 : strlen(sizes[k].size));
		tar_add(&b, &(struct tar_member){"f", .data = "x", .size = field});
		refuses(&b, sizes[k].why);
	}
	for (unsigned k = 0; k < sizeof(records) / sizeof(records[0]); k++) {
		tar_add(&b, &(struct tar_member){"PaxHeader", 'x', .data = records[k]});
		tar_add(&b, &(struct tar_member){"f"});
		refuses(&b, "a malformed PAX record");
	}
	tar_add(&b, &(struct tar_member){"f", .data = "x", .bad_checksum = true});
	refuses(&b, "a wrong checksum");
	strbuf_addstr(&b, "PK\3\4 this is no tar");
	refuses(&b, "no tar");
	tar_add(&b, &(struct tar_member){"f", .data = "data"});
	b.len -= 510;
	refuses(&b, "cut in the data");
	tar_add(&b, &(struct tar_member){"f"});
	b.len -= 1;
	refuses(&b, "cut in a header");
	tar_add(&b, &(struct tar_member){"L", 'L'});
	refuses(&b, "an empty long name");
}

static void test_tolerated(void)
{
	_archive_index_ struct archive_index i = {0}, j = {0};
	_strbuf_ struct strbuf b = STRBUF_INIT;

	tar_add(&b, &(struct tar_member){"f", .data = "data"});
	b.len -= 508;
	ok(!scan(&b, &i, NULL) && content(&b, &i, "f"), "no padding behind the last member");
	strbuf_reset(&b);
	ok(!scan(&b, &j, NULL) && !j.n, "an empty file has no members");
}

int main(void)
{
	test_members();
	test_links();
	test_twice();
	test_damage();
	test_tolerated();
	return done_testing();
}
