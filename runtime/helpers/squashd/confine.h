/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_CONFINE_H
#define CSBX_SQUASHD_CONFINE_H

/*
 * The image is hostile and its reader is C: code that takes over this process must find nothing in
 * it. Applied once, after everything is open and before the first byte of the image is served.
 */

#include <stdbool.h>
#include <sys/types.h>

struct err;

/* True if this kernel has landlock. */
bool confine_has_landlock(void);

struct confine_server {
	int servers_dirfd; /* the one directory it may unlink its socket in */
	pid_t reader_tid;  /* the thread it may place on CPUs; 0 for none */
};

/*
 * The server: CAP_SYS_ADMIN over A alone (open_tree needs it), no new privileges, undumpable,
 * landlock without any right but removing files beneath servers/, clones of its own mounts, a list
 * of system calls without any that opens a path, connects or executes; unlinkat() is among them
 * only with landlock.
 */
int confine_server(const struct confine_server *c, struct err *e);

/*
 * A thread of the server that decompresses: no capability, no file system right, no calls but those
 * that read what is open and get memory. It must be in force before the image is opened.
 */
int confine_reader(struct err *e);

/*
 * The server's attendant: CAP_SYS_ADMIN and CAP_NET_ADMIN over A, no file system right, and no
 * calls but those that make a network namespace, bring lo up in it and hand it on.
 */
int confine_attendant(struct err *e);

/*
 * The server's keeper: no capability, and the calls that wait for ends, sync a layer and remove
 * what is beneath a descriptor; nothing that connects or executes.
 */
int confine_keeper(struct err *e);

/*
 * The one-shot modes. A file system right remains only beneath dirfd: reading (csbx-meta
 * of a directory) or writing (--unpack); -1 for none at all.
 */
enum confine_access { CONFINE_READ, CONFINE_WRITE };
int confine_tool(int dirfd, enum confine_access access, struct err *e);

#endif
