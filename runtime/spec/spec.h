/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SPEC_H
#define CSBX_RUNTIME_SPEC_H

/*
 * The room runtime/spec. A container as data, from what was asked to what will be mounted and to
 * what became of it.
 *
 * In: fields that a front end sets, texts of an image. Out: a frozen specification, a plan, a
 * result.
 *
 *	spec.h			everything a container is; name.h, rlimit.h, image_id.h: parts
 *	user.h, env_lines.h, fstab.h, mount_option.h: texts that people and images write
 *	etc_files.h		files in /etc that a container gets
 *	plan.h			what is mounted, in order
 *	flat.h, out.h		the specification as a record and as JSON
 *	result.h, result_json.h	what happened
 *
 * Must: be pure.
 * Mustn't: open a file, look at the host, keep a default that is not in spec.h.
 */

/*
 * container_spec: everything a container is. Every front end fills one and calls spec_freeze(),
 * which rejects contradictions with the option's name before anything has happened; from there
 * on it is const. Zero is "default" everywhere unless said otherwise. All memory is the spec's
 * own: spec_free() releases it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "runtime/base/str.h"

struct err;

#define SPEC_VERSION 1u

enum rootfs_kind { ROOTFS_SQUASHFS, ROOTFS_DIRECTORY };
enum upper_kind {
	UPPER_THROWAWAY, /* writable, gone at exit */
	UPPER_KEPT,      /* writable, kept in layer_path between starts (-w) */
	UPPER_READONLY,  /* --read-only */
};

/* Identity of an image file or directory as pinned by create; a start compares all of it. */
struct image_id {
	uint64_t dev, ino, size_bytes, mtime_ns; /* size and mtime are 0 for a directory */
};

/* One of the files, or directories where it is unpacked, that an image is made of. */
struct rootfs_part {
	char *path;
	struct image_id id;
};

#define SPEC_STACK_MAX 8 /* files of an image, the topmost included */
#define SPEC_LAYERS_MAX 64

struct rootfs_spec {
	enum rootfs_kind kind;
	char *path; /* absolute host path of the image file or directory; of a stack the topmost */
	struct image_id id;
	struct rootfs_part *lowers; /* of a stack: the files below path, the lowest first */
	size_t n_lowers;
	/*
	 * Absolute paths of directories that lie over the image, the lowest first: each as an
	 * overlay with "userxattr" left its upper directory, and no process writes to it meanwhile.
	 */
	struct strv layers;
	bool has_user_xattrs; /* of the lowest file: the image server must answer getxattr */
	enum upper_kind upper;
	char *layer_path; /* UPPER_KEPT, reads_layer: directory that holds upper/ work/ lock */
	bool reads_layer; /* not UPPER_KEPT: the container sees the kept layer, if there is one */
	bool force_layer; /* start though the layer may be incomplete after a crash */
	uint64_t upper_bytes; /* 0: container_base_bytes() */
};

enum tty_mode { TTY_NO, TTY_YES };

struct process_spec {
	struct strv argv;
	struct strv env;
	char *cwd;         /* absolute; made when missing */
	uint32_t uid, gid; /* main user inside: the caller is mapped to it */
	uint32_t *groups;  /* supplementary groups that exist in the map */
	size_t n_groups;
	bool keep_groups; /* leave the caller's supplementary groups alone */
	/*
	 * The caller is mapped to root inside, and the main user is one of the ids beside it: for
	 * programs of different users that write one layer. Not part of a stored specification.
	 */
	bool root_is_caller;
	char *user_name;                   /* for synthetic passwd, NULL = numeric user */
	char *home;                        /* HOME when the environment sets none */
	bool home_is_asked, path_is_asked; /* reserved for front ends */
	enum tty_mode tty;
	uint32_t tty_rows, tty_columns; /* its size at first; 0: not told */
	bool close_stdin;               /* stdin is /dev/null instead of the caller's */
	int stop_signal;                /* what `stop` sends; 0: SIGTERM */
	bool stop_timeout_is_set;
	uint64_t stop_timeout_ms; /* how long `stop` waits for it, when set */
	bool pid1_signals;        /* signals reach it as they would a pid 1 (docs/life.md) */
	int *keep_fds;            /* none by default; reserved for the harness channel */
	size_t n_keep_fds;
};

enum net_mode { NET_NONE, NET_HOST };
enum ipc_mode { IPC_PRIVATE, IPC_HOST };
enum userns_mode { USERNS_AUTO, USERNS_ONE, USERNS_SUBUID };
enum pid_mode { PID_PRIVATE, PID_HOST };
enum uts_mode { UTS_PRIVATE, UTS_HOST };
enum cgroupns_mode { CGROUPNS_PRIVATE, CGROUPNS_HOST };

struct ns_spec {
	enum net_mode net;
	enum ipc_mode ipc;
	enum userns_mode userns;
	enum pid_mode pid; /* PID_HOST: a bare start (bare.h) only; /proc is the caller's then */
	enum uts_mode uts; /* UTS_HOST: hostname is not looked at */
	enum cgroupns_mode cgroup;
	bool host_sys; /* /sys is the caller's, read-only, nothing in it hidden */
	bool host_dev; /* /dev is the caller's with all below it, devices work */
	/* The front end's choice where the user said nothing: it gives way to the site's policy. */
	bool net_is_default, ipc_is_default;
	char *hostname; /* NULL: the container's name or id */
};

enum mount_kind {
	MOUNT_BIND,
	MOUNT_TMPFS,
	MOUNT_DEVICE,
	MOUNT_COPY, /* a directory, written to in the throw-away layer: the source does not
		     * change */
	MOUNT_SELF, /* a directory of the root itself, writable though the root is read-only */
};

struct mount_spec {
	enum mount_kind kind;
	char *source; /* bind, device, copy: absolute host path; self: absolute path inside */
	char *target; /* absolute path inside */
	bool readonly;
	bool non_recursive;
	bool exec_off;        /* noexec */
	bool optional;        /* a missing source is passed over (nofail) */
	bool devices;         /* of a bind: device nodes below the source work */
	bool no_create;       /* the target must exist in the image */
	bool no_links;        /* a source with a symbolic link in its path is refused */
	uint64_t tmpfs_bytes; /* 0: 25 % of RAM */
	unsigned tmpfs_mode;  /* 0: 01777 */
	char *asked;          /* the words the user wrote, for messages */
	char *volume;         /* bind of a volume: its name */
	bool copy_up;         /* an empty volume first gets what the image has at target */
};

struct rlimit_spec {
	int resource; /* RLIMIT_* */
	struct rlimit value;
	bool is_default; /* not asked for: gives way to the caller's own hard limit */
};

#define SPEC_DEFAULT_PIDS 4096
#define SPEC_MEMORY_BYTES_MIN \
	(UINT64_C(1) << 20) /* no program runs in less: a unit was forgotten */
/* A dialect's default before spec_freeze: no limit, unless the site's policy has one. */
#define PIDS_AS_POLICY (UINT64_MAX - 1)

struct limit_spec {
	uint64_t memory_bytes;      /* 0 = none */
	uint64_t cpus_milli;        /* 0 = none; 1500 = 1.5 CPUs */
	uint64_t pids;              /* 0 = SPEC_DEFAULT_PIDS; UINT64_MAX = none; PIDS_AS_POLICY */
	bool pids_is_default;       /* filled by spec_freeze */
	uint64_t shm_bytes;         /* 0 = 64 MiB */
	uint64_t timeout_ms;        /* 0 = none */
	uint64_t kill_after_ms;     /* 0 = 100 */
	uint64_t output_bytes;      /* --max-output, 0 = none */
	uint64_t output_kill_bytes; /* --max-output-kill, 0 = none */
	bool strict;                /* --limits strict */
	bool oom_single;            /* out of memory the largest process dies, not all of them */
	/* The front end's own choice: gives way to the site's policy (policy.h). */
	bool memory_is_default, timeout_is_default;
	struct rlimit_spec *rlimits;
	size_t n_rlimits;
};

struct security_spec {
	uint64_t caps;     /* final set of the main process; spec_freeze fills the default */
	bool caps_are_set; /* caps was given */
	uint64_t caps_add, caps_drop; /* applied to the default by spec_freeze */
	bool caps_of_root; /* the default is root's for every main user: for what becomes root
			    * later. Not part of a stored specification, where caps is set */
	bool new_privs;    /* --security-opt no-new-privileges=false */
	bool new_privs_is_default; /* as ns.net_is_default */
	bool seccomp_off;          /* --security-opt seccomp=unconfined */
	bool landlock_off;
	bool masks_off;   /* --security-opt systempaths=unconfined */
	bool root_shared; /* --security-opt root=shared: a read-only root may be the image's own
			   * mount, whose files it has in common with other containers */
	bool root_shared_is_default; /* as ns.net_is_default */
	bool fake_ids;   /* chown(2), setuid(2), mknod(2) of devices and their kin do nothing and
			 * say that they did: for package managers in a map of one id */
	bool fake_nodes; /* likewise mknod(2) of devices alone: with more ids the rest is real */
};

/*
 * A file put into a fresh upper layer before the root is mounted; the image is not touched. Without
 * data it is a directory of the main user's that hides what the image has there.
 */
struct file_spec {
	char *path; /* below /, without a leading slash: "etc/passwd" */
	char *data;
	size_t len;
	unsigned mode;  /* 0: 0644, of a directory 0755 */
	bool is_users;  /* belongs to the main user instead of root */
	bool if_absent; /* a directory: only where the image has nothing of that name */
	bool is_own;    /* a program of csbx: no part of the specification where that is shown */
	bool refresh;   /* also in a kept layer that was used before */
	bool is_below;  /* in memory, below the upper layer, at every start: no layer keeps it */
};

/*
 * Programs of the host that are run while the container is set up, one after the other, in its
 * user and mount namespaces and with all capabilities there, before the root is entered
 * (runtime/child/hook.h).
 */
struct hook_command {
	struct strv argv;
	char *shown; /* for messages */
};

struct hooks_spec {
	struct hook_command *commands;
	size_t n;
	struct strv env; /* their environment */
	char *cwd;       /* where they start, NULL: / */
	char *dir;       /* absolute host path of a directory where the root is shown to them */
	size_t mounts_before; /* so many of the mounts are made before they run */
	char *environ_text;   /* what they find in the file ENROOT_ENVIRON */
};

#define FETCH_PATHS_MAX 256u /* files that a result brings */

struct container_spec {
	uint32_t version;
	char *id;   /* 12 hex digits; spec_freeze makes one when NULL */
	char *name; /* container name, NULL for a start of an image */
	struct rootfs_spec rootfs;
	struct process_spec proc;
	struct ns_spec ns;
	struct mount_spec *mounts;
	size_t n_mounts;
	struct limit_spec limits;
	struct security_spec sec;
	struct file_spec *files;
	size_t n_files;
	struct hooks_spec hooks; /* not part of a stored specification */
	struct strv labels;      /* "key=value" */
	struct strv fetch;       /* absolute paths inside whose files go into the result */
	bool allow_root;         /* --allow-root */
	bool capture_output;     /* output goes into the result instead of the caller's streams */
};

void spec_init(struct container_spec *s);
void spec_free(struct container_spec *s);

/* Puts a copy of a part on top of a stack's lower ones. -E2BIG: SPEC_STACK_MAX. */
int rootfs_add_lower(struct rootfs_spec *root, const char *path, const struct image_id *id,
		     struct err *e);
void rootfs_free_lowers(struct rootfs_spec *root);
/* Part i of n_lowers + 1, from the lowest; it borrows its path. */
struct rootfs_part rootfs_part_at(const struct rootfs_spec *root, size_t i);

/* Appends a zeroed mount, hook or rlimit for the caller to fill; NULL when out of memory. */
struct mount_spec *spec_add_mount(struct container_spec *s);
/* No directory, device, socket or process of the host is in it, by words of its own or by a hook. */
bool spec_shows_nothing_of_host(const struct container_spec *s);
void spec_free_mount(struct mount_spec *m); /* of one that is in no specification */
/* Takes mount number i out of the list. */
void spec_remove_mount(struct container_spec *s, size_t i);
struct hook_command *spec_add_hook(struct container_spec *s);
struct rlimit_spec *spec_add_rlimit(struct container_spec *s);
/* Adds a file; takes ownership of data, also on error. */
int spec_add_file(struct container_spec *s, const char *path, char *data, size_t len,
		  struct err *e);
/* The same with a copy of the data, and all the rest as given; file->data NULL: a directory. */
int spec_copy_file(struct container_spec *s, const struct file_spec *file, struct err *e);

/* The caller's ids inside, the U:G of the id map. */
static inline uint32_t spec_map_uid(const struct container_spec *s)
{
	return s->proc.root_is_caller ? 0 : s->proc.uid;
}
static inline uint32_t spec_map_gid(const struct container_spec *s)
{
	return s->proc.root_is_caller ? 0 : s->proc.gid;
}

/* Fills defaults, checks contradictions (-EINVAL naming the option). After it the spec is const. */
int spec_freeze(struct container_spec *s, struct err *e);

/* Default bounding set of a root main user: 11 capabilities (docs/security.md). */
#define SPEC_CAPS_DEFAULT UINT64_C(0x800405fb)

#endif
