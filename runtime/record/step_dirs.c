/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/step_dirs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/str.h"

const char *step_dirs_told(void)
{
	const char *told = getenv(STEP_DIRS_VARIABLE);

	return told && *told == '/' ? told : NULL;
}

bool step_dirs_is_roots(const char *path)
{
	return str_eq(path, STEP_DIRS_USUAL) || str_eq(path, STEP_DIRS_OTHER);
}

/* UID/STEP/rc.local: the holder mounts it on that of the image, read-only. */
bool step_file_is(const char *below_steps)
{
	for (int i = 0; i < 2; i++) {
		const char *slash = strchr(below_steps, '/');

		if (!slash || slash == below_steps)
			return false;
		below_steps = slash + 1;
	}
	return str_eq(below_steps, "rc.local");
}
