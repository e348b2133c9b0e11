/* SPDX-License-Identifier: Apache-2.0 */
/* Records that wait for their turn. */
#include "cmd/judge/batch/order.h"

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static void put(struct batch_order *o, uint64_t turn)
{
	struct strbuf record = STRBUF_INIT;
	struct err e = ERR_INIT;

	strbuf_addf(&record, "%llu", (unsigned long long)turn);
	ok(batch_order_put(o, turn, &record, &e) == 0 && !record.len, "put %llu",
	   (unsigned long long)turn);
	strbuf_free(&record);
}

static void get(struct batch_order *o, bool is_end, const char *expected)
{
	struct strbuf record = STRBUF_INIT;
	bool got = batch_order_get(o, is_end, &record);

	ok(got == (expected != NULL), "%s", expected ? "there is one" : "it is not its turn");
	if (expected)
		is_str(strbuf_str(&record), expected, "%s", expected);
	strbuf_free(&record);
}

int main(void)
{
	struct batch_order o = {0};
	struct strbuf large = STRBUF_INIT;
	struct err e = ERR_INIT;

	put(&o, 2);
	put(&o, 4);
	put(&o, 1);
	get(&o, false, NULL);
	put(&o, 0);
	get(&o, false, "0");
	get(&o, false, "1");
	get(&o, false, "2");
	get(&o, false, NULL);
	put(&o, 6);
	get(&o, true, "4");
	get(&o, true, "6");
	get(&o, true, NULL);
	ok(!o.bytes && !o.n && !batch_order_is_full(&o), "nothing is held");
	ok(strbuf_reserve(&large, BATCH_ORDER_BYTES_MAX), "memory");
	large.len = BATCH_ORDER_BYTES_MAX;
	ok(batch_order_put(&o, 9, &large, &e) == 0 && batch_order_is_full(&o), "full of bytes");
	batch_order_free(&o);
	for (unsigned i = BATCH_ORDER_RECORDS_MAX; i; i--) {
		struct strbuf none = STRBUF_INIT;

		if (batch_order_is_full(&o) || batch_order_put(&o, i, &none, &e) < 0)
			ok(false, "full with %u less", i);
	}
	ok(batch_order_is_full(&o), "full of records");
	batch_order_free(&o);
	return done_testing();
}
