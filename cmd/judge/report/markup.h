/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_JUDGE_REPORT_MARKUP_H
#define CSBX_CMD_JUDGE_REPORT_MARKUP_H

/* Text of others in HTML and XML, between tags and between double quotes. */

#include <stddef.h>

struct strbuf;

/* Characters that XML 1.0 (2.2) does not have become U+FFFD, and so do bytes that are not UTF-8. */
void markup_text(struct strbuf *out, const char *text, size_t len);
/* The same for an attribute, in which readers make blanks of white space. */
void markup_attribute(struct strbuf *out, const char *text, size_t len);
void markup_str(struct strbuf *out, const char *text); /* an attribute; NULL: empty */

#endif
