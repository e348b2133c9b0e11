/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LAYER_PATH_H
#define CSBX_IMAGE_LAYER_PATH_H

/* Names in a layer: the form that the rest of image/ works with, and how a foreign name gets it. */

#include <stdbool.h>

struct err;
struct strbuf;

#define LAYER_PATH_MAX 4096u  /* bytes of a whole path */
#define LAYER_NAME_MAX 255u   /* bytes of one component */
#define LAYER_DEPTH_MAX 1024u /* components of a path */

/* Brings a name from an archive into that form: relative, no "." and "..", no empty
 * or over-long component; -EBADMSG for one that cannot be. Pure. */
int layer_clean_path(const char *raw, struct strbuf *out, struct err *e);

/* True when an attribute of this name is kept. Pure. */
bool layer_keeps_xattr(const char *name, bool keep_capabilities);

#endif
