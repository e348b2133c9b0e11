/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_IMAGE_VERBS_H
#define CSBX_CMD_ENROOT_IMAGE_VERBS_H

/* The verbs that csbx-image runs, each in a file of its name. */

#include "cmd/enroot/frame/enroot.h"

extern const struct enroot_verb *const enroot_verbs_image[];

extern const struct enroot_verb enroot_verb_digest, enroot_verb_export, enroot_verb_import,
	enroot_verb_load;

#endif
