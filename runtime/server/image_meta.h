/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_IMAGE_META_H
#define CSBX_RUNTIME_IMAGE_META_H

/*
 * The facts that a start needs of an image, read once by the confined csbx-meta and kept as one
 * flat record (base/flat.h): the OCI configuration from /.csbx/config.json, the image's user
 * database and, for images made by enroot, enroot's four files. The record is foreign data: strings
 * may hold anything but NUL.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

#define IMAGE_META_MAGIC 0x314d4943u /* "CIM1" */
#define IMAGE_META_VERSION 2u
#define IMAGE_META_FILE_MAX (1u << 20) /* cap of each file read from an image */

enum image_meta_tag {
	META_HAS_CONFIG = 1,  /* u64 0/1 */
	META_ARCH,            /* str: OCI architecture */
	META_USER,            /* str: config.User as written */
	META_WORKDIR,         /* str */
	META_STOP_SIGNAL,     /* str */
	META_ENV,             /* str, repeated: NAME=value */
	META_ENTRYPOINT,      /* str, repeated */
	META_CMD,             /* str, repeated */
	META_LABEL,           /* str, repeated: key=value */
	META_VOLUME,          /* str, repeated: absolute path */
	META_PORT,            /* str, repeated: 80/tcp */
	META_CREATED,         /* str */
	META_HAS_USER_XATTRS, /* u64 0/1: some inode carries user.* */
	META_HAS_SHELL,       /* u64 0/1: /bin/sh resolves to an executable file */
	META_PASSWD,          /* bytes of /etc/passwd */
	META_GROUP,           /* bytes of /etc/group */
	META_RC,              /* bytes of /etc/rc, only for images without /.csbx/config.json */
	META_ENVIRONMENT,     /* bytes of /etc/environment, likewise */
	META_FSTAB,           /* bytes of /etc/fstab, likewise */
	META_RC_LOCAL,        /* bytes of /etc/rc.local, likewise */
	META_REF,             /* str: reference the image was imported from */
	META_DIGEST,          /* str: manifest digest */
	META_HEALTH,          /* str, repeated: test=WORD, interval=NS, timeout=NS, start-period=NS,
			       * start-interval=NS, retries=N */
};

struct image_meta {
	bool has_config, has_user_xattrs, has_shell;
	const char *arch, *user, *workdir, *stop_signal, *created, *ref,
		*digest; /* NULL = absent */
	struct strv env, entrypoint, cmd, labels, volumes, ports, health;
	const char *passwd, *group, *rc, *environment, *fstab, *rc_local; /* not NUL-terminated */
	size_t passwd_len, group_len, rc_len, environment_len, fstab_len, rc_local_len;
	void *record; /* memory the pointers above point into */
	size_t record_len;
};

/* Decodes a copy of buf. Unknown tags are passed over. */
int image_meta_decode(struct image_meta *m, const void *buf, size_t len, struct err *e);
void image_meta_free(struct image_meta *m);

#endif
