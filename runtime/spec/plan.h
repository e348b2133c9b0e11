/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_PLAN_H
#define CSBX_RUNTIME_PLAN_H

/*
 * The plan: what will be mounted, in order, compiled from a frozen spec. Compiling is a pure
 * function: no descriptor, no system call, so it is tested without privilege and printed by
 * `csbx start --plan`. The child (runtime/child/child.c) walks it; one operation is one function
 * there.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct container_spec;
struct file_spec;
struct image_id;
struct strbuf;
struct err;

enum op_kind {
	OP_LOOPBACK,        /* lo up in the own network namespace; ports from 0 may be bound */
	OP_HOSTNAME,        /* src: name */
	OP_BASE,            /* bytes: tmpfs for upper layer and mount points of the root */
	OP_LOWER_IMAGE,     /* the image server's mounts, one for each file of the image */
	OP_LOWER_DIRECTORY, /* src: directory, as root or over another; dev and ino compared */
	OP_LOWER_LAYER,     /* src: upper directory that is read, over those before; likewise */
	OP_UPPER_DIRECTORY, /* src: upper layer on disk, compared with dev and ino */
	OP_SEED,            /* dst: file in a fresh layer, data: contents, else a directory */
	OP_OVERLAY,         /* the root */
	OP_DEV,             /* the server's /dev template, read-only and shared */
	OP_DEV_OWN,         /* a /dev of its own, because devices are added */
	OP_DEVPTS,
	OP_SHM,      /* bytes */
	OP_SHM_HOST, /* --ipc host */
	OP_MQUEUE,
	OP_PROC,
	OP_PROC_MASK,     /* dst: below /proc, hidden if it exists */
	OP_PROC_READONLY, /* dst: below /proc */
	OP_SYSFS,         /* of the own network namespace */
	OP_SYSFS_HOST,    /* --network host: the caller's, read-only */
	OP_SYS_MASK,      /* dst: below /sys */
	OP_BIND,          /* src, dst, flags */
	OP_DEVICE,        /* src, dst */
	OP_TMPFS,         /* dst, bytes, mode, flags */
	OP_COPY,          /* src, dst: an overlay over a directory */
	OP_SELF,          /* src, dst, flags: both in the root */
	OP_HOOKS,         /* src: where the root is shown to them */
	OP_HIDE, /* src: one of csbx's own directories, wherever the mounts above show it */
	OP_READONLY_ROOT,
	OP_PIVOT,
	OP_UNIX_SOCKETS, /* of a network namespace of their own, with --network host */
	OP_LANDLOCK,
	OP_MAX,
};

enum op_flag {
	OP_RDONLY = 1u << 0,
	OP_NOEXEC = 1u << 1,
	OP_SINGLE = 1u << 2,    /* bind without the mounts below */
	OP_OPTIONAL = 1u << 3,  /* a missing source is passed over */
	OP_NOCREATE = 1u << 4,  /* the target must exist */
	OP_USERS = 1u << 5,     /* a seed that belongs to the main user */
	OP_DEVICES = 1u << 6,   /* bind with the device nodes of the source */
	OP_IF_ABSENT = 1u << 7, /* a seed that the image's own wins over */
	OP_COPY_UP = 1u << 8,   /* a volume: filled from the image while it is empty */
	OP_BELOW = 1u << 9,     /* a seed, and the overlay: not in the upper layer but below it */
	OP_REFRESH = 1u << 10,  /* a seed that replaces what a used layer has */
	OP_VOLUMES = 1u << 11,  /* of OP_HIDE: volumes and files of hosts in it may be mounted */
	OP_CLONES = 1u << 12,   /* of OP_HIDE: a clone that csbx keeps may be seen, read-only */
	OP_SCOPED = 1u << 13,   /* of OP_LANDLOCK: no abstract UNIX sockets of the host */
	OP_NO_LINKS = 1u << 14, /* the source's path has no symbolic link */
	OP_STEPS = 1u << 15,    /* of OP_HIDE: a file of a SLURM step may be seen, read-only */
	OP_DIRECT = 1u << 16,   /* of OP_OVERLAY: the image's own mount will do */
	OP_SITE = 1u << 17,     /* of OP_HIDE: other users use it as well */
};

struct op {
	enum op_kind kind;
	unsigned flags, mode;
	uint64_t bytes;
	const char *src, *dst; /* borrowed from the spec or static */
	const char *data;
	size_t data_len;
	/* Filled in by the supervisor when it opens the sources: identity to compare with. */
	uint64_t dev, ino;
	const struct image_id *id; /* the image it must be, NULL: any */
	bool skip;
	/*
	 * With OP_HIDE in the plan: src without links, owned; and of OP_HIDE itself the links on
	 * the way to it, and the directories on it that ".." leaves again.
	 */
	char *real;
	struct strv links;
};

struct plan_input {
	const struct container_spec *spec;
	const char
		*upper_path;   /* upper layer on disk (kept or scratch); NULL = on the base tmpfs */
	const char *read_path; /* upper directory of a kept layer that is read; NULL = none */
	uint64_t base_bytes;
	const struct file_spec *seeds;
	size_t n_seeds;
	const struct strv
		*own; /* csbx's own directories, or NULL: hidden beneath mounts of the host */
};

struct plan {
	struct op *ops;
	size_t n;
};

struct mount_spec;
/* The operation of one mount; it borrows m's strings. */
void plan_mount_op(const struct mount_spec *m, struct op *ret);
int plan_compile(struct plan *p, const struct plan_input *in, struct err *e);
void plan_free(struct plan *p);
/* The directories of OP_SYS_MASK; NULL is behind the last. */
extern const char *const plan_sys_masks[];

const char *op_name(enum op_kind kind);
bool plan_has(const struct plan *p, enum op_kind kind);
/* True when src is a path of the host that is opened and mounted. */
bool plan_op_has_source(const struct op *op);
/* True when it shows a directory of the host through an overlay. */
bool plan_op_is_overlay(const struct op *op);
/* True where layers of csbx's own, which lie on disk, are part of the root. */
bool plan_has_layers(const struct plan *p);
/* True where an operation looks at the host's files, other than at such layers. */
bool plan_needs_host(const struct plan *p);
/* One line an operation, for people and tests. */
void plan_print(const struct plan *p, struct strbuf *out);

#endif
