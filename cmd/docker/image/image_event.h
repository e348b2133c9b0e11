/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_EVENT_H
#define CSBX_CMD_DOCKER_IMAGE_EVENT_H

struct paths;

/* An event of an image (daemon/events.h). id: the image it is about; name: the attribute. */
void image_event(const struct paths *p, const char *action, const char *id, const char *name);

#endif
