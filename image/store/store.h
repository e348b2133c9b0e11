/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_STORE_H
#define CSBX_IMAGE_STORE_H

/*
 * The room image/store. The blobs that registries gave, kept.
 *
 * In: blobs and references. Out: the same, without a network.
 *
 *	store.h			blobs and references; refs.c, json.c: index.json
 *	index.c			names in layers that were read
 *survey.h, prune.c the blobs that are there and the images that need them
 *
 * Must: keep a layout that other programs can read.
 * Mustn't: give a blob whose digest was not verified.
 */

/*
 * The blobs that registries gave, kept in $CSBX_CACHE_PATH, and in a second such directory that is
 * only read (a cluster's):
 *
 *	oci/		 an OCI image layout (image-spec image-layout.md) that other programs can
 *			 read: blobs as they came, and index.json with an entry for each reference
 *			 and platform
 *	partial/ALG-HEX  blobs on their way; what a killed import left is gone on from
 *	indexes/ALG-HEX  the names in a layer (layer/index.h), so that it need not be read for them
 *
 * Who fetches a blob holds flock(2) on its partial file exclusively; others wait for it. A reader
 * of a blob holds its lock shared; pruning takes it exclusively and passes over blobs that are
 * held. All of them work through descriptors, so even what is removed can be read to its end.
 *
 * Nothing is synced. A blob is believed because its digest is right, which is computed at every
 * use; one that a crash or a bad disk spoilt is dropped and fetched again.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/model/source.h"
#include "runtime/base/str.h"

struct err;
struct layer_index;
struct platform;
struct store;

/* shared: the directory that is only read, or NULL; it need not be there. */
int store_open(struct store **ret, const char *path, const char *shared, struct err *e);
void store_close(struct store **s);
#define _store_ __attribute__((cleanup(store_close)))

/* --- blobs ------------------------------------------------------------------------------------ */

/* A blob to read, its lock held shared; *ret_bytes its size. -ENOENT: it is not here. */
int store_open_blob(struct store *s, const struct digest *d, uint64_t *ret_bytes, struct err *e);

/* True when the blob is here and has size_bytes (UINT64_MAX: any size); a blob of another size is
 * dropped. */
bool store_has_blob(struct store *s, const struct digest *d, uint64_t size_bytes);

/* A small blob, verified; a damaged one is dropped. -ENOENT: it is not here (any more). */
int store_read_blob(struct store *s, const struct digest *d, size_t max, struct strbuf *out,
		    struct err *e);

/* Stores a small blob whose digest was verified. */
int store_add_blob(struct store *s, const struct digest *d, const void *data, size_t len,
		   struct err *e);

/* Makes the store forget a blob: its own is deleted, the other directory's not asked for again. */
void store_drop_blob(struct store *s, const struct digest *d);

/*
 * 1 when the bytes of fd (of store_open_blob()) have the digest d, 0 when not; -errno: unreadable.
 */
int store_check_blob(int fd, const struct digest *d, struct err *e);

/*
 * Begins to store a blob: its partial file, locked, for store_commit_blob(); 0 when the blob
 * has come meanwhile; -EBUSY when somebody else is at it, *ret_bytes of it are there then.
 */
int store_begin_blob(struct store *s, const struct digest *d, uint64_t size_bytes,
		     uint64_t *ret_bytes, struct err *e);
/* fd has the whole blob, verified. The lock is shared afterwards, until fd is closed. */
int store_commit_blob(struct store *s, const struct digest *d, int fd, struct err *e);

/* --- references ------------------------------------------------------------------------------- */

/* One entry of index.json: an image for one platform, under a name or under none. */
struct store_image {
	char *name;       /* "docker.io/library/python:3.12"; NULL: none */
	char *media_type; /* of the manifest; NULL: not known */
	struct digest manifest;
	uint64_t size_bytes;       /* of the manifest */
	char *os, *arch, *variant; /* NULL = absent */
	struct digest root; /* what the name stood for: the manifest, or an index around it */
};

struct store_images {
	struct store_image *items;
	size_t n;
};

/* Pure: text of index.json. Entries we cannot use are left out. */
int store_images_parse(const void *text, size_t len, struct store_images *ret, struct err *e);
int store_images_format(const struct store_images *l, struct strbuf *out, struct err *e);
void store_images_free(struct store_images *l);
#define _store_images_ __attribute__((cleanup(store_images_free)))

/* The images of index.json; none, or a damaged one, is an empty list. */
int store_images(struct store *s, struct store_images *ret, struct err *e);

/* The image that a name stood for when it was fetched last, best for that platform. -ENOENT. */
int store_find_name(struct store *s, const char *name, const struct platform *want,
		    struct digest *ret_root, struct err *e);

/* Notes an image; it replaces the entry of the same name and platform. */
int store_put_image(struct store *s, const struct store_image *image, struct err *e);

/* --- names in layers -------------------------------------------------------------------------- */

/* 1 and the index of a layer with its result, 0 where none is kept that can be used. */
int store_load_index(struct store *s, const struct digest *layer, bool keep_capabilities,
		     struct layer_index *ret);
/* For the next time; that it cannot be kept is no failure. */
void store_save_index(struct store *s, const struct digest *layer, bool keep_capabilities,
		      const struct layer_index *x);

/* --- pruning ---------------------------------------------------------------------------------- */

struct store_usage {
	struct store_image image;
	uint64_t bytes;     /* of its blobs */
	uint64_t own_bytes; /* of those no other image has */
	uint64_t used_s;    /* last use, seconds since 1970; 0: its manifest is not here */
	bool in_use, complete;
};

struct store_report {
	struct store_usage *items; /* last used first */
	size_t n;
	uint64_t total_bytes; /* of all files of the store */
};

int store_report(struct store *s, struct store_report *ret, struct err *e);
void store_report_free(struct store_report *r);
#define _store_report_ __attribute__((cleanup(store_report_free)))

struct store_prune {
	uint64_t max_bytes; /* keep at most; UINT64_MAX: no limit */
	uint64_t unused_s;  /* drop images not used for so long; 0: not for that */
	bool dry_run;
	/* A name for each image that goes, in order. */
	void (*tell)(void *arg, const struct store_usage *u);
	void *arg;
};

/*
 * Drops images, those first that were not used for the longest time, then blobs, partial files and
 * indexes that belong to none. Files that an import works with stay.
 */
int store_prune(struct store *s, const struct store_prune *how, uint64_t *ret_freed_bytes,
		struct err *e);

#endif
