/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SERVER_KILL_H
#define CSBX_RUNTIME_SERVER_KILL_H

struct err;
struct paths;

/*
 * Ends the image server behind servers/<name> that does not answer, and returns when it is gone;
 * its socket stays. -EBUSY while a container runs on it.
 */
int server_kill_stopped(const struct paths *p, int servers_dirfd, const char *name, struct err *e);

#endif
