/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_ENGINE_NAME_H
#define CSBX_IMAGE_ENGINE_NAME_H

struct err;

/*
 * NAME[:TAG], NAME@DIGEST or an id, as docker or podman know it: 0 where it can be passed on to
 * them.
 */
int engine_check_name(const char *name, struct err *e);

#endif
