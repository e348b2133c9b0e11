/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LIFE_CONTAINER_SOURCES_H
#define CSBX_RUNTIME_LIFE_CONTAINER_SOURCES_H

/*
 * The sources of the mounts of a container that is started again. A program that could write to the
 * parent of a source can put a symbolic link in its place, and no user looks at the next start: so
 * the supervisor keeps the paths of its first start, without links, and later ones follow none.
 */

struct container_spec;
struct err;
struct strv;

/* Appends two words a source: as the specification has it, and where it lies ("": it is missing). */
int container_sources_note(const struct container_spec *s, struct strv *ret, struct err *e);
/* Sets the sources to those noted; one that was missing, or is new, may have no link either. */
int container_sources_keep(struct container_spec *s, const struct strv *noted, struct err *e);

#endif
