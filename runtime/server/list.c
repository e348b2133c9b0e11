/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/settings/paths.h"
#include "runtime/server/client.h"
#include "runtime/server/start.h"

static DIR *list_directory(int dirfd)
{
	_close_ int list = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);

	if (d)
		(void)take_fd(&list);
	return d;
}

int server_each(const struct paths *p,
		int (*fn)(void *arg, const char *name, const struct squashd_reply *reply),
		void *arg, struct err *e)
{
	_close_ int dirfd = paths_open(p->runtime, "servers", e);
	const struct dirent *ent;
	struct squashd_reply reply;
	DIR *d;
	int r = 0;

	if (dirfd < 0)
		return dirfd;
	d = list_directory(dirfd);
	if (!d)
		return err_sys(e, "list %s/servers", p->runtime);
	while (r >= 0 && (ent = readdir(d))) {
		int asked;

		if (!str_has_suffix(ent->d_name, ".sock"))
			continue;
		asked = squashd_ask(dirfd, ent->d_name, SQUASHD_STATUS, &reply, NULL);
		if (asked >= 0 || asked == -ETIMEDOUT)
			r = fn(arg, ent->d_name, &reply);
	}
	closedir(d);
	return r;
}

void server_forget_dead(const struct paths *p)
{
	_close_ int dirfd = paths_open(p->runtime, "servers", NULL);
	_close_ int lock = dirfd < 0 ? -1 : squashd_lock(dirfd, NULL);
	DIR *d = lock < 0 ? NULL : list_directory(dirfd);
	const struct dirent *ent;

	while (d && (ent = readdir(d))) {
		_close_ int sock = -1;

		if (!str_has_suffix(ent->d_name, ".sock"))
			continue;
		sock = squashd_connect(NULL, dirfd, ent->d_name, NULL);
		if (sock == -ECONNREFUSED)
			unlinkat(dirfd, ent->d_name, 0);
	}
	if (d)
		closedir(d);
}
