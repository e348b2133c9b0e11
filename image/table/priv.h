/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_TABLE_PRIV_H
#define CSBX_IMAGE_IMAGE_TABLE_PRIV_H

/* Shared by the files image_table*.c. */

#include "image/table/table.h"

#define TAG_PREFIX '@'
#define TAG_FILE_BYTES 256

/* The file of a canonical name. */
void image_table_tag_file(const char *name, char ret[TAG_FILE_BYTES]);
void image_table_record_file(const char *id, char ret[IMAGE_FILE_BYTES]);

#define IMAGE_RECORD_FILE_LEN (IMAGE_ID_HEX + sizeof(".image") - 1)

#define IMPORT_LOCK_BYTES (IMAGE_FILE_BYTES + 16)

/*
 * A lock file, made where it is missing, held by the descriptor. wait: false: -EAGAIN when
 * somebody else holds it.
 */
int image_table_take_lock(int dirfd, const char *name, bool wait, struct err *e);
void image_table_import_lock(const char *id, char ret[IMPORT_LOCK_BYTES]);
bool image_table_has(int dirfd, const char *id);

/* -ENOENT: there is none. A damaged one, or one of another name, is -EBADMSG. */
int image_table_read_tag(int dirfd, const char *file, struct image_tag *ret, struct err *e);

#endif
