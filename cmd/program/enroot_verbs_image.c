/* SPDX-License-Identifier: Apache-2.0 */

#include "cmd/enroot/frame/verbs_image.h"

const struct enroot_verb *const enroot_verbs_image[] = {
	&enroot_verb_digest, &enroot_verb_export, &enroot_verb_import, &enroot_verb_load, NULL,
};
