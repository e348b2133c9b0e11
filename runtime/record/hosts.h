/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_HOSTS_H
#define CSBX_RUNTIME_HOSTS_H

/*
 * The way in which members of a network find each other while it carries no traffic of its own: all
 * of them are on the host's network, so a name of one is 127.0.0.1. Each member's /etc/hosts is the
 * file containers/NAME/hosts, mounted. It begins with what the container would have had; behind a
 * line of ours follow the members of its networks, and that part is written anew, in place, when a
 * container joins a network, leaves one, or gets another name. The container may write to the file,
 * too, or close it: csbx believes none of its content, and no other container fails because of it.
 */

#include <stdbool.h>

struct container_spec;
struct err;
struct paths;

/*
 * For a start of the container of that name: writes its file and adds the mount. Does nothing for a
 * container without endpoints, without the host's network, or with a mount of its own there.
 */
int hosts_prepare(const struct paths *p, const char *name, struct container_spec *s, struct err *e);
/* Writes the second part of every container's file that is there. The caller holds network_lock(). */
int hosts_refresh(const struct paths *p, struct err *e);

/* True when a path, relative to the data directory, is such a file. */
bool hosts_file_is(const char *below_data);

#endif
