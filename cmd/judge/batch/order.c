/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/order.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"

int batch_order_put(struct batch_order *o, uint64_t turn, struct strbuf *record, struct err *e)
{
	struct batch_held *held = reallocarray(o->held, o->n + 1, sizeof(*held));
	size_t at = o->n;

	if (!held)
		return err_oom(e);
	o->held = held;
	while (at && held[at - 1].turn > turn)
		at--;
	memmove(&held[at + 1], &held[at], (o->n - at) * sizeof(*held));
	held[at] = (struct batch_held){turn, *record};
	*record = (struct strbuf)STRBUF_INIT;
	o->n++;
	o->bytes += held[at].record.len;
	return 0;
}

bool batch_order_get(struct batch_order *o, bool is_end, struct strbuf *ret)
{
	if (!o->n || (!is_end && o->held[0].turn != o->next))
		return false;
	*ret = o->held[0].record;
	o->next = o->held[0].turn + 1;
	o->bytes -= ret->len;
	o->n--;
	memmove(o->held, o->held + 1, o->n * sizeof(*o->held));
	return true;
}

bool batch_order_is_full(const struct batch_order *o)
{
	return o->n >= BATCH_ORDER_RECORDS_MAX || o->bytes >= BATCH_ORDER_BYTES_MAX;
}

void batch_order_free(struct batch_order *o)
{
	for (size_t i = 0; i < o->n; i++)
		strbuf_free(&o->held[i].record);
	free(o->held);
	*o = (struct batch_order){0};
}
