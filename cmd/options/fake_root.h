/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_FAKE_ROOT_H
#define CSBX_CMD_FAKE_ROOT_H

struct container_spec;
struct err;

/*
 * Root enough for package managers, for --fake-root and for builds. With one id, calls that ask for
 * another user succeed and do nothing, and apt is told to fetch as root; with id ranges only the
 * making of a device is answered like that. The environment must be complete.
 */
int fake_root_apply(struct container_spec *s, struct err *e);

#endif
