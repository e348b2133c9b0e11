/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_PROGRAM_PLACES_H
#define CSBX_CMD_PROGRAM_PLACES_H

/*
 * The directories of the host that a run's program may write to: what it has left there for the
 * same command, given again, does not lead csbx elsewhere (path_open_output()).
 */

#include "runtime/base/path.h"

struct container_spec;
struct err;

/*
 * Of the writable mounts, and of the host's /dev/shm; a source that is not there yet has nothing in
 * it. Volumes have theirs by volume_find_all(), which is to be called before.
 */
int program_places(const struct container_spec *s, struct path_places *ret, struct err *e);
void program_places_free(struct path_places *p);

#define _program_places_ __attribute__((cleanup(program_places_free)))

#endif
