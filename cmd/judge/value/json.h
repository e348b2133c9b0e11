/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_VALUE_JSON_H
#define CSBX_CMD_EVAL_VALUE_JSON_H

/*
 * Values as JSON. A value that JSON has no word for is an object of one member (docs/judging.md):
 *
 *	{"$tuple": [...]}  {"$set": [...]}  {"$bytes": "base64"}  {"$dict": [[key, value], ...]}
 *	{"$float": "nan" | "inf" | "-inf"}
 *
 * runtime/base/json/read.h reads them, with what Python writes beyond strict JSON.
 */

#include "cmd/judge/value/value.h"

struct json_rules;

/* By which documents are read. */
extern const struct json_rules value_json_rules;

/* One document, all of the text. -EBADMSG with the place in e; -E2BIG: of more values than may be. */
int value_read_json(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		    struct err *e);
/*
 * The same of a record that csbx wrote, in which judged code has had a say. Of its cases the values that came back and that were
 * expected are None: each is bounded, all together are as many as there are cases.
 */
int value_read_record(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		      struct err *e);
void value_write_json(const struct value *v, struct strbuf *out);

#endif
