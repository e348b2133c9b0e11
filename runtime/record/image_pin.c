/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/image_pin.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/server/image_file.h"
#include "runtime/spec/image_id.h"

#define NAME "image"
#define COPY_BYTES (16u << 20)

/*
 * Links the very file that was looked at, whatever its path has become: linkat(2) through
 * /proc/self/fd. EPERM is fs.protected_hardlinks refusing a file that is not ours to write.
 */
static bool by_link(int image_fd, int dirfd)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", image_fd);
	return !linkat(AT_FDCWD, self, dirfd, NAME, AT_SYMLINK_FOLLOW);
}

static int make_file(int dirfd)
{
	return openat(dirfd, NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* Shares the file's blocks (ioctl_ficlonerange(2)); btrfs, XFS, bcachefs, NFS 4.2. */
static bool by_clone(int image_fd, int dirfd, struct image_id *id)
{
	_close_ int fd = make_file(dirfd);
	struct stat st;

	if (fd < 0)
		return false;
	if (!ioctl(fd, FICLONE, image_fd) && !fstat(fd, &st)) {
		image_id_from_stat(id, &st);
		return true;
	}
	unlinkat(dirfd, NAME, 0);
	return false;
}

static int copy_bytes(int from, int to, struct err *e)
{
	off_t at = 0;
	ssize_t n;

	/* With an offset of our own: the descriptor's is shared with the one who reads it too. */
	do {
		n = sendfile(to, from, &at, COPY_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return io_write_failed(to, "copy the image", e);
	} while (n);
	return 0;
}

static int by_copy(int image_fd, int dirfd, const struct image_pin_view *view, struct image_id *id,
		   struct err *e)
{
	_close_ int fd = make_file(dirfd);
	struct stat st;
	int r;

	if (fd < 0)
		return err_sys(e, "make a file");
	if (fstat(image_fd, &st) < 0)
		return err_sys(e, "stat the image");
	if (view && view->copying)
		view->copying(view->arg, (uint64_t)st.st_size);
	r = copy_bytes(image_fd, fd, e);
	if (r >= 0 && fstat(fd, &st) < 0)
		r = err_sys(e, "stat the copy");
	if (r >= 0)
		image_id_from_stat(id, &st);
	return r;
}

enum image_pin image_pin_cheaply(int image_fd, int dirfd, struct image_id *id)
{
	if (by_link(image_fd, dirfd))
		return PIN_LINK;
	return by_clone(image_fd, dirfd, id) ? PIN_CLONE : PIN_PATH;
}

int image_pin_always(int image_fd, int dirfd, const struct image_pin_view *view,
		     struct image_id *id, enum image_pin *ret, struct err *e)
{
	*ret = image_pin_cheaply(image_fd, dirfd, id);
	if (*ret != PIN_PATH)
		return 0;
	*ret = PIN_CLONE;
	return by_copy(image_fd, dirfd, view, id, e);
}
