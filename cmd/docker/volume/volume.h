/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VOLUME_H
#define CSBX_CMD_DOCKER_VOLUME_H

/*
 * The room cmd/docker/volume. Volumes (runtime/record/volume.h) by docker's rules.
 *
 * In: names, labels and filters ("key=value"), as they were asked for. Out: 0 or -errno with a
 * docker_fault whose text is dockerd's; volumes described as values.
 *
 *	volume.h	one volume: made, described, removed
 *	list.h		which of them a filter chooses
 *
 * Must: leave a volume alone that a container has. Mustn't: print, or know containers otherwise
 * than by their records.
 */

#include <stdbool.h>

#include "runtime/base/str.h"

struct docker_fault;
struct err;
struct paths;
struct docker_value;

struct docker_volume_args {
	const char *name, *driver; /* NULL or "": an anonymous one; the only one */
	struct strv labels;        /* "key=value", or "key" */
	struct strv options;       /* there are none: 400 */
};

/* One that is there already stays as it is, labels too. Caller frees the name. */
int docker_volume_create(const struct paths *p, const struct docker_volume_args *a, char **ret_name,
			 struct docker_fault *f);
/* force: one that is missing is no error. 404, 409: a container has it. */
int docker_volume_remove(const struct paths *p, const char *name, bool force,
			 struct docker_fault *f);
/* As GET /volumes/NAME describes it. 404. */
int docker_volume_value(const struct paths *p, const char *name, struct docker_value **ret,
			struct docker_fault *f);

/* The same object, added to a list, or into a struct. */
int docker_volume_describe(const struct paths *p, const char *name, struct docker_value *at,
			   struct docker_fault *f);

/* True when labels ("key=value") have one: "key", or "key=value". */
bool docker_has_label(const struct strv *labels, const char *want);

#endif
