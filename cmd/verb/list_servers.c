/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/list_servers.h"

#include "cmd/frame/table.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/record/container_store.h"
#include "runtime/server/list.h"
#include "runtime/spec/image_id.h"

struct shown {
	struct table table;
	struct json_out json;
	struct strv names; /* containers: a server knows its image by identity only */
	int store;         /* dirfd */
};

/* The path of the image with that identity, from the first container of it; caller frees. */
static char *image_path(const struct shown *s, const struct image_id *id)
{
	struct container_record rec;
	char *path = NULL;

	for (size_t i = 0; i < s->names.n && !path; i++) {
		if (container_store_read(s->store, s->names.items[i], &rec, NULL) < 0)
			continue;
		if (image_id_same(&rec.id, id))
			path = str_printf("%s", rec.image);
		container_record_free(&rec);
	}
	return path;
}

/* Stopped, or too busy to answer: its pid is what helps. */
static void show_silent(struct shown *s, const char *name, const struct squashd_reply *reply)
{
	static const char *const unknown[] = {"uid", "gid", "containers", "fuse_requests", "image"};

	table_add(&s->table, name);
	table_addf(&s->table, "%d", reply->server_pid);
	table_add(&s->table, NULL);
	table_add(&s->table, NULL);
	table_add(&s->table, NULL);
	table_add(&s->table, "(does not answer)");
	json_begin_object(&s->json);
	json_kstr(&s->json, "server", name);
	json_ku64(&s->json, "pid", (uint64_t)reply->server_pid);
	json_kbool(&s->json, "answers", false);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		json_kstr(&s->json, unknown[i], NULL);
	json_end_object(&s->json);
}

static int show(void *arg, const char *name, const struct squashd_reply *reply)
{
	struct shown *s = arg;
	_free_ char *image = NULL;

	if (reply->code == ETIMEDOUT) {
		show_silent(s, name, reply);
		return 0;
	}
	image = image_path(s, &reply->image);
	table_add(&s->table, name);
	table_addf(&s->table, "%d", reply->server_pid);
	table_addf(&s->table, "%u:%u", reply->uid, reply->gid);
	table_addf(&s->table, "%u", reply->containers);
	table_addf(&s->table, "%llu", (unsigned long long)reply->fuse_requests);
	table_add(&s->table, image);
	json_begin_object(&s->json);
	json_kstr(&s->json, "server", name);
	json_ku64(&s->json, "pid", (uint64_t)reply->server_pid);
	json_kbool(&s->json, "answers", true);
	json_ku64(&s->json, "uid", reply->uid);
	json_ku64(&s->json, "gid", reply->gid);
	json_ku64(&s->json, "containers", reply->containers);
	json_ku64(&s->json, "fuse_requests", reply->fuse_requests);
	json_kstr(&s->json, "image", image);
	json_end_object(&s->json);
	return 0;
}

int list_servers(const struct paths *p, bool json, struct strbuf *out, struct err *e)
{
	static const char *const heading[] = {"SERVER",     "PID",      "USER",
					      "CONTAINERS", "REQUESTS", "IMAGE"};
	_close_ int store = container_store_open_dir(p, e);
	struct shown s = {.json = {.pretty = true}, .store = store};
	int r = store < 0 ? store : container_store_list(p, &s.names, NULL, e);

	table_init(&s.table, heading, 6);
	json_begin_array(&s.json);
	if (r >= 0)
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
	strv_free(&s.names);
	return r;
}
