/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_BUNDLE_WRITE_H
#define CSBX_CMD_ENROOT_BUNDLE_WRITE_H

/* Making a bundle (runtime/base/bundle.h). */

#include <stdbool.h>

#include "runtime/base/str.h"

struct err;
struct paths;

struct bundle_request {
	const char *image, *output;
	const char *name, *description, *target; /* as BUNDLE_* (runtime/settings/bundle_self.h) */
	bool checksum, force;
	struct strv files;
};

/* -EEXIST without force. The file appears under its name when it is whole. */
int bundle_write(const struct paths *p, const struct bundle_request *q, struct err *e);

#endif
