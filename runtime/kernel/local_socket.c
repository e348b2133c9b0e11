/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/local_socket.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "runtime/base/err.h"

int local_socket_address(const char *dir, int dirfd, const char *name, struct sockaddr_un *ret,
			 struct err *e)
{
	int n;

	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	if (dir) {
		n = snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%s", dir, name);
		if (n > 0 && (size_t)n < sizeof(ret->sun_path))
			return 0;
	}
	if (dirfd < 0)
		return err_set(e, ENAMETOOLONG, "socket %s: path too long", name);
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", dirfd, name);
	return n > 0 && (size_t)n < sizeof(ret->sun_path)
		       ? 0
		       : err_set(e, ENAMETOOLONG, "socket %s: name too long", name);
}
