/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_ORDER_H
#define CSBX_CMD_EVAL_BATCH_ORDER_H

/* Holds records back until it is their turn: --ordered. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

/* With as many, or as much, no further line is begun. */
#define BATCH_ORDER_RECORDS_MAX 1024u
#define BATCH_ORDER_BYTES_MAX (64u << 20)

struct batch_held {
	uint64_t turn;
	struct strbuf record;
};

struct batch_order {
	uint64_t next;           /* whose turn it is: 0, 1, 2 ... */
	struct batch_held *held; /* sorted by turn */
	size_t n, bytes;
};

/* Takes the record's memory. */
int batch_order_put(struct batch_order *o, uint64_t turn, struct strbuf *record, struct err *e);
/*
 * The first record, if it is its turn, or in any case where is_end. Its memory becomes the
 * caller's. False: there is none.
 */
bool batch_order_get(struct batch_order *o, bool is_end, struct strbuf *ret);
bool batch_order_is_full(const struct batch_order *o);
void batch_order_free(struct batch_order *o);

#endif
