/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/inotify.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/fd.h"

#include "tests/unit/tap.h"

static char dir[] = "/tmp/csbx-inotify-XXXXXX";

static bool tells(int fd)
{
	char events[4096];

	return read(fd, events, sizeof(events)) > 0;
}

static void make(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (mkdir(path, 0700) < 0 || rmdir(path) < 0)
		printf("# %s: no directory\n", path);
}

/* A child shares its parent's instance, and must not take its events. */
static void forked(void)
{
	int fd = inotify_take(), kept = fd, status = 1;
	pid_t pid;

	inotify_give_back(&fd, NULL, 0);
	pid = fork();
	if (!pid) {
		int wd, own = inotify_take();

		wd = inotify_add_watch(own, dir, IN_CREATE);
		make("of-child");
		_exit(wd >= 0 && tells(own) ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	is_int(status, 0, "a child has an instance that tells it");
	fd = inotify_take();
	is_int(fd, kept, "the parent has its own again");
	ok(!tells(fd), "and nothing of the child's");
	close(fd);
}

int main(void)
{
	int fd, kept, watch;

	if (!mkdtemp(dir))
		return 1;
	kept = fd = inotify_take();
	watch = inotify_add_watch(fd, dir, IN_CREATE);
	make("one");
	ok(tells(fd), "a change is told");
	make("two");
	inotify_give_back(&fd, &watch, 1);
	is_int(fd, -1, "given back");
	make("three");
	fd = inotify_take();
	is_int(fd, kept, "the same instance is used again");
	ok(!tells(fd), "without events of the former watch");
	make("four");
	ok(!tells(fd), "nor the watch");
	watch = inotify_add_watch(fd, dir, IN_CREATE);
	make("five");
	ok(tells(fd), "and it watches again");
	inotify_give_back(&fd, &watch, 1);
	forked();
	rmdir(dir);
	return done_testing();
}
