/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LANE_STATE_H
#define CSBX_RUNTIME_LANE_STATE_H

/*
 * All that outlives the processes of a lane (lane.h) and that one of them could have changed, as
 * bytes that can be compared:
 *
 *	the upper layer		each entry that there was, held open: all that stat(2) says but the
 *				time of access, which the root's mount does not keep, and the
 *				contents: a file that is mapped shared is changed without a change
 *				of its times. Another entry is a change of a directory's times
 *	/dev/shm, /dev/mqueue, /dev/pts		their directories, and how many inodes there are
 *	/dev/pts/ptmx		all that stat(2) says
 *	csbx-init		the file in memory that programs see as their own, for they are its forks:
 *				all that stat(2) says, the time of access too
 *	the network		counters of the interface and the protocols, sockets, flow labels; modes
 *				and owners of its files in /proc, where a program can change them
 *
 * Times have the kernel's tick. The state is taken a tick after the last change of csbx's own, so
 * that a later one shows. The one file that each program has anew is not covered by that: besides
 * it must have no attribute and no flag (ioctl_iflags(2)).
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/str.h"

struct err;
struct id_map;

enum { LANE_NET_FILES = 6, LANE_HELD_MAX = 128 };

struct lane_state {
	int upper_fd;
	int root_fd;                 /* what programs see; only until lane_state_note() */
	int exe_fd;                  /* csbx-init, which is no other lane's; the caller's */
	int held_fds[LANE_HELD_MAX]; /* the upper layer's entries */
	size_t n_held;
	int dir_fds[3]; /* /dev/shm, /dev/mqueue, /dev/pts */
	int ptmx_fd;    /* /dev/pts/ptmx */
	int net_dir_fd; /* /proc/PID/net, where its files can be changed; else -1 */
	int net_fds[LANE_NET_FILES];
	const char *file; /* path of the one that each program has anew */
	struct strbuf known;
};
#define LANE_STATE_INIT                                                               \
	{                                                                             \
		.upper_fd = -1, .root_fd = -1, .exe_fd = -1, .dir_fds = {-1, -1, -1}, \
		.ptmx_fd = -1, .net_dir_fd = -1, .net_fds = {-1, -1, -1, -1, -1, -1}, \
	}

struct lane_place {
	int base_fd; /* the tmpfs of rootfs.c */
	int exe_fd;  /* csbx-init, or -1 */
	pid_t pid1;
	const struct id_map *map; /* the ids that its programs can have */
};

/* Opened before any program has run. */
int lane_state_open(struct lane_state *s, const struct lane_place *place, const char *file,
		    struct err *e);
/* Waits a tick and notes how all is. */
int lane_state_note(struct lane_state *s, struct err *e);
/* Writes the file for the next program. */
int lane_state_write(const struct lane_state *s, const void *data, size_t len, struct err *e);
/* No process is left: whether all is as it was noted, and the file as it was written. */
bool lane_state_is_same(const struct lane_state *s);
/* The counters of the network's protocols; NULL: not open. */
const int *lane_state_snmp(const struct lane_state *s);
void lane_state_close(struct lane_state *s);

#endif
