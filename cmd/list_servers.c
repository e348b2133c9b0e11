/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/list_servers.h"

#include "cmd/table.h"
#include "runtime/base/err.h"
#include "runtime/base/json_out.h"
#include "runtime/server_list.h"

struct shown {
	struct table table;
	struct json_out json;
};

static int show(void *arg, const char *name, const struct squashd_reply *reply)
{
	struct shown *s = arg;

	table_add(&s->table, name);
	table_addf(&s->table, "%d", reply->server_pid);
	table_addf(&s->table, "%u", reply->containers);
	table_addf(&s->table, "%llu", (unsigned long long)reply->fuse_requests);
	json_begin_object(&s->json);
	json_kstr(&s->json, "server", name);
	json_ku64(&s->json, "pid", (uint64_t)reply->server_pid);
	json_ku64(&s->json, "containers", reply->containers);
	json_ku64(&s->json, "fuse_requests", reply->fuse_requests);
	json_end_object(&s->json);
	return 0;
}

int list_servers(const struct paths *p, bool json, struct strbuf *out, struct err *e)
{
	static const char *const heading[] = {"SERVER", "PID", "CONTAINERS", "REQUESTS"};
	struct shown s = {.json = {.pretty = true}};
	int r;

	table_init(&s.table, heading, 4);
	json_begin_array(&s.json);
	r = server_each(p, show, &s, e);
	json_end_array(&s.json);
	if (r >= 0 && json) {
		r = json_finish(&s.json, e);
		strbuf_addf(out, "%s\n", strbuf_str(&s.json.buf));
	} else if (r >= 0) {
		table_format(&s.table, out);
	}
	table_free(&s.table);
	json_out_free(&s.json);
	return r;
}
