/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_PUBLISHED_H
#define CSBX_CMD_DOCKER_PUBLISHED_H

/* --publish [IP:][HOST:]PORT[/PROTO] as it was given; "" for what was not. */
struct published {
	char ip[64], host[32];
	char port[40]; /* "8000/tcp": with its protocol */
};

struct published published_split(const char *text);

#endif
