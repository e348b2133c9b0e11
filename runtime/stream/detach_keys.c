/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stream/detach_keys.h"

#include <errno.h>
#include <string.h>

#include "runtime/base/str.h"

/* The byte of "ctrl-p", "DEL" or "x" of that length; -EINVAL. */
static int parse_key(const char *key, size_t len)
{
	static const char named[] = "@abcdefghijklmnopqrstuvwxyz[\\]^_";
	const char *found;

	if (len == 1)
		return (unsigned char)*key;
	if (len == 3 && !strncmp(key, "DEL", len))
		return 127;
	if (len != 6 || !str_has_prefix(key, "ctrl-"))
		return -EINVAL;
	found = strchr(named, key[5]);
	return found ? (int)(found - named) : -EINVAL;
}

int detach_keys_parse(const char *text, struct detach_keys *ret)
{
	*ret = (struct detach_keys){0};
	if (!text || !*text)
		text = DETACH_KEYS_DEFAULT;
	for (;;) {
		size_t len = strcspn(text, ",");
		int key = parse_key(text, len);

		if (key < 0 || ret->n == DETACH_KEYS_MAX)
			return -EINVAL;
		ret->bytes[ret->n++] = (char)key;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

bool detach_keys_take(struct detach_keys *k, char *buf, size_t *n)
{
	size_t held = k->at;

	if (*n <= k->n - held && !memcmp(buf, k->bytes + held, *n)) {
		k->at += *n;
		*n = 0;
		return k->at == k->n;
	}
	memmove(buf + held, buf, *n);
	memcpy(buf, k->bytes, held);
	*n += held;
	k->at = 0;
	return false;
}
