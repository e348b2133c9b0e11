/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>

#include "cmd/engine/stream/stream.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/inotify.h"
#include "runtime/record/container_store.h"
#include "runtime/settings/paths.h"

#define WITHOUT_MS 2000 /* between two looks where the kernel's limit of watches is reached */
#define OF_CONTAINER (IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR)
#define OF_RUN (IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_DELETE_SELF | IN_ONLYDIR)

static int add(const struct stream_watch *w, const char *sub, uint32_t mask)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d%s", w->dirfd, sub);
	return inotify_add_watch(w->fd, path, mask);
}

void stream_watch_open(struct stream_watch *w, const struct paths *p, const char *name)
{
	_close_ int dirfd = container_store_open_dir(p, NULL);

	*w = (struct stream_watch)STREAM_WATCH_INIT;
	w->dirfd =
		dirfd < 0 ? -1 : openat(dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->dirfd < 0)
		return;
	w->fd = inotify_take();
	if (w->fd >= 0)
		w->watches[0] = add(w, "", OF_CONTAINER);
	if (w->watches[0] < 0)
		inotify_give_back(&w->fd, NULL, 0);
	/* It is there from the first start on. */
	if (w->fd >= 0)
		w->watches[1] = add(w, "/run", OF_RUN);
}

int stream_watch_ms(const struct stream_watch *w)
{
	return w->fd < 0 ? WITHOUT_MS : -1;
}

void stream_watch_take(struct stream_watch *w)
{
	char events[4096];

	if (w->fd < 0)
		return;
	while (read(w->fd, events, sizeof(events)) > 0)
		;
	w->watches[1] = add(w, "/run", OF_RUN);
}

void stream_watch_close(struct stream_watch *w)
{
	inotify_give_back(&w->fd, w->watches, 2);
	fd_close(&w->dirfd);
}
