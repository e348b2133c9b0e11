/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_MOUNT_WORDS_H
#define CSBX_CMD_MOUNT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct mount_spec;

/* Applies one word of a mount's option list ("ro", "size=64m", "x-create=dir"). */
int mount_word_apply(struct mount_spec *m, const char *word, struct err *e);

/* The same for each word of a comma-separated list. */
int mount_words_apply(struct mount_spec *m, const char *list, struct err *e);

/* True if the first word of the list is one that mount_word_apply() knows. */
bool mount_words_known(const char *list);

#endif
