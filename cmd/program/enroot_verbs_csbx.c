/* SPDX-License-Identifier: Apache-2.0 */

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"

const struct enroot_verb *const enroot_verbs_csbx[] = {
	&enroot_verb_batch,   &enroot_verb_bundle,
	&enroot_verb_create,  &enroot_verb_exec,
	&enroot_verb_info,    &enroot_verb_list,
	&enroot_verb_remove,  &enroot_verb_start,
	&enroot_verb_version, NULL,
};
