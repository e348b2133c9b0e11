/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_BASE64_H
#define CSBX_BASE_BASE64_H

/* RFC 4648, section 4, with padding. */

#include <stddef.h>

struct strbuf;

void base64_encode(const void *data, size_t len, struct strbuf *out);

/* Adds the bytes; anything but whole, padded quads of the alphabet is -EBADMSG. */
int base64_decode(const char *text, size_t len, struct strbuf *out);

#endif
