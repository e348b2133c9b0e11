/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_PORTS_H
#define CSBX_CMD_DOCKER_PORTS_H

/*
 * The ports of this machine that --publish takes while the container runs. The container has the
 * network of the host, so the program binds to the port itself. A claim keeps away another
 * container of the user's that publishes it too, and refuses a start whose port some program has
 * already.
 */

struct container_start;
struct docker_fault;

/*
 * Claims the container's ports; the claim is in s->held_fd. -EADDRINUSE, -EADDRNOTAVAIL: with
 * docker's words. Claims none when the network is none, or when the host's was asked for by name.
 */
int docker_ports_claim(struct container_start *s, struct docker_fault *f);

#endif
