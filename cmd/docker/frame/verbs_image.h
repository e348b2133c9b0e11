/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_VERBS_H
#define CSBX_CMD_DOCKER_IMAGE_VERBS_H

struct docker_verb;

extern const struct docker_verb docker_history, docker_image_inspect, docker_image_prune,
	docker_images, docker_import, docker_load, docker_login, docker_logout, docker_pull,
	docker_push, docker_rmi, docker_save, docker_tag;
extern const struct docker_verb docker_commit, docker_export, docker_system_prune, docker_verb_cp,
	docker_verb_diff;

extern const struct docker_verb *const docker_verbs_image[]; /* ends with NULL */

#endif
