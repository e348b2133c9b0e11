/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_HEREDOC_H
#define CSBX_CMD_BUILD_DOCKERFILE_HEREDOC_H

/* Words that begin a here-document: [N]<<[-]NAME, the name quoted or not (POSIX shell, 2.7.4). */

#include <stdbool.h>
#include <stddef.h>

struct dockerfile_heredoc;
struct err;
struct instruction;

/* True for a word that begins one; fills the name (caller frees) and the two flags. */
bool heredoc_word(const char *word, size_t len, struct dockerfile_heredoc *ret);

/* Those that a logical line begins, without their bodies, in order. */
int heredocs_of_line(const char *line, struct instruction *i, struct err *e);

#endif
