/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LANE_H
#define CSBX_RUNTIME_LANE_H

/*
 * A lane: a container that is kept for one short program after the other. Each is born in it as the
 * main process of any container is, by csbx-init's own steps (runtime/helpers/init/spawn.c); after
 * each csbx-init kills all that is left (lane.c there), and what a program could have left besides
 * is compared with how it was (lane_state.h). A lane that is not provably as it was before is not
 * used again: its owner closes it and opens another.
 *
 * Where control groups hold limits each program has a group of its own below the lane's
 * (runtime/cgroup/lend.h): made before it, gone after it, and with it all counts. The memory of files
 * in memory is given back with those. The kernel's own, such as its cache of names, may be charged to
 * the lane's group from then on; a lane that has kept LANE_KEPT_BYTES of it is given up.
 *
 * The owner opens and closes; processes that it forks run programs, one at a time. Pid 1 ends with
 * the owner.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct container_hooks;
struct container_spec;
struct err;
struct lane;
struct paths;
struct run_result;

#define LANE_KEPT_BYTES (UINT64_C(16) << 20)

/* The one file of a program's own: there in the specification, below a directory of the user's. */
struct lane_file {
	const char *path; /* as in struct file_spec */
	const void *data;
	size_t len;
};

/*
 * True when such a container can be a lane: nothing of the host is mounted, writable layer in
 * memory, no network, the usual capabilities, filter and Landlock, output that is captured.
 */
bool lane_is_possible(const struct container_spec *spec);

/*
 * A program that a process was frozen for: what begins with this word is a copy of that, which
 * csbx-init has; where that cannot be had, the word runs, with the frozen process as the last of its
 * descriptors.
 */
struct lane_warm {
	const char *program;
	int fd;
};

/*
 * paths, and of spec the strings, must live as long; its files are read now. -EOPNOTSUPP: not on
 * this machine (no FUSE, an old kernel). is_lent: others will run programs in it, which cannot be
 * where control groups hold the limits.
 */
int lane_open(const struct container_spec *spec, const struct paths *paths, const char *file,
	      const struct lane_warm *warm, bool is_lent, struct lane **ret, struct err *e);
void lane_close(struct lane **lane);

/*
 * True where a limit of memory of the program's own is held as in a container made for it: the
 * program's control group or the watchdog has it, and the file systems have room for what the program
 * may put there.
 */
bool lane_fits(const struct lane *lane, const struct container_spec *spec);

/*
 * As container_run(), in a process that the owner has forked. It takes the command, environment,
 * descriptors, id and limits of memory, time and output from spec; the rest must be the lane's.
 * *ret_clean: the next may use it. Below 0: the program has not run.
 */
int lane_run(struct lane *lane, const struct container_spec *spec, const struct lane_file *file,
	     const struct container_hooks *hooks, struct run_result *ret, bool *ret_clean,
	     struct err *e);

#endif
