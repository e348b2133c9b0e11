/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_EXPAND_H
#define CSBX_CMD_BUILD_DOCKERFILE_EXPAND_H

/*
 * Variables and quotes in the words of an instruction: $NAME, ${NAME}, ${NAME:-word}, :+ :? and
 * these without the colon, ${NAME#pattern} ## % %%, ${NAME/pattern/text} and //, as docker's
 * reference has them ("Environment replacement"). No command substitution, no arithmetic.
 */

#include <stddef.h>

#include "runtime/base/str.h"

struct err;

#define EXPAND_MAX_BYTES (1u << 20) /* of one result: values can double themselves */
#define EXPAND_DEPTH_MAX 32u        /* of ${a:-${b:-...}} */

struct expand {
	const struct strv *env; /* "NAME=value" */
	char escape;
	bool keep_unset;  /* $NAME of a name that is not there stays as it is */
	bool keep_quotes; /* quotes and escape characters are text */
};

/* One word: blanks are text. Caller frees. -EINVAL: `failed to process "word": cause`. */
int expand_word(const struct expand *x, const char *word, char **ret, struct err *e);

/* Adds the words that the text falls into; values that are not quoted fall into words too. */
int expand_words(const struct expand *x, const char *text, struct strv *ret, struct err *e);

#endif
