/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_TABLE_PRIV_H
#define CSBX_IMAGE_IMAGE_TABLE_PRIV_H

/* What the files image_table*.c share. */

#include "image/image_table.h"

#define TAG_PREFIX '@'
#define TAG_FILE_BYTES 256

/* The file of a canonical name. */
void image_table_tag_file(const char *name, char ret[TAG_FILE_BYTES]);
void image_table_record_file(const char *id, char ret[IMAGE_FILE_BYTES]);

/* -ENOENT: there is none. A damaged one, or one of another name, is -EBADMSG. */
int image_table_read_tag(int dirfd, const char *file, struct image_tag *ret, struct err *e);

#endif
