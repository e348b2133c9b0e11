/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TARGET_H
#define CSBX_CMD_DOCKER_TARGET_H

/*
 * The meaning of an operand of exec, stop, kill and their kin: a container that stays, or a start
 * of csbx's own (a recipe or an image that runs), which is known by its instance only.
 */

#include <stdbool.h>

#include "runtime/record/container_find.h"
#include "runtime/record/instance.h"

struct docker_fault;
struct paths;
struct strv;

struct docker_target {
	struct container_found found; /* name is empty for a start of an image */
	bool stays;
	bool has_instance; /* of what does not stay */
	struct instance_record instance;
};

/* 404: there is none; 400: the operand begins several ids. */
int docker_target_open(const struct paths *p, const char *operand, struct docker_target *ret,
		       struct docker_fault *f);
void docker_target_close(struct docker_target *t);
/* The id that messages show: 64 digits, or the instance's. */
const char *docker_target_id(const struct docker_target *t);
/* The live instance, for exec and attach. 409, -ESRCH: it does not run. */
int docker_target_instance(const struct paths *p, struct docker_target *t, struct docker_fault *f);

/* Faults that several verbs have: the container is gone meanwhile; it does not run. */
int docker_target_missing(const char *operand, struct docker_fault *f);
int docker_target_not_running(const struct docker_target *t, struct docker_fault *f);

/* An event of it (show/events.h), with one more attribute (key NULL: none) or several. */
void docker_event_target(const struct paths *p, const struct docker_target *t, const char *action,
			 const char *key, const char *value);
/* For a container that may have been renamed since: the event has the name it has now. */
void docker_event_renamed(const struct paths *p, const char *name,
			  const struct container_record *record, const char *action,
			  const char *key, const char *value);
void docker_event_target_more(const struct paths *p, const struct docker_target *t,
			      const char *action, const struct strv *more);

#endif
