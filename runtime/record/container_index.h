/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_INDEX_H
#define CSBX_RUNTIME_CONTAINER_INDEX_H

/*
 * $CSBX_DATA_PATH/containers/.ids/HH/ID: a link whose text is the name of the container, ID the
 * first NAME_ID_DIGITS of its id and HH the first two of these. An id is found in it without a read
 * of every record.
 *
 * It only says where to look: the record decides. An entry may be of a container that is gone; a
 * container has an entry before it has its name. Containers that an older csbx made have none until
 * all records were read once, which .ids/whole says, or until gc.
 */

#include <stdbool.h>

struct err;
struct strv;

/* dirfd is containers/ everywhere. Its entry, whatever there was of that id before. */
int container_index_put(int dirfd, const char *id, const char *name, struct err *e);
/* Of one that has another name now; where it fails the records are read again. */
void container_index_move(int dirfd, const char *id, const char *name);
void container_index_remove(int dirfd, const char *id);

/*
 * Adds the names of those whose id begins with these hex digits. 0: there are no others; -EAGAIN:
 * there may be. -ENOMEM.
 */
int container_index_find(int dirfd, const char *digits, struct strv *ret, struct err *e);

/* All that is there has an entry. */
void container_index_set_whole(int dirfd);

/*
 * Removes the entries without a container. The caller holds the exclusive lock of containers/
 * (temp_dir.h): none is being made.
 */
void container_index_sweep(int dirfd);

#endif
