/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/meta_cache.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/server/image_meta.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/temp_dir.h"

#define KEY_BYTES 96

static uint64_t hash_u64(uint64_t h, uint64_t v)
{
	for (int i = 0; i < 64; i += 8)
		h = (h ^ (v >> i & 0xff)) * UINT64_C(0x100000001b3);
	return h;
}

/* The files a meta record is made of, resolved in the directory as the reader does it. */
static uint64_t hash_directory(int rootfd)
{
	static const char *const files[] = {
		"/.csbx/config.json", "/etc/passwd", "/etc/group",    "/etc/rc",
		"/etc/environment",   "/etc/fstab",  "/etc/rc.local", "/bin/sh"};
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		_close_ int fd = path_open_in_root(rootfd, files[i], O_PATH, 0, NULL);
		struct stat st = {0};

		if (fd >= 0 && !fstat(fd, &st)) {
			h = hash_u64(h, st.st_ino);
			h = hash_u64(h, (uint64_t)st.st_size);
			h = hash_u64(h, (uint64_t)st.st_ctim.tv_sec);
			h = hash_u64(h, (uint64_t)st.st_ctim.tv_nsec);
		}
		h = hash_u64(h, i);
	}
	return h;
}

static void make_key(int image_fd, enum rootfs_kind kind, const struct image_id *id,
		     char key[KEY_BYTES])
{
	if (kind == ROOTFS_DIRECTORY)
		snprintf(key, KEY_BYTES, "%" PRIx64 "-%" PRIx64 "-dir-%016" PRIx64, id->dev,
			 id->ino, hash_directory(image_fd));
	else
		snprintf(key, KEY_BYTES, "%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64, id->dev,
			 id->ino, id->size_bytes, id->mtime_ns);
}

static bool is_record(const struct strbuf *b)
{
	struct image_meta m;

	if (image_meta_decode(&m, strbuf_str(b), b->len, NULL) < 0)
		return false;
	image_meta_free(&m);
	return true;
}

static bool look_up(int dirfd, const char *key, struct strbuf *ret)
{
	_close_ int fd = openat(dirfd, key, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (!io_read_all(fd, META_CACHE_RECORD_MAX, ret, NULL) && is_record(ret))
		return true;
	strbuf_reset(ret);
	return false;
}

/* A cache is best effort: no error is worth more than the record already in hand. */
static void store(int dirfd, const char *key, const struct strbuf *record)
{
	struct io_replace where = {.dirfd = dirfd, .name = key, .mode = 0600, .replace = 1};
	_close_ int temp = temp_begin(dirfd, NULL);

	if (temp >= 0)
		(void)io_write_file_at(&where, record->data, record->len, NULL);
}

int meta_cache_get(const struct paths *p, int image_fd, enum rootfs_kind kind,
		   const struct image_id *id, const struct meta_source *src,
		   struct strbuf *ret_record, struct err *e)
{
	_close_ int dirfd = paths_open(p->cache, "meta", NULL);
	char key[KEY_BYTES];
	int r;

	if (dirfd >= 0) {
		make_key(image_fd, kind, id, key);
		if (look_up(dirfd, key, ret_record))
			return 0;
	}
	r = src->read(src->arg, image_fd, kind, ret_record, e);
	if (r < 0)
		return r;
	if (!is_record(ret_record))
		return err_set(e, EBADMSG, "the image's metadata could not be read");
	if (dirfd >= 0)
		store(dirfd, key, ret_record);
	return 0;
}
