/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_PLUGSTACK_H
#define CSBX_SPANK_PLUGSTACK_H

/*
 * The plugin's words in plugstack.conf, the administrator's configuration:
 *
 *	required csbx_spank.so container_scope=job execute_entrypoint=1
 *
 * Pure. An unknown word or a bad value is an error: the plugin does not load.
 */

#include <stdbool.h>

#include "runtime/base/str.h"

struct err;

#define SPANK_RUNTIME_DIR "/run/csbx-steps"

struct spank_plugstack {
	const char *runtime_path; /* a directory of root's for what steps share with their tasks */
	const char *importer;    /* a program that finds images (docs/spank.md); NULL: csbx's own */
	const char *csbx_path;   /* csbx itself; csbx-join lies beside it or is the installed one */
	bool execute_entrypoint; /* where the user says neither yes nor no */
	bool job_scope;          /* names belong to a job and go with it */
	bool sbatch_support;     /* --container-image of sbatch is for the batch script */
	struct strv ignored;     /* keys of pyxis's that have no meaning here */
};

/* argv's strings must outlive ret. */
int spank_plugstack_parse(struct spank_plugstack *ret, int argc, char *const *argv, struct err *e);
void spank_plugstack_free(struct spank_plugstack *p);

#endif
