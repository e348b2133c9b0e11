/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/errno_text.h"

#include <errno.h>
#include <string.h>

#include "runtime/base/err.h"

/* Go's table (syscall/zerrors_linux) is libc's in lower case; these are the ones people meet. */
const char *docker_errno(int code)
{
	switch (code) {
	case ENOENT:
		return "no such file or directory";
	case EACCES:
		return "permission denied";
	case EPERM:
		return "operation not permitted";
	case EISDIR:
		return "is a directory";
	case ENOTDIR:
		return "not a directory";
	case EEXIST:
		return "file exists";
	case ENOSPC:
		return "no space left on device";
	case EROFS:
		return "read-only file system";
	case ELOOP:
		return "too many levels of symbolic links";
	default:
		return err_text(code);
	}
}
