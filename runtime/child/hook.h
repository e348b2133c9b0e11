/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_HOOK_H
#define CSBX_RUNTIME_HOOK_H

/*
 * Hooks: programs of the host that spec.hooks names. The operation OP_HOOKS (runtime/child/child.h)
 * runs them while the root is there and the host's tree still is: in the container's user and mount
 * namespaces, with all capabilities there, in the order given. A hook gets spec.hooks.env and
 *
 *	ENROOT_PID	the container's pid, as the host's /proc has it
 *	ENROOT_ROOTFS	the root: what is written there is written in the container's layer, what
 *			is mounted below it is there in the container
 *	ENROOT_ENVIRON	a file of NAME=VALUE lines, the environment; lines added to it count
 *	ENROOT_MOUNTS	an empty file; lines of fstab(5) added to it are mounted afterwards
 *
 * Standard input and output are /dev/null, standard error is the caller's. A status other than 0
 * ends the start: "FILE exited with return code N". The image has no say in which hooks run.
 */

struct child;
struct err;

#endif
