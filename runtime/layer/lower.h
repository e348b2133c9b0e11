/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LOWER_H
#define CSBX_RUNTIME_LOWER_H

/*
 * The places beneath the base of a root where its lower layers are attached
 * (runtime/child/rootfs.c, runtime/layer/merged_view.c), and how the overlay is told. fsconfig(2)
 * takes strings of fewer than 256 bytes and overlayfs separates paths by colons, so names are as
 * short as they can be.
 *
 * In: which layer, counted from the lowest. Out: its name; all names, as "lowerdir" wants them.
 * Mustn't: touch a file system.
 */

#include "runtime/spec/spec.h"

#define LOWER_NAME_BYTES 8
#define LOWERS_MAX (SPEC_STACK_MAX + SPEC_LAYERS_MAX + 1) /* and a kept layer that is read */
#define LOWER_LIST_BYTES 256

/* "lower" of the lowest, above it "1", "2" ... in hexadecimal digits. */
void lower_name(unsigned i, char ret[LOWER_NAME_BYTES]);

/* The names of n layers, the topmost first, behind `above`, which comes with its colon or is "". */
void lower_list(unsigned n, const char *above, char ret[LOWER_LIST_BYTES]);

#endif
