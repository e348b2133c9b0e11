/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_ENROOT_COMPOSE_PRIV_H
#define CSBX_ENROOT_COMPOSE_PRIV_H

/* Between the files of enroot_compose(). */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/enroot/frame/compose.h"
#include "runtime/base/str.h"

struct container_spec;
struct err;
struct mount_spec;

struct compose {
	const struct enroot_start *q;
	struct container_spec *spec;
	char *hook_dir;         /* where hooks see the root: hook_dir/root */
	char *rootfs;           /* ENROOT_ROOTFS */
	struct strv script_env; /* environment of --conf's functions and of hooks */
	char *cwd;
	/* The caller as the container sees him. */
	char *user, *home;
	bool shows_rc_local; /* a mount lies on /etc/rc.local */
};

/* True where the image starts by its own /etc/rc. */
bool compose_is_enroot_image(const struct image_meta *m);

/* "WARNING: text", for the caller to print. */
void compose_warn(struct compose *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* compose_user.c: ids, home; /etc/passwd and group */
int compose_user(struct compose *c, struct err *e);
/* True when the home is a path that may be made, and not / itself. */
bool compose_home_is_plain(const struct compose *c);
/* compose_env.c */
int compose_env(struct compose *c, struct err *e);
/* compose_mounts.c */
int compose_mounts(struct compose *c, struct err *e);
/* compose_hooks.c */
int compose_hooks(struct compose *c, struct err *e);
/* compose_command.c */
int compose_command(struct compose *c, struct err *e);

#endif
