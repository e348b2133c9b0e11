/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_TABLE_H
#define CSBX_CMD_TABLE_H

/* Columns of text for people: a heading, rows, blanks between; foreign bytes shown escaped. */

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct table {
	size_t n_columns;
	struct strv cells; /* row by row, the heading first */
};

/* heading: n_columns words. */
void table_init(struct table *t, const char *const *heading, size_t n_columns);
void table_free(struct table *t);
#define _table_ __attribute__((cleanup(table_free)))

/* The next cell of the current row; NULL and "" show as "-". */
void table_add(struct table *t, const char *text);
void table_addf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_add_size(struct table *t, uint64_t bytes); /* "12.3 MB" */
/* "5 minutes ago", by the clock `now_ns`. */
void table_add_age(struct table *t, uint64_t then_ns, uint64_t now_ns);

void table_format(const struct table *t, struct strbuf *out);

#endif
