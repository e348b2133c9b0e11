/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "cmd/options/image_find.h"
#include "image/table/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/gc.h"
#include "runtime/settings/paths.h"

struct sweep {
	const char *path;
	struct gc_report *report;
	bool failed;
};

static void tell(void *arg, const char *file, int failed)
{
	struct sweep *s = arg;

	s->failed |= !gc_report_add(s->report, GC_TEMPORARY, str_printf("%s/%s", s->path, file),
				    failed ? strerror(-failed) : NULL);
}

/* A table that is not there yet is not made for this. */
int images_sweep(const struct paths *p, bool dry_run, struct gc_report *report, struct err *e)
{
	_free_ char *path = str_printf("%s/" IMAGE_TABLE_DIR, p->data);
	struct sweep s = {.path = path, .report = report};
	const struct image_sweep how = {.dry_run = dry_run, .tell = tell, .arg = &s};
	_close_ int dirfd = -1;
	int r;

	if (!path)
		return err_oom(e);
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	r = dirfd = images_open(p, e);
	if (r >= 0)
		r = image_table_sweep(dirfd, &how, e);
	return r >= 0 && s.failed ? err_oom(e) : r;
}
