/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/base64.h"

#include "runtime/base/str.h"

void base64_encode(const void *data, size_t len, struct strbuf *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = data;

	for (; len; p += len < 3 ? len : 3, len -= len < 3 ? len : 3) {
		unsigned n = len < 3 ? (unsigned)len : 3;
		unsigned v = (unsigned)p[0] << 16 | (n > 1 ? (unsigned)p[1] << 8 : 0) | (n > 2 ? p[2] : 0);
		char quad[4] = {digits[v >> 18], digits[v >> 12 & 63], n > 1 ? digits[v >> 6 & 63] : '=',
				n > 2 ? digits[v & 63] : '='};

		strbuf_add(out, quad, 4);
	}
}
