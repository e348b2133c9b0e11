/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_AGAIN_H
#define CSBX_RUNTIME_CONTAINER_AGAIN_H

/*
 * $CSBX_DATA_PATH/containers/.ids/again/ID: containers whose supervisor starts them again by their
 * policy. While it waits for the next start there is no instance, and a list of what is active
 * finds the container here, without a look at all the others.
 *
 * It only says where to look: the lock of the run decides. A supervisor that is killed leaves its
 * entry until the container is removed or gc comes by.
 */

struct err;
struct strv;

/* dirfd is containers/ everywhere; id is the container's, of which NAME_ID_DIGITS count. */
int container_again_put(int dirfd, const char *id, const char *name, struct err *e);
void container_again_remove(int dirfd, const char *id);

/* Adds the names they have now. -ENOMEM. */
int container_again_list(int dirfd, struct strv *ret, struct err *e);

/* Removes entries without a container, after container_index_sweep() and with the same lock. */
void container_again_sweep(int dirfd);

#endif
