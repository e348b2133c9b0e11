/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_LINE_H
#define CSBX_CMD_EVAL_BATCH_LINE_H

/* A line of a batch: an object of JSON, and members that lines of every kind have. */

#include <stddef.h>
#include <stdint.h>

struct err;
struct strbuf;
struct strv;
struct value;
struct value_pool;

/* Reads JSON and finds the label; in both the parent and the tests of it. */
int batch_read_line(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		    struct strbuf *ret_label, struct err *e);

/* Members of lines of every kind. -EINVAL: says what it must be. */
int batch_read_text(const struct value *v, const char **ret, struct err *e);
int batch_read_texts(const struct value *v, struct strv *ret, struct err *e);
int batch_read_env(const struct value *v, struct strv *env, struct err *e);
int batch_read_timeout(const struct value *v, uint64_t *ret_ms, struct err *e);
int batch_read_memory(const struct value *v, uint64_t *ret_bytes, struct err *e);

#endif
