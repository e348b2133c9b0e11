/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_TREE_SIZE_H
#define CSBX_RUNTIME_TREE_SIZE_H

#include <stdint.h>

#define TREE_SIZE_DEPTH 128

/*
 * Bytes of the regular files below a directory, each as long as it is; a container may write to it
 * meanwhile. No symbolic link is followed; a directory that cannot be opened, or lies deeper than
 * TREE_SIZE_DEPTH, is left out. 0 where there is no such directory.
 */
uint64_t tree_size(const char *path);

#endif
