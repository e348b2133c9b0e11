/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_OPTIONS_APT_AS_ROOT_H
#define CSBX_CMD_OPTIONS_APT_AS_ROOT_H

/*
 * apt changes to the user _apt before it fetches, and looks whether it did; where there is one id it
 * cannot (security_spec.fake_ids). It is told to stay root by a file that csbx gives the container,
 * in memory, so that neither the image nor a layer gets it, and by APT_CONFIG (apt.conf(5)). An
 * APT_CONFIG that is set already stays.
 */

struct container_spec;
struct err;

/* After the environment of the specification is complete. */
int apt_as_root(struct container_spec *spec, struct err *e);

#endif
