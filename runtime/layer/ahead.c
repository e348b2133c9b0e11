/* SPDX-License-Identifier: Apache-2.0 */
/* An empty layer for the next container whose layer goes. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/layer/layer.h"

static bool fill(struct layer *l)
{
	l->lock = openat(l->dir, "lock", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return l->lock >= 0 && layer_open_dirs(l, NULL) >= 0;
}

static void drop(int parent, int dir, const char *name)
{
	(void)unlinkat(dir, "work", AT_REMOVEDIR);
	(void)unlinkat(dir, "upper", AT_REMOVEDIR);
	(void)unlinkat(dir, "lock", 0);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

void layer_make_ahead(const struct layer *l)
{
	_close_ int temp = -1;
	struct layer x = LAYER_INIT;
	char tmp[TEMP_NAME_BYTES];

	if (l->parent < 0 || faccessat(l->parent, TEMP_AHEAD, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return;
	temp = temp_begin(l->parent, NULL);
	if (temp < 0 || temp_name(tmp, NULL) < 0 || mkdirat(l->parent, tmp, 0700) < 0)
		return;
	x.dir = openat(l->parent, tmp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (x.dir < 0 || !fill(&x) || !temp_put_ahead(l->parent, tmp))
		drop(l->parent, x.dir, tmp);
	layer_close(&x);
}
