/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_RUN_MOUNTS_H
#define CSBX_CMD_DOCKER_RUN_MOUNTS_H

/*
 * docker's --volume, --mount and --tmpfs, with docker's texts for what is wrong with them. Sources
 * on the host are made absolute; a missing one of --volume is made, of --mount it is an error.
 */

struct container_spec;
struct docker_run_args;
struct err;
struct paths;

/* Adds them to the spec. -EINVAL with docker's text: of the daemon, but with -EBADMSG of a bad flag
 * (`invalid argument ... for "--mount" flag`). */
int docker_mounts_add(const struct paths *p, const struct docker_run_args *a,
		      struct container_spec *s, struct err *e);
/* After the others: the volumes without a name, which give way to whatever is mounted there. */
int docker_mounts_add_anonymous(const struct paths *p, const struct docker_run_args *a,
				struct container_spec *s, struct err *e);

/* The image's VOLUMEs that nothing is mounted on: anonymous volumes with the image's content. */
struct strv;
int docker_mounts_add_image(const struct paths *p, const struct strv *volumes,
			    struct container_spec *s, struct err *e);

/* mount_volume.c: the events of anonymous volumes that went with their container. */
void docker_volumes_note_gone(const struct paths *p, const struct container_spec *s);

#endif
