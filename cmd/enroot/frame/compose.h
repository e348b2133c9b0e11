/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_ENROOT_COMPOSE_H
#define CSBX_ENROOT_COMPOSE_H

/*
 * The results that an enroot start makes from files and options: environment, command, mounts and
 * hooks. Later sources win over earlier ones:
 *
 *	environment	image, DIR/environ.d/NAME.env, environ() of --conf, -e; hooks add to it
 *	mounts		image's volumes, DIR/mounts.d/NAME.fstab, hooks' ENROOT_MOUNTS,
 *			mounts() of --conf, -m
 *	command		--rc, rc() of --conf, the image's /etc/rc, its entrypoint and command
 *	hooks		DIR/hooks.d/NAME.sh, then hooks() of --conf
 *
 * DIR is the system's directory, then the user's. An image has a say in environment, command and in
 * its own volumes only: csbx warns of anything that its files ask of the host, and passes it over.
 */

#include <stdbool.h>

#include "runtime/base/str.h"

struct conf_script;
struct container_spec;
struct err;
struct image_meta;

struct enroot_start {
	const struct image_meta *meta;
	/* ENROOT_SYSCONF_PATH, ENROOT_CONFIG_PATH; NULL: that one is not read. */
	const char *system_dir, *user_dir;
	const struct conf_script *script; /* --conf (conf/script.h), or NULL */
	const struct strv *env;           /* each -e as written: "K=V" or "K" */
	const struct strv *mounts;        /* each -m as written */
	const char *rc;                   /* --rc: path, also of a fifo; or NULL */
	int argc;                         /* the command and its arguments */
	char **argv;
	bool no_entrypoint; /* the command as it is, in the image's working directory */
	bool remap_root;    /* --root */
	bool login_shell;   /* ENROOT_LOGIN_SHELL: /etc/rc is run by a login shell */
	bool mount_home;    /* ENROOT_MOUNT_HOME */
	bool restrict_dev;  /* ENROOT_RESTRICT_DEV */
	/*
	 * Isolation was asked for (--profile sandbox): nothing of the host comes in but what -m and
	 * -e name; mounts.d and hooks are not used.
	 */
	bool is_sandbox;
	const struct strv *settings; /* "ENROOT_X=value": hooks and --conf find them, or NULL */
	char *const *host_env;       /* environ(7) of the caller */
	const char *runtime_dir;     /* of csbx: place for a root that hooks look at */
	struct strv *warnings;       /* texts to print as [WARN]; the caller's, may grow */
};

/*
 * Fills spec->proc (command, environment, directory, user), adds mounts, files and hooks.
 * Everything else (rootfs, namespaces, limits) is the caller's, and spec->rootfs is set before:
 * whether the root is writable decides what becomes of volumes. -errno with a text that names the
 * file and line, or the option.
 */
int enroot_compose(const struct enroot_start *q, struct container_spec *spec, struct err *e);

#endif
