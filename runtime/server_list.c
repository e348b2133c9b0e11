/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server_list.h"

#include <dirent.h>
#include <fcntl.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/paths.h"
#include "runtime/squashd_client.h"

int server_each(const struct paths *p,
		int (*fn)(void *arg, const char *name, const struct squashd_reply *reply),
		void *arg, struct err *e)
{
	_close_ int dirfd = paths_open(p->runtime, "servers", e), list = -1;
	const struct dirent *ent;
	struct squashd_reply reply;
	DIR *d;
	int r = 0;

	if (dirfd < 0)
		return dirfd;
	list = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = list < 0 ? NULL : fdopendir(list);
	if (!d)
		return err_sys(e, "list %s/servers", p->runtime);
	(void)take_fd(&list);
	while (r >= 0 && (ent = readdir(d))) {
		if (str_has_suffix(ent->d_name, ".sock") &&
		    squashd_ask(dirfd, ent->d_name, SQUASHD_STATUS, &reply, NULL) >= 0)
			r = fn(arg, ent->d_name, &reply);
	}
	closedir(d);
	return r;
}
