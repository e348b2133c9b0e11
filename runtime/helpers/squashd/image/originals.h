/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_ORIGINALS_H
#define CSBX_SQUASHD_ORIGINALS_H

/*
 * An image of csbx holds four files by which enroot starts it (/etc/rc, /etc/environment,
 * /etc/fstab, /etc/rc.local); the image's own files of these names lie in /.csbx/orig/etc
 * (docs/images.md). A container is to see the image: the originals under their names, nothing where
 * there was none, and no /.csbx/orig.
 *
 * All of it is a table of four names in one directory and one name in another, found once when
 * the image is opened. A lookup of a name or a listing passes what the image says
 * through it; an image without /.csbx/orig is passed as it is. The names hidden so are taken off
 * the link counts, so that they agree with what can be seen.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sqentry;
struct sqimage;
struct sqnode;

#define ORIGINALS_MAX 4

struct original {
	enum { ORIGINAL_AS_IT_IS, ORIGINAL_SERVED, ORIGINAL_NONE } how;
	uint64_t id;
	uint32_t ino;
	mode_t type;
	bool has_two_names; /* in /etc too: a root without a configuration keeps its own file
			     * there */
};

struct originals {
	bool is_active;
	uint64_t etc, csbx; /* the directories' ids */
	struct original files[ORIGINALS_MAX];
};

/* An image too damaged to tell has none: reading what is damaged is an error then. */
void originals_find(struct sqimage *img, struct originals *ret);

/* False for a name of /etc under which a container sees nothing though the image has a file. */
bool originals_has(const struct originals *o, const char *name);

/*
 * The entry that a container sees for an entry of directory dir: false when it sees none, else id,
 * ino and type are those of what it sees.
 */
bool originals_apply(const struct originals *o, uint64_t dir, struct sqentry *ent);

/* sqimage_lookup() as a container sees it. */
int originals_lookup(const struct originals *o, struct sqimage *img, const struct sqnode *dir,
		     const char *name, uint64_t *ret_id);

/* sqimage_node() as a container sees it. */
int originals_node(const struct originals *o, struct sqimage *img, uint64_t id, struct sqnode *ret);

#endif
