/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_HEREDOC_TEXT_H
#define CSBX_CMD_BUILD_DOCKERFILE_HEREDOC_TEXT_H

struct dockerfile_heredoc;

/* The body of a here-document without the tabs that "<<-" takes away; caller frees. */
char *heredoc_text(const struct dockerfile_heredoc *h);

#endif
