/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_CLEAN_H
#define CSBX_CMD_BUILD_DOCKERFILE_CLEAN_H

/*
 * The shortest text for the same path, as Go's filepath.Clean makes it: no empty and no "."
 * components, ".." takes away what is before it, "." for nothing. Text only. Caller frees; NULL:
 * out of memory.
 */
char *path_clean(const char *path);

#endif
