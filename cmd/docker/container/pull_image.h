/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_PULL_IMAGE_H
#define CSBX_CMD_DOCKER_PULL_IMAGE_H

/* Gets an image that is not there, as the command line of run and create does. */

struct docker;
struct docker_run_args;

/*
 * csbx-image fetches a->image; its progress goes to standard error. Prints what is wrong; 0 or the
 * exit code.
 */
int docker_pull_image(const struct docker *d, const struct docker_run_args *a);

#endif
