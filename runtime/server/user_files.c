/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/user_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/server/image_meta.h"

bool user_file_read(int root, const char *path, struct strbuf *out)
{
	_close_ int fd = path_open_in_root(root, path, O_PATH | O_NOFOLLOW, 0, NULL);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd_close(&fd);
	fd = path_open_in_root(root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0, NULL);
	return fd >= 0 && fstat(fd, &st) >= 0 && S_ISREG(st.st_mode) &&
	       io_read_all(fd, IMAGE_META_FILE_MAX, out, NULL) >= 0;
}

bool user_file_read_layer(const char *layer, const char *path, struct strbuf *out)
{
	_free_ char *upper = str_printf("%s/upper", layer);
	_close_ int root = upper ? open(upper, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

	return root >= 0 && user_file_read(root, path, out);
}
