/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/base64.h"

#include <errno.h>

#include "runtime/base/str.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const void *data, size_t len, struct strbuf *out)
{
	const unsigned char *p = data;

	for (; len; p += len < 3 ? len : 3, len -= len < 3 ? len : 3) {
		unsigned n = len < 3 ? (unsigned)len : 3;
		unsigned v = (unsigned)p[0] << 16 | (n > 1 ? (unsigned)p[1] << 8 : 0) |
			     (n > 2 ? p[2] : 0);
		char quad[4] = {digits[v >> 18], digits[v >> 12 & 63],
				n > 1 ? digits[v >> 6 & 63] : '=', n > 2 ? digits[v & 63] : '='};

		strbuf_add(out, quad, 4);
	}
}

int base64_decode(const char *text, size_t len, struct strbuf *out)
{
	if (len % 4)
		return -EBADMSG;
	for (size_t i = 0; i < len; i += 4) {
		bool last = i + 4 == len;
		unsigned n = 3, v = 0;
		char bytes[3];

		if (last && text[i + 3] == '=')
			n = text[i + 2] == '=' ? 1 : 2;
		for (unsigned k = 0; k < 4; k++) {
			const char *at = k > n ? digits : memchr(digits, text[i + k], 64);

			if (!at)
				return -EBADMSG;
			v = v << 6 | (unsigned)(at - digits);
		}
		/* Bits that no byte takes would let one value be written in many ways. */
		if (n < 3 && v & (n == 1 ? 0xffffu : 0xffu))
			return -EBADMSG;
		bytes[0] = (char)(v >> 16);
		bytes[1] = (char)(v >> 8);
		bytes[2] = (char)v;
		strbuf_add(out, bytes, n);
	}
	return out->failed ? -ENOMEM : 0;
}
