/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGES_API_H
#define CSBX_CMD_DOCKER_IMAGES_API_H

/*
 * The work of those endpoints of images that need only the table: list, history, tag, remove, prune
 * (Engine API 1.47, "Image"). In: names and filters; out: the answer's object, or a fault with
 * docker's status and words. The rules are those of docker's command line here.
 */

#include <stdbool.h>

struct docker_fault;
struct paths;
struct strv;
struct docker_value;

struct docker_images {
	const struct strv *filters; /* "key=value" each */
	bool names_none;            /* an image without names has the name "<none>:<none>" */
	bool virtual_size;          /* which versions before 1.44 have */
};

/* The objects of GET /images/json. 400: a filter. */
int docker_images_list(const struct paths *p, const struct docker_images *how,
		       struct docker_value **ret, struct docker_fault *f);
/* Those of GET /images/?/history, the newest first. 404. */
int docker_images_history(const struct paths *p, const char *operand, struct docker_value **ret,
			  struct docker_fault *f);
/* tag: NULL or "" is latest. 404: no such image; 400: no name. */
int docker_images_tag(const struct paths *p, const char *operand, const char *repository,
		      const char *tag, struct docker_fault *f);
/* [{"Untagged": ...}, {"Deleted": ...}]. 404, 409. */
int docker_images_remove(const struct paths *p, const char *operand, bool force,
			 struct docker_value **ret, struct docker_fault *f);
/* {"ImagesDeleted": ..., "SpaceReclaimed": ...} */
int docker_images_prune(const struct paths *p, const struct strv *filters,
			struct docker_value **ret, struct docker_fault *f);

#endif
