/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/harness.h"

#include <limits.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

static char *harness_directory(struct err *e)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *dir;

	if (n <= 0) {
		err_sys(e, "find the harness: /proc/self/exe");
		return NULL;
	}
	while (n > 1 && path[n - 1] != '/')
		n--;
	dir = str_printf("%.*sharness", (int)n, path);
	if (!dir)
		err_oom(e);
	else if (access(dir, R_OK | X_OK) < 0)
		err_sys(e, "the harness is not installed: %s", dir);
	else
		return dir;
	free(dir);
	return NULL;
}

int harness_mount(struct container_spec *s, struct err *e)
{
	_free_ char *dir = harness_directory(e);
	struct mount_spec *m;

	if (!dir)
		return -e->code;
	m = spec_add_mount(s);
	if (m) {
		m->source = take_ptr(dir);
		m->target = str_printf(HARNESS_TARGET);
		m->asked = str_printf("the harness");
		m->readonly = true;
	}
	return m && m->target && m->asked ? 0 : err_oom(e);
}
