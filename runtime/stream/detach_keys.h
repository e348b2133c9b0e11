/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_DETACH_KEYS_H
#define CSBX_RUNTIME_DETACH_KEYS_H

/*
 * The keys by which a user leaves a terminal that goes on without him, as docker has them:
 * "ctrl-p,ctrl-q". They count when they are typed, that is, when a read brings no more than them: in
 * a larger piece the same bytes are data.
 */

#include <stdbool.h>
#include <stddef.h>

#define DETACH_KEYS_DEFAULT "ctrl-p,ctrl-q"
#define DETACH_KEYS_MAX 16u

struct detach_keys {
	char bytes[DETACH_KEYS_MAX];
	size_t n;  /* 0: there are none */
	size_t at; /* so many of them have come, and are held back */
};

/* Keys with commas between them, each a character or ctrl-X; NULL, "": the default. -EINVAL. */
int detach_keys_parse(const char *text, struct detach_keys *ret);
/*
 * Looks at n bytes that were typed; true: they end the keys. Else *n bytes of buf are to go on:
 * bytes that were held back may come first, so buf must have room for DETACH_KEYS_MAX more.
 */
bool detach_keys_take(struct detach_keys *k, char *buf, size_t *n);

#endif
