/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_STORE_H
#define CSBX_RUNTIME_CONTAINER_STORE_H

/*
 * The room runtime/record. The files on disk about containers, starts and volumes.
 *
 * In: names, specifications, states. Out: records that are whole or not there.
 *
 *	container_store.h	containers by name; container_record.h: the record of one
 *	container_find.h	which container an operand stands for; container_index.h: by its id
 *	container_again.h	those that their policy starts again
 *	image_pin.h		keeping an image's file
 *	instance.h		starts that run; instance_sweep.c: files of those that were killed
 *	run_dir.h		logs and results of starts that are detached
 *	owner.h			the process that a container belongs to
 *	volume.h		volumes
 *
 * Must: tell life by kernel locks.
 * Mustn't: believe a process id in a file.
 */

/*
 * $CSBX_DATA_PATH/containers/NAME/{record,image}: one directory a container.
 *
 * Creating copies nothing: the image is pinned by a hard link, else by a reflink, else by its
 * path and identity. The directory is built as .tmp-* and renamed into place, so a name either
 * is whole or is not there; of many creators of one name exactly one wins. rename(2) refuses a
 * target that is not empty, so no rename flag is needed that a network file system may lack.
 *
 * Durability: nothing is synced. A container is a recipe that create makes again in a
 * millisecond; a record torn by a power cut is told by its checksum, said, and replaced by
 * `create -f` or removed. (The data in a kept layer is another matter: layer.h.)
 *
 * A process that builds or deletes a .tmp-* holds a shared lock on containers/.lock; gc takes it
 * exclusively, so what it finds then is debris.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/record/container_record.h"
#include "runtime/server/image_file.h"
#include "runtime/layer/layer.h"
#include "runtime/spec/name.h"
#include "runtime/kernel/temp_dir.h"

struct err;
struct image_pin_view;
struct meta_source;
struct paths;

struct container_create {
	const char *name;   /* valid name */
	const char *image;  /* path of a squashfs file or a directory */
	bool replace;       /* an existing container of that name goes, with its kept layer */
	bool while_running; /* also one whose starts run: they go on, unless they use its layer */
	bool recipes_only;  /* not one that stays: -EEXIST */
	bool always_pin;    /* the file is copied where it can be neither linked nor cloned */
	const struct image_pin_view *pin_view; /* image_pin.h; NULL allowed */
	const struct meta_source *meta;        /* meta_cache.h */
	/* What the caller has read of the image itself, if it is still that file; NULL allowed. */
	const struct rootfs_spec *read_root;
	const struct strbuf *read_meta;
	/* A container that stays: frozen; spec->id is what its id begins with. NULL: a recipe. */
	const struct container_spec *spec;
	/*
	 * The other values of its record; only the fields from `dialect` on are looked at, but for
	 * spec.
	 */
	const struct container_record *traits;
};

/*
 * -EEXIST: the name is taken; -EBUSY: it is to be replaced but in use; -EINVAL: no squashfs.
 * *ret_pin (may be NULL) says how the image was pinned.
 */
int container_store_create(const struct paths *p, const struct container_create *how,
			   enum image_pin *ret_pin, struct err *e);
/* The same, also telling the new container's id. */
int container_store_create_id(const struct paths *p, const struct container_create *how,
			      enum image_pin *ret_pin, char ret_id[NAME_CONTAINER_ID_DIGITS + 1],
			      struct err *e);

/*
 * Makes the directory of the next one that goes by itself, where none is there yet: as layer.h has
 * it for layers.
 */
void container_store_make_ahead(int dirfd);

/*
 * -EEXIST: the new name is taken. A container that stays may run meanwhile; a recipe may not: its
 * layer goes by its name.
 */
int container_store_rename(const struct paths *p, const char *name, const char *new_name,
			   struct err *e);

/* The name of its kept layer: a recipe's is its own, of what stays its id. */
const char *container_layer_name(const char *name, const struct container_record *r);

/*
 * Has fn change the record of one that stays and writes it anew, one such change at a time. Strings
 * that fn gives the record are the caller's, and live until this returns. Its next start goes by
 * it.
 * -ENOENT: it is gone, or has another name.
 */
int container_store_change(const struct paths *p, const char *name, const char *container_id,
			   int (*fn)(void *arg, struct container_record *r, struct err *e),
			   void *arg, struct err *e);

/* Opens containers/, for the functions below that take a dirfd. */
int container_store_open_dir(const struct paths *p, struct err *e);
int container_store_read(int dirfd, const char *name, struct container_record *ret, struct err *e);

/*
 * With the run's lock opened or held: whether the container of that name is still the one of that
 * id, which somebody may have removed, and made another, since its record was read. 0 or -ENOENT.
 */
int container_store_check_id(int dirfd, const char *name, const char *container_id, struct err *e);

/* One open and one read. -ENOENT: no such container. */
int container_store_open(const struct paths *p, const char *name, struct container_record *ret,
			 struct err *e);

/*
 * The pinned image, O_RDONLY, or the directory, O_PATH|O_DIRECTORY; compared with the record:
 * -ESTALE when it is not the one that was pinned. *ret_path (may be NULL) is its absolute host
 * path, caller frees; *ret_id its identity.
 */
int container_store_open_image(const struct paths *p, const char *name,
			       const struct container_record *r, char **ret_path,
			       struct image_id *ret_id, struct err *e);

/* Names in byte order; debris (.tmp-*) is counted, not listed. */
int container_store_list(const struct paths *p, struct strv *ret, size_t *ret_debris,
			 struct err *e);

/* What is no container any more, and not deleted yet. */
struct container_debris {
	struct layer layer;
	int dirfd, temp, layer_temp;
	char tmp[TEMP_NAME_BYTES], layer_tmp[TEMP_NAME_BYTES];
};
#define CONTAINER_DEBRIS_NONE                                                             \
	{                                                                                 \
		.layer = LAYER_INIT, .dirfd = -1, .temp = -1, .layer_temp = -1, .tmp = "" \
	}

/*
 * Removes a container and its kept layer. -ENOENT, or -EBUSY ("in use by pid N") while one of
 * its instances runs or its layer is held. A damaged record does not stand in the way.
 */
int container_store_remove(const struct paths *p, const char *name, struct err *e);
/*
 * The same for a process that has a client waiting: where no program has written to the layer, *later
 * has what is left to be deleted, a few small files of csbx's own. container_debris_delete() follows
 * in any case. NULL: all of it now.
 */
int container_store_remove_soon(const struct paths *p, const char *name,
				struct container_debris *later, struct err *e);
/*
 * The same also while throw-away starts of a recipe run, which go on: they hold the image open. A
 * kept layer in use is -EBUSY here, too.
 */
int container_store_remove_running(const struct paths *p, const char *name, struct err *e);
/*
 * The two halves of it, for the process that holds the container's run (run_dir.h): after the first
 * no process finds it any more, the second, which takes its time, may follow when the run has been
 * let go. -ENOENT: it has another name by now. ret is closed by the second half, which a failed
 * first one does.
 */
int container_store_condemn(const struct paths *p, const char *name, const char *layer_name,
			    struct container_debris *ret, struct err *e);
int container_debris_delete(struct container_debris *d, struct err *e);

#endif
