/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_VOLUME_H
#define CSBX_RUNTIME_VOLUME_H

/*
 * Volumes: $CSBX_DATA_PATH/volumes/NAME/{_data,labels,filling}, directories that outlive the containers
 * that mount them. A name of 64 hexadecimal digits is an anonymous one, made for one container and
 * removed with it where that is asked for. An empty volume is filled by the first start that mounts
 * it with what the image has at that place (copy_up.c).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct container_record;
struct container_spec;
struct err;
struct mount_spec;
struct paths;

/*
 * Finds the volume, or makes it; a NULL name makes an anonymous one. *ret_name (may be NULL) and
 * *ret_path, of _data: the caller frees.
 */
int volume_open(const struct paths *p, const char *name, char **ret_name, char **ret_path,
		struct err *e);
/*
 * The same with labels ("key=value"), where this call makes it; one that is there keeps its own.
 * ret_name is not NULL.
 */
int volume_make(const struct paths *p, const char *name, const struct strv *labels, char **ret_name,
		char **ret_path, struct err *e);
/* Adds its labels. One that is missing has none. */
int volume_labels(const struct paths *p, const char *name, struct strv *ret, struct err *e);
/*
 * An anonymous one for a container that is being made: until volumes_settle() is called for that,
 * it goes with gc when we are gone and no container has it.
 */
int volume_open_own(const struct paths *p, char **ret_name, char **ret_path, struct err *e);
void volumes_settle(const struct paths *p, const struct container_spec *s);
bool volume_is_anonymous(const char *name);
/* True when a path, relative to the data directory, is a volume's contents: volumes/NAME/_data, or
 * below. */
bool volume_has(const char *below_data);
/* Likewise of the cache: a clone that `csbx test --clone` keeps, repos/NAME.git, or below. */
bool clone_has(const char *below_cache);
/* It was made for the container that has this mount: anonymous, and not asked for by its name. */
bool volume_is_own(const struct mount_spec *m);

/* Names in byte order. */
int volume_list(const struct paths *p, struct strv *ret, struct err *e);
/* When it was made (CLOCK_REALTIME) and where it is; caller frees. -ENOENT. */
int volume_look(const struct paths *p, const char *name, uint64_t *ret_created_ns, char **ret_path,
		struct err *e);
/* Ids of the containers that have it among their mounts. */
int volume_users(const struct paths *p, const char *name, struct strv *ret_ids, struct err *e);

/* -ENOENT; -EBUSY: a container has it, *e names its id. */
int volume_remove(const struct paths *p, const char *name, struct err *e);
/*
 * The anonymous ones of a container that is to be removed: begin before it goes, so that gc knows
 * them when we are killed in between, and keep when it stays after all.
 */
void volume_begin_removal_of(const struct paths *p, const struct container_record *r);
void volume_keep_of(const struct paths *p, const struct container_record *r);
/* Removes the volumes of a container that is gone. Those that others use stay. */
int volume_remove_of(const struct paths *p, const struct container_record *r, struct err *e);

/* Removes what no container has: the anonymous ones, or all. Adds the names of those that went. */
int volume_prune(const struct paths *p, bool all, struct strv *ret_removed, struct err *e);

/*
 * True when a process died while it made the volume or removed the volume's container, and no
 * container has the volume.
 */
bool volume_is_debris(const struct paths *p, const char *name);

/* Gives every mount of a volume that is there its directory as source, and makes nothing. */
int volume_find_all(const struct paths *p, struct container_spec *s, struct err *e);
/* The same, and makes the volumes that are missing. */
int volume_open_all(const struct paths *p, struct container_spec *s, struct err *e);

#endif
