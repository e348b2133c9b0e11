/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_ENROOT_STOCK_H
#define CSBX_ENROOT_STOCK_H

/*
 * Does the work of the hooks that come with enroot, without running a program. csbx takes a file of
 * hooks.d with the name of one of these for it, and does not run it.
 */

#include <stdbool.h>
#include <stddef.h>

struct container_spec;
struct err;
struct strbuf;
struct strv;

/* True for the name of a hook ("10-home.sh") whose work is done here. */
bool stock_has_hook(const char *name);

/*
 * 50-slurm-pmi and 50-slurm-pytorch: in a job step (SLURM_JOB_ID and SLURM_STEP_ID in host), its
 * SLURM_*, PMI_* and PMIX_* variables; for an image with PYTORCH_VERSION the ranks and the
 * master's port, where they are not set. Pure.
 */
int stock_slurm_environ(char *const *host, struct strv *env, struct err *e);

/* The directories where PMIx's server is to be found in a job step. Pure. */
int stock_slurm_pmix_dirs(char *const *host, struct strv *out, struct err *e);

/*
 * One of these: its path without links, the caller's to free. Any user may have made a directory of
 * such a name: SLURM gives its own to the job's user. 1; 0: there is none; -EPERM: another user's.
 */
int stock_slurm_open_pmix(const char *dir, char **ret_real, struct err *e);

/* 10-shadow: the caller's and the usual entries first in passwd and group. Pure. */
struct stock_user {
	const char *name, *home;
	unsigned uid, gid;
};
void stock_passwd(const struct stock_user *u, const char *image, size_t len, struct strbuf *out);
void stock_group(const struct stock_user *u, const char *image, size_t len, struct strbuf *out);

/* 10-localtime: the host's time zone as /etc/localtime in a fresh layer; passed over if none. */
int stock_localtime(struct container_spec *spec, struct err *e);

/*
 * 98-nvidia: adds the command that puts GPUs into the root, where NVIDIA_VISIBLE_DEVICES asks for
 * some. -ENOENT: the caller himself asks, and nvidia-container-cli is not installed.
 */
int stock_nvidia(char *const *host, const char *rootfs, struct container_spec *spec, struct err *e);

#endif
