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

/* Reads JSON. -EBADMSG also for an id that is none. */
int batch_read_line(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		    struct err *e);
/*
 * The label of a line: its "id", or what data sets call it, as JSON. Without one nothing is added.
 * A line that cannot be read has one where it stands before the mistake.
 */
void batch_find_label(const char *text, size_t len, struct strbuf *ret);

/* Members of lines of every kind. -EINVAL: says what it must be. */
int batch_read_text(const struct value *v, const char **ret, struct err *e);
int batch_read_texts(const struct value *v, struct strv *ret, struct err *e);
int batch_read_env(const struct value *v, struct strv *env, struct err *e);
int batch_read_timeout(const struct value *v, uint64_t *ret_ms, struct err *e);
int batch_read_memory(const struct value *v, uint64_t *ret_bytes, struct err *e);

#endif
