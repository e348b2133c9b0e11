/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_VERBS_H
#define CSBX_CMD_ENROOT_VERBS_H

/* The verbs that csbx itself runs, each in a file of its name. */

struct enroot_verb;

extern const struct enroot_verb enroot_verb_batch, enroot_verb_bundle, enroot_verb_create,
	enroot_verb_exec, enroot_verb_info, enroot_verb_list, enroot_verb_remove, enroot_verb_start,
	enroot_verb_version;

#endif
