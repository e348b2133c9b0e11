/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_HOST_H
#define CSBX_RUNTIME_HOST_H

/*
 * The room runtime/doctor. The features of this machine.
 *
 * In: nothing. Out: a list of features, each with a reason and a remedy.
 *
 *	host.h			the list
 *	host_try.h, host_cgroup.c: trying, in a child
 *	host_dirs.c		csbx's own directories
 *	host_cause.h, host_hint.c: from a failure to what helps
 *
 * Must: try what a start does.
 * Mustn't: conclude from a version.
 */

/*
 * The features of this machine, found by trying them, not by versions: each feature has one probe,
 * a reason when it is missing and, where there is one, the remedy. `csbx doctor` prints the list;
 * hints under error messages and the skips of the tests come from the same table.
 */

#include <stdbool.h>

struct err;
struct paths;
struct strbuf;

enum host_feature {
	HOST_KERNEL,  /* at least 5.14 */
	HOST_USERNS,  /* user, mount, pid, ipc, uts, net and cgroup namespaces, in two stages */
	HOST_PROC,    /* a fresh /proc in them */
	HOST_OVERLAY, /* overlay in a user namespace, upper on tmpfs */
	HOST_OVERLAY_DISK, /* the same, upper on the layer path */
	HOST_TMPFS_XATTR,  /* user.* attributes on tmpfs */
	HOST_FUSE,         /* /dev/fuse opens and mounts in a user namespace */
	HOST_SUBID,        /* id ranges and the programs that map them */
	HOST_SECCOMP,
	HOST_LANDLOCK, /* ABI 2 */
	HOST_OPENAT2,
	HOST_OPEN_TREE, /* open_tree, move_mount, fsopen */
	HOST_MOUNT_SETATTR,
	HOST_PIDFD,
	HOST_CLONE3,
	HOST_CLOSE_RANGE,
	HOST_MEMFD,         /* sealed and executable */
	HOST_CGROUP,        /* a cgroup v2 directory to make containers' groups in */
	HOST_CGROUP_MEMORY, /* with these controllers */
	HOST_CGROUP_CPU,
	HOST_CGROUP_PIDS,
	HOST_USER,        /* it is not root, which a start refuses */
	HOST_RUNTIME_DIR, /* XDG_RUNTIME_DIR */
	HOST_DATA_DIR,    /* data and cache path are the user's own, and closed to others */
	HOST_HELPERS,     /* csbx's other programs */
	HOST_ENGINE,      /* csbx engine listens */
	HOST_APPARMOR,    /* nothing of it in the way */
	HOST_POLICY,      /* the site's policy has no fault */
	HOST_FEATURE_MAX,
};

struct host_fact {
	bool ok;
	bool blocks;      /* it is missing in a way that no container can start, needed or not */
	char reason[256]; /* the finding, or why it is missing */
	char remedy[288]; /* what to do about it; empty when nothing is needed or known */
};

/* "userns": the word `doctor --feature` takes. */
const char *host_feature_name(enum host_feature f);
const char *host_feature_summary(enum host_feature f);
/* True if no container can start without it. */
bool host_feature_is_needed(enum host_feature f);
/* HOST_FEATURE_MAX for an unknown name. */
enum host_feature host_feature_find(const char *name);

/*
 * Tries one feature. Leaves nothing behind; a probe that could disturb the caller runs in a forked
 * child. paths may be NULL: then features that need one of csbx's directories are missing.
 */
void host_probe(const struct paths *paths, enum host_feature f, struct host_fact *ret);

/*
 * The remedy for an error, when its code and text point to a feature that is indeed missing here.
 * Appends one line without newline and returns true.
 */
bool host_hint(int code, const char *msg, struct strbuf *out);

#endif
