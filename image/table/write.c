/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "image/table/table.h"
#include "image/table/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

/* --- locks -------------------------------------------------------------------------------- */

/* The lock of an open file description (fcntl(2)), which ends with the descriptor. */
static int lock_fd(int fd, const char *name, bool wait, struct err *e)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	while (fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &l) < 0) {
		/* No locks here at all (NFS without lockd): writers go on, sweepers do not. */
		if (wait && (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS))
			return 0;
		if (errno == EACCES || errno == EAGAIN)
			return -EAGAIN;
		if (errno != EINTR)
			return err_sys(e, "lock " IMAGE_TABLE_DIR "/%s", name);
	}
	return 0;
}

/* The holder before may have unlinked the file: then it belongs to no process any more. */
int image_table_take_lock(int dirfd, const char *name, bool wait, struct err *e)
{
	for (;;) {
		_close_ int fd =
			openat(dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		struct stat ours, theirs;
		int r;

		if (fd < 0)
			return err_sys(e, "open " IMAGE_TABLE_DIR "/%s", name);
		r = lock_fd(fd, name, wait, e);
		if (r < 0)
			return r;
		if (fstat(fd, &ours) < 0)
			return err_sys(e, "stat " IMAGE_TABLE_DIR "/%s", name);
		if (!fstatat(dirfd, name, &theirs, AT_SYMLINK_NOFOLLOW) &&
		    ours.st_ino == theirs.st_ino)
			return take_fd(&fd);
	}
}

int image_table_lock(int dirfd, struct err *e)
{
	return image_table_take_lock(dirfd, IMAGE_TABLE_LOCK, true, e);
}

void image_table_import_lock(const char *id, char ret[IMPORT_LOCK_BYTES])
{
	snprintf(ret, IMPORT_LOCK_BYTES, IMAGE_TABLE_IMPORT_PREFIX "%.64s", image_id_hex(id));
}

int image_table_import_begin(int dirfd, const char *id, struct err *e)
{
	char name[IMPORT_LOCK_BYTES];

	image_table_import_lock(id, name);
	return image_table_take_lock(dirfd, name, true, e);
}

void image_table_import_done(int dirfd, const char *id, int *lock)
{
	char name[IMPORT_LOCK_BYTES];

	if (*lock < 0)
		return;
	image_table_import_lock(id, name);
	unlinkat(dirfd, name, 0);
	fd_close(lock);
}

/* --- records ------------------------------------------------------------------------------ */

static int write_file(int dirfd, const char *file, const struct strbuf *bytes, struct err *e)
{
	const struct io_replace where = {
		.dirfd = dirfd, .name = file, .mode = 0600, .replace = true};
	int r = io_write_file_at(&where, bytes->data, bytes->len, e);

	return r < 0 ? err_wrap(e, "record of an image") : 0;
}

int image_table_put(int dirfd, const struct image_record *rec, struct err *e)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	char file[IMAGE_FILE_BYTES];
	int r = image_record_encode(rec, &bytes, e);

	if (r < 0)
		return r;
	image_table_record_file(rec->id, file);
	return write_file(dirfd, file, &bytes, e);
}

bool image_table_has(int dirfd, const char *id)
{
	char file[IMAGE_FILE_BYTES];

	image_table_record_file(id, file);
	return !faccessat(dirfd, file, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* A damaged record is replaced like one that names nothing. */
static void read_old(int dirfd, const char *file, const char *id, char ret_old[IMAGE_ID_BYTES])
{
	struct image_tag old;

	ret_old[0] = 0;
	if (image_table_read_tag(dirfd, file, &old, NULL) < 0)
		return;
	if (!str_eq(old.id, id) && image_table_has(dirfd, old.id))
		snprintf(ret_old, IMAGE_ID_BYTES, "%s", old.id);
	image_tag_free(&old);
}

/* "sha256:..." is an id to all that look for one: no verb would find the name. Docker's words. */
static int check_name(const char *name, struct err *e)
{
	static const char id[] = "sha256";
	const char *familiar = image_name_familiar(name);

	if (image_name_repository_len(familiar) != strlen(id) ||
	    strncmp(familiar, id, strlen(id)) != 0)
		return 0;
	return err_set(e, EINVAL,
		       "refusing to create an ambiguous tag using digest algorithm as name");
}

int image_table_tag(int dirfd, const char *name, const char *id, char ret_old[IMAGE_ID_BYTES],
		    struct err *e)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	char file[TAG_FILE_BYTES], old[IMAGE_ID_BYTES];
	struct image_tag tag = {.name = name, .id = id};
	struct timespec now;
	int r;

	r = check_name(name, e);
	if (r < 0)
		return r;
	if (!image_table_has(dirfd, id))
		return err_set(e, ENOENT, "%s: no such image", id);
	clock_gettime(CLOCK_REALTIME, &now);
	tag.tagged_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	image_table_tag_file(name, file);
	read_old(dirfd, file, id, ret_old ? ret_old : old);
	r = image_tag_encode(&tag, &bytes, e);
	return r < 0 ? r : write_file(dirfd, file, &bytes, e);
}

int image_table_untag(int dirfd, const char *name, struct err *e)
{
	char file[TAG_FILE_BYTES];

	image_table_tag_file(name, file);
	if (!unlinkat(dirfd, file, 0))
		return 0;
	return errno == ENOENT ? err_set(e, ENOENT, "%.300s: no such name", name)
			       : err_sys(e, "remove the name %.300s", name);
}

static int remove_file(int dirfd, const char *file, struct err *e)
{
	if (!unlinkat(dirfd, file, 0) || errno == ENOENT)
		return 0;
	return err_sys(e, "remove " IMAGE_TABLE_DIR "/%s", file);
}

int image_table_delete(int dirfd, const char *id, struct err *e)
{
	char record[IMAGE_FILE_BYTES], file[IMAGE_FILE_BYTES];
	int r;

	image_table_record_file(id, record);
	image_table_file(id, file);
	r = remove_file(dirfd, record, e);
	if (r >= 0)
		r = remove_file(dirfd, file, e);
	for (unsigned i = 0; r >= 0 && i < IMAGE_LOWERS_MAX; i++) {
		image_table_lower_file(id, i, file);
		r = remove_file(dirfd, file, e);
	}
	return r;
}
