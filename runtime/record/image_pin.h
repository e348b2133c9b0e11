/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_IMAGE_PIN_H
#define CSBX_RUNTIME_IMAGE_PIN_H

/*
 * Keeping an image file for a container, so that it may be deleted or replaced where it was: as
 * `image` in the container's directory, by a hard link, a reflink or a copy.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/record/container_record.h"

struct err;

/*
 * The caller who is told that bytes are going to be copied, which may take long. NULL: no caller.
 */
struct image_pin_view {
	void (*copying)(void *arg, uint64_t bytes);
	void *arg;
};

/*
 * A link, else a reflink (*id becomes the clone's), else nothing: the file has to stay. A link is
 * first, because image servers are shared by file: the next container of it finds one running.
 */
enum image_pin image_pin_cheaply(int image_fd, int dirfd, struct image_id *id);

/* The same, but the file is copied where it can be neither linked nor cloned. */
int image_pin_always(int image_fd, int dirfd, const struct image_pin_view *view,
		     struct image_id *id, enum image_pin *ret, struct err *e);

#endif
