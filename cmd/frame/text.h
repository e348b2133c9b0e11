/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_TEXT_H
#define CSBX_CMD_TEXT_H

/* Laying out prose: wrapped for a terminal of 80 columns, escaped for mdoc(7). */

#include <stddef.h>
#include <stdint.h>

struct strbuf;

#define TEXT_COLUMNS 80

/*
 * Appends text wrapped at TEXT_COLUMNS, each line after the first indented; `column` is where
 * the first line already stands. A newline in the text is kept. Ends with a newline.
 */
void text_wrap(struct strbuf *out, const char *text, size_t column, size_t indent);

/* A left part, then the text in its own column, beginning on the next line when left is long. */
void text_two_columns(struct strbuf *out, const char *left, const char *text, size_t column);

/* "5 B", "12.3 MB": csbx says every size so, in powers of 1000. */
void text_add_size(struct strbuf *out, uint64_t bytes);

/* Paragraphs (separated by empty lines; lines that begin with a blank are literal). */
void text_paragraphs(struct strbuf *out, const char *text);

/* The same as mdoc, each sentence on a line of its own. */
void text_man_prose(struct strbuf *out, const char *text);

#endif
