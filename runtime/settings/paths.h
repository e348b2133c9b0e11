/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_PATHS_H
#define CSBX_RUNTIME_PATHS_H

/*
 * The places where csbx keeps things (docs/architecture.md 7), from CSBX_* variables, configuration
 * and XDG defaults. paths_init() only computes names; directories are opened, and made 0700, on
 * first use.
 */

#include <stdint.h>

#include "runtime/base/str.h"

struct bundle_self;
struct err;
struct config;

struct paths {
	char *data;         /* CSBX_DATA_PATH: containers/ */
	char *cache;        /* CSBX_CACHE_PATH: meta/ unpacked/ blobs */
	char *shared_cache; /* CSBX_SHARED_CACHE_PATH: only read; NULL = not set */
	char *runtime;      /* CSBX_RUNTIME_PATH: servers/ instances/; node-local */
	char *layers;       /* CSBX_LAYER_PATH: kept uppers */
	char *scratch;      /* CSBX_SCRATCH_PATH: throw-away uppers on disk */
	struct bundle_self
		*bundle;     /* the running program is a bundle; NULL: it is none. Not owned */
	char *cgroup_parent; /* CSBX_CGROUP_PARENT: a directory or "none"; NULL = not set */
	uint32_t scope_timeout_ms; /* CSBX_SCOPE_TIMEOUT: how long the systemd user manager may
				    * take */
	/*
	 * Of these directories but the shared cache those that a file of the configuration names:
	 * other ones than the above where a variable does.
	 */
	struct strv told;
	uint32_t linger_ms; /* CSBX_LINGER: how long an image server stays without containers */
};

/* A file in the "csbx" of a session directory that is only there to be hidden: csbx keeps nothing in it. */
#define PATHS_SESSION_UNUSED "unused"

int paths_init(struct paths *p, const struct config *c, struct err *e);
void paths_free(struct paths *p);

/* The directory for throw-away layers in one that is open to others; caller frees. */
char *paths_scratch(const char *dir);

/*
 * The directory of csbx's helper programs: run from a build tree, they lie beside the program;
 * installed, in libexecdir.
 */
const char *paths_helpers(void);

/* Full path of a helper program ("csbx-squashd"); caller frees. */
char *paths_helper(const struct paths *p, const char *program);

/*
 * Opens <base>/<sub>, or base itself, and makes what is missing: path_open_private_dir() of the
 * base, path_open_private_at() of sub, runtime/base/path.h. An error names the setting that moves
 * the directory, if that helps.
 */
int paths_open(const char *base, const char *sub, struct err *e);
/* r; adds the setting that moves the directory to an error of such a kind. */
int paths_explain(int r, const char *name, struct err *e);

#endif
