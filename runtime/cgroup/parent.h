/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CGROUP_PARENT_H
#define CSBX_RUNTIME_CGROUP_PARENT_H

/*
 * The place where a container's cgroup may be made. These are tried in order, and the first that is
 * usable wins:
 *
 *	named		CSBX_CGROUP_PARENT; then nothing else is tried ("none": no cgroups at all)
 *	ancestor	the nearest group above our own that is ours to write, holds no process and
 *			already offers the controllers that are needed
 *	scope		outside batch jobs: a delegated scope of the systemd user manager
 *
 * Placing a process needs write access to the common ancestor of where it comes from and where it
 * goes (cgroups(7), delegation containment): that is checked here, by the caller's credentials.
 * In a batch job nothing outside the job's own group is looked at.
 */

#include <stdbool.h>

#include "runtime/cgroup/text.h"

struct err;
struct paths;

enum cgroup_rule { CGROUP_RULE_NONE, CGROUP_RULE_NAMED, CGROUP_RULE_ANCESTOR, CGROUP_RULE_SCOPE };

struct cgroup_parent {
	int fd;
	char *path;      /* absolute */
	unsigned offers; /* controllers its children have */
	enum cgroup_rule rule;
};
#define CGROUP_PARENT_INIT \
	{                  \
		.fd = -1   \
	}

/*
 * -errno and the reason when there is none. A parent may offer less than is needed: the caller
 * looks at `offers`. scope_id: of the container, when this process may be moved into a scope for
 * it; NULL = it may not.
 */
int cgroup_parent_find(const struct paths *p, unsigned need, const char *scope_id,
		       struct cgroup_parent *ret, struct err *e);
/* A directory of a cgroup v2 tree, as a parent; enables what it has and does not yet offer. */
int cgroup_parent_open(const char *path, unsigned need, struct cgroup_parent *ret, struct err *e);
void cgroup_parent_close(struct cgroup_parent *p);

/* Id of the batch job we are in (SLURM, PBS, LSF), NULL = none. */
const char *cgroup_batch_job(void);

/*
 * Directory of our own group, and how much of it no parent may be above: the mount point, or the
 * group of the batch job. Caller frees.
 */
int cgroup_own_directory(char **ret_dir, size_t *ret_floor, struct err *e);

/* A directory, if it is of a cgroup v2 tree; and the controllers that one of its files names. */
int cgroup_open(const char *path, struct err *e);
unsigned cgroup_read_controllers(int dirfd, const char *name);

/* Small files of a group: the text, NUL-terminated; and one write. 0 or -errno. */
int cgroup_read(int dirfd, const char *name, char *buf, size_t size);
int cgroup_write(int dirfd, const char *name, const char *text);

#endif
