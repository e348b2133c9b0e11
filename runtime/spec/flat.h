/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SPEC_FLAT_H
#define CSBX_RUNTIME_SPEC_FLAT_H

/*
 * A container_spec as a flat record (base/flat.h): how a container that stays keeps what it runs.
 * All of the spec is in it but proc.keep_fds, which are descriptors of one process, and hooks,
 * which belong to one start. A frozen spec reads back frozen. Reading is a pure function of
 * (buf, len): counts are capped, enumerations checked, and what it allocates is at most a small
 * multiple of len.
 */

#include <stddef.h>

struct container_spec;
struct err;
struct strbuf;

#define SPEC_FLAT_MAGIC 0x31504643u /* "CFP1" */
#define SPEC_FLAT_VERSION 1u

/* The bytes are added to out. */
int spec_flat_write(const struct container_spec *s, struct strbuf *out, struct err *e);
/* *ret is initialised here; spec_free() it on success. -EBADMSG, or -EPROTO: another version. */
int spec_flat_read(struct container_spec *ret, const void *buf, size_t len, struct err *e);

#endif
