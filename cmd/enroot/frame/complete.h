/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_COMPLETE_H
#define CSBX_CMD_ENROOT_COMPLETE_H

/*
 * Completion of enroot's command line, as csbx's own answers it (cmd/frame/complete.c). Each prints
 * candidates and returns the exit code.
 */

#include "cmd/enroot/frame/enroot.h"

int enroot_complete_names(const char *prefix);
/* word: at the cursor; before: the one in front of it. */
int enroot_complete_verb(const struct enroot_command *c, const struct enroot_verb *v,
			 const char *word, const char *before);

#endif
