/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SPARE_KEY_H
#define CSBX_RUNTIME_SPARE_KEY_H

#include <stddef.h>
#include <stdint.h>

struct container;
struct err;
struct strbuf;

#define SPARE_NAME_BYTES 32
#define SPARE_KEY_MAX 65536u

/*
 * Everything by which two starts differ, but for the arguments, the environment and the streams of
 * the program: which image server, the plan, what csbx-init is told (message, built before), and
 * what the calling process hands down. -EOPNOTSUPP: this process hands down what cannot be compared.
 */
int spare_key(const struct container *c, const struct strbuf *message, struct strbuf *out,
	      struct err *e);

/* The socket's name for a key. */
void spare_key_name(const struct strbuf *key, char ret[SPARE_NAME_BYTES]);

#endif
