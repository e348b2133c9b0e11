/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/tar_out.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

/* libarchive reads back the tar that was written. */
static void round_trip(const struct tar_header *h, const char *data, const char *what)
{
	_close_ int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	_tar_ struct tar *in = NULL;
	struct err e = ERR_INIT;
	struct tar_header got;
	struct tar_out out;
	int r;

	tar_out_init(&out, fd);
	r = tar_out_member(&out, h, &e);
	if (r >= 0 && S_ISREG(h->mode) && !h->hardlink)
		r = tar_out_data(&out, data, (size_t)h->size_bytes, &e);
	if (r >= 0)
		r = tar_out_end(&out, &e);
	tar_out_free(&out);
	ok(r == 0 && lseek(fd, 0, SEEK_END) % 512 == 0, "%s: written %s", what, e.msg);
	lseek(fd, 0, SEEK_SET);
	ok(tar_open_fd(&in, fd, &e) == 0 && tar_next(in, &got, &e) == 1, "%s: read %s", what,
	   e.msg);
	is_str(got.path, h->path, "%s: path", what);
	is_str(got.symlink, h->symlink, "%s: symlink", what);
	is_str(got.hardlink, h->hardlink, "%s: hard link", what);
	ok(got.uid == h->uid && got.gid == h->gid, "%s: owner", what);
	ok(got.mtime_s == h->mtime_s, "%s: time", what);
	if (!h->hardlink)
		is_int(got.mode, h->mode, "%s: mode", what);
	if (S_ISREG(h->mode) && !h->hardlink)
		is_int(got.size_bytes, h->size_bytes, "%s: size", what);
	is_int(tar_next(in, &got, &e), 0, "%s: the end", what);
}

int main(void)
{
	char name[101 + 1], longer[3000], link[400];

	memset(name, 'n', sizeof(name) - 1);
	name[100] = 0;
	memset(longer, 'l', sizeof(longer));
	for (size_t i = 100; i < sizeof(longer); i += 101)
		longer[i] = '/';
	longer[sizeof(longer) - 1] = 0;
	memset(link, 't', sizeof(link));
	link[sizeof(link) - 1] = 0;
	const struct tar_header cases[] = {
		{.path = "f", .mode = S_IFREG | 0644, .size_bytes = 5, .mtime_s = 1},
		{.path = "empty", .mode = S_IFREG | 04755},
		{.path = name, .mode = S_IFREG | 0600, .size_bytes = 5},
		{.path = longer, .mode = S_IFREG | 0600, .size_bytes = 5},
		{.path = "link", .symlink = link, .mode = S_IFLNK | 0777},
		{.path = "hard", .hardlink = longer, .mode = S_IFREG},
		{.path = "fifo", .mode = S_IFIFO | 0600},
		{.path = "owner", .mode = S_IFREG | 0600, .uid = 2097151, .gid = 2097152},
		{.path = "owner2", .mode = S_IFREG | 0600, .uid = 4294967294, .gid = 0},
		{.path = "old", .mode = S_IFREG | 0600, .mtime_s = -5},
		{.path = "late", .mode = S_IFREG | 0600, .mtime_s = INT64_C(1) << 40},
		{.path = "\xff\xfe \n", .mode = S_IFREG | 0600, .size_bytes = 5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		round_trip(&cases[i], "12345", cases[i].path[0] == '\xff' ? "raw" : cases[i].path);
	done_testing();
}
