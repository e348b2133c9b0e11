/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_ENGINE_H
#define CSBX_IMAGE_ENGINE_H

/*
 * Images that docker or podman hold, as what `docker save` writes: layers and configuration are
 * kept. csbx asks for it over the engine's socket (Docker Engine API 1.24 and later, which podman
 * serves too); if there is none, it asks the engine's program.
 */

#include "image/bytes/spool.h"

struct err;
struct strbuf;

enum engine_kind { ENGINE_DOCKER, ENGINE_PODMAN };

/* The values that decide where an engine is found; any may be NULL. */
struct engine_options {
	const char *docker_host;    /* DOCKER_HOST, only unix://PATH */
	const char *container_host; /* CONTAINER_HOST, the same for podman */
	const char *runtime_dir;    /* XDG_RUNTIME_DIR, where users' own engines listen */
	const _Atomic int *cancel;
	struct spool_watch watch; /* of the archive as it comes */
};

/* The archive in a file without a name in tmp_dirfd. Its descriptor, or -errno. */
int engine_save(enum engine_kind kind, const char *name, const struct engine_options *o,
		int tmp_dirfd, struct err *e);

#endif
