/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_MARKDOWN_H
#define CSBX_CMD_MARKDOWN_H

/* Code in the fenced blocks of Markdown (CommonMark 4.5), as models answer. Pure. */

#include "cmd/judge/job.h"

/*
 * Replaces the text by the code of its first block that is marked as the language's, else of its
 * first block that is marked as none's. A text without such a block stays as it is: it is judged as
 * the program that it is not.
 */
void markdown_take_code(enum eval_lang lang, struct strbuf *text);

#endif
