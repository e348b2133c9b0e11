/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/overlay.h"

#include <stddef.h>

#include "runtime/kernel/mount_api.h"

int overlay_new(const struct overlay_dirs *d, unsigned attrs, struct err *e)
{
	struct mount_param params[6] = {
		{"lowerdir", d->lower}, {"userxattr", NULL}, {"xino", "off"}};
	unsigned n = 3;

	if (d->upper) {
		params[n++] = (struct mount_param){"upperdir", d->upper};
		params[n++] = (struct mount_param){"workdir", d->work};
	}
	if (d->is_volatile)
		params[n++] = (struct mount_param){"volatile", NULL};
	return mount_new("overlay", params, n, attrs, e);
}
