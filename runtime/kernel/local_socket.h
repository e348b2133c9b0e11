/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LOCAL_SOCKET_H
#define CSBX_RUNTIME_LOCAL_SOCKET_H

/*
 * Addresses of named sockets in csbx's own directories, unix(7). A directory's path may be too
 * long for sun_path; /proc/self/fd leads to the same inode.
 */

struct err;
struct sockaddr_un;

/* dir may be NULL, dirfd -1; -ENAMETOOLONG when neither gives an address. */
int local_socket_address(const char *dir, int dirfd, const char *name, struct sockaddr_un *ret,
			 struct err *e);

#endif
