/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/sniff.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/oci/archive_header.h"
#include "image/oci/fileset.h"
#include "image/layer/layer.h"
#include "image/bytes/stream.h"
#include "image/layer/tar.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

/* Bytes of a tar that may pass before it has to show what it is. */
#define SNIFF_MAX_BYTES (UINT64_C(128) << 30)

static ssize_t read_head(int fd, unsigned char *buf, size_t len, struct err *e)
{
	ssize_t n;

	do {
		n = pread(fd, buf, len, 0);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? err_sys(e, "read") : n;
}

int sniff_plain_tar(int fd, struct err *e)
{
	unsigned char block[ARCHIVE_BLOCK];
	struct archive_header h;
	ssize_t n = read_head(fd, block, sizeof(block), e);

	if (n < 0)
		return (int)n;
	return n == sizeof(block) && archive_header_parse(block, &h) >= 0;
}

/* Other things a user may hand us, by their first bytes: a better answer than "not a tar". */
static int refuse_known(const unsigned char *head, size_t len, struct err *e)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *what;
	} known[] = {
		{"hsqs", 4,
		 "a squashfs image already: create a container from it, no import is needed"},
		{"PK\3\4", 4, "a zip file"},
		{"\177ELF", 4, "a program"},
		{"#!", 2, "a script"},
	};

	if (!len)
		return err_set(e, EINVAL, "an empty file");
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (len >= known[i].len && !memcmp(head, known[i].magic, known[i].len))
			return err_set(e, EINVAL, "%s", known[i].what);
	}
	return 0;
}

int sniff_refuse(int fd, struct err *e)
{
	unsigned char head[8];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	n = read_head(fd, head, sizeof(head), e);
	if (n < 0)
		return (int)n;
	return refuse_known(head, (size_t)n, e) < 0 ? err_wrap(e, "no image archive") : 0;
}

/* Top-level names that only a root file system has. */
static bool is_rootfs_name(const char *path)
{
	static const char *const names[] = {"bin",  "dev", "etc", "lib", "proc", "root",
					    "sbin", "sys", "tmp", "usr", "var"};
	size_t n = strcspn(path, "/");

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == n && !memcmp(names[i], path, n))
			return true;
	}
	return false;
}

/* 1: goes on; else the answer is in *kind. manifest.json comes last in some archives. */
static int consider(const char *path, enum source_kind *kind)
{
	if (str_eq(path, "manifest.json"))
		*kind = SOURCE_DOCKER_ARCHIVE;
	else if (str_eq(path, "oci-layout") && *kind != SOURCE_DOCKER_ARCHIVE)
		*kind = SOURCE_OCI_ARCHIVE;
	else if (is_rootfs_name(path))
		*kind = SOURCE_TAR;
	else
		return 1;
	return *kind == SOURCE_OCI_ARCHIVE;
}

int sniff_file(int fd, struct err *e)
{
	struct stream_config config = {.fd = fd, .max_bytes = SNIFF_MAX_BYTES};
	_strbuf_ struct strbuf path = STRBUF_INIT;
	_stream_ struct stream *stream = NULL;
	_tar_ struct tar *tar = NULL;
	enum source_kind kind = SOURCE_TAR;
	struct tar_header h;
	struct stat st;
	unsigned char head[8];
	ssize_t n = read_head(fd, head, sizeof(head), e);
	int r;

	if (n < 0)
		return (int)n;
	r = refuse_known(head, (size_t)n, e);
	if (r < 0)
		return r;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat");
	config.length = (uint64_t)st.st_size;
	r = stream_open(&stream, &config, e);
	if (r >= 0)
		r = tar_open(&tar, stream, e);
	while (r >= 0) {
		r = tar_next(tar, &h, e);
		if (r <= 0)
			break;
		if (layer_clean_path(h.path, &path, NULL) >= 0 &&
		    !consider(strbuf_str(&path), &kind))
			break;
	}
	return r < 0 ? r : (int)kind;
}

enum source_kind sniff_directory(int dirfd)
{
	struct fileset f;

	fileset_open_directory(&f, dirfd);
	return fileset_has(&f, "oci-layout") && fileset_has(&f, "index.json") ? SOURCE_OCI_LAYOUT
									      : SOURCE_DIRECTORY;
}

bool sniff_skopeo_dir(int dirfd)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct fileset f;

	fileset_open_directory(&f, dirfd);
	return fileset_has(&f, "manifest.json") &&
	       fileset_read(&f, "version", 4096, &text, NULL) >= 0 &&
	       str_has_prefix(strbuf_str(&text), "Directory Transport Version: ");
}
