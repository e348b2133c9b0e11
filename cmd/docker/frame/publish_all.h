/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_PUBLISH_ALL_H
#define CSBX_CMD_DOCKER_PUBLISH_ALL_H

struct err;
struct strv;

/*
 * --publish-all: each port that the image or --expose names becomes a published one, under its own
 * number, unless it is one already. ports: the image's, "80/tcp"; exposed: those of --expose.
 */
int docker_publish_all(const struct strv *ports, const struct strv *exposed, struct strv *notes,
		       struct err *e);

#endif
