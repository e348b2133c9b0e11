/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_USERNS_H
#define CSBX_RUNTIME_USERNS_H

/*
 * The room runtime/userns. The outer user namespace: which ids a container has.
 *
 * In: the caller's ids, /etc/subuid and /etc/subgid. Out: a namespace with its maps.
 *
 *	subid.h			which ranges a user has
 *	userns.h		the maps
 *	maker.h			a process that makes the namespace beside other work
 *	tree_remove.h		deleting files of ids that only the namespace has
 *
 * Must: keep the caller as the container's main user.
 * Mustn't: map an id that the user does not have.
 */

/*
 * Id maps of the outer user namespace A (user_namespaces(7)). The caller is always the
 * container's main user U:G. One-id mode: no other user exists. Ranges: every other id comes from
 * the caller's /etc/subuid and /etc/subgid, in order, so the map has up to three extents: the
 * ids below U, U itself, the ids above U.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/spec/spec.h"
#include "runtime/userns/subid.h"

struct err;

#define ID_EXTENTS_MAX 3

/* One line of an id map: `inside` of A = `outside` of the caller's user namespace. */
struct id_extent {
	uint32_t inside, outside, count;
};

struct id_map {
	uint32_t n_uid, n_gid;
	struct id_extent uid[ID_EXTENTS_MAX], gid[ID_EXTENTS_MAX];
};

/* The facts that userns_map_plan() decides from; userns_probe() fills it from this machine. */
struct userns_facts {
	uint32_t caller_uid, caller_gid;
	bool can_use_ranges; /* newuidmap and newgidmap are there and may work */
	const char *why_not; /* static text when they may not */
	struct subid_list uid, gid;
};

/* Reads /etc/subuid and /etc/subgid unless mode is USERNS_ONE. Missing files are empty. */
int userns_probe(enum userns_mode mode, struct userns_facts *ret, struct err *e);

/* True where /etc/subuid gives the id to another user, and not to the caller. */
bool userns_is_anothers(uint32_t id);

/*
 * Pure. USERNS_AUTO takes ranges where there are some that can be used, else one id;
 * USERNS_SUBUID without usable ranges is -EPERM with the reason.
 */
int userns_map_plan(const struct userns_facts *facts, uint32_t uid, uint32_t gid,
		    enum userns_mode mode, struct id_map *ret, struct err *e);

/* Both of the above. */
int userns_map_for(uint32_t uid, uint32_t gid, enum userns_mode mode, struct id_map *ret,
		   struct err *e);

static inline bool id_map_is_one(const struct id_map *m)
{
	return m->n_uid == 1 && m->n_gid == 1 && m->uid[0].count == 1 && m->gid[0].count == 1;
}

/* True if `inside` exists in the n extents at x. */
bool id_extents_have(const struct id_extent *x, uint32_t n, uint32_t inside);
/* The same of `outside`. */
bool id_extents_lead_to(const struct id_extent *x, uint32_t n, uint32_t outside);

/*
 * Text for /proc/PID/uid_map of a namespace that is the identity over the same ids (B), one line
 * an extent: a single line across two extents of the parent is EPERM. Returns the length.
 */
size_t id_extents_identity(const struct id_extent *x, uint32_t n, char *buf, size_t size);

/* One-id mode, by the process that has just unshared: "deny" to setgroups, then both maps. */
int userns_write_own(const struct id_map *m, struct err *e);

/*
 * Ranges: newuidmap and newgidmap for process pid, run from the parent namespace, no shell. Side by
 * side: each takes its time to load libraries and to ask NSS, not to write the map.
 */
struct userns_mapper {
	const char *program;
	pid_t pid; /* 0: does not run */
	int said_fd;
};
struct userns_mappers {
	struct userns_mapper uid, gid;
};
#define USERNS_MAPPERS_INIT                                     \
	{                                                       \
		.uid = {.said_fd = -1}, .gid = {.said_fd = -1 } \
	}

/*
 * They begin when there is a byte for each in the pipe `go`, and end when its last writer has gone;
 * NULL: at once. To be finished in any case.
 */
int userns_mappers_start(pid_t pid, const struct id_map *m, const int *go,
			 struct userns_mappers *ret, struct err *e);
int userns_mappers_finish(struct userns_mappers *m, struct err *e);

/* Both. */
int userns_write_ranges(pid_t pid, const struct id_map *m, struct err *e);

#endif
