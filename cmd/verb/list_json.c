/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/list.h"
#include "runtime/base/err.h"
#include "runtime/base/json/out.h"

static void json_instance(struct json_out *j, const struct instance_record *i)
{
	json_begin_object(j);
	json_kstr(j, "id", i->id);
	json_kstr(j, "name", i->name);
	json_kstr(j, "image", i->image);
	json_ku64(j, "pid", (uint64_t)i->init);
	json_ku64(j, "supervisor_pid", (uint64_t)i->supervisor);
	json_key(j, "started");
	json_time(j, i->started_ns);
	json_kstrv(j, "command", &i->command);
	json_end_object(j);
}

static void json_container(struct json_out *j, const struct list *l, const struct list_container *c)
{
	static const char *const pins[] = {
		[PIN_LINK] = "link", [PIN_CLONE] = "clone", [PIN_PATH] = "path"};
	const struct container_record *r = &c->record;

	json_begin_object(j);
	json_kstr(j, "name", c->name);
	json_kbool(j, "damaged", !r->image);
	if (r->image) {
		json_kstr(j, "image", r->image);
		json_kstr(j, "kind", r->kind == ROOTFS_DIRECTORY ? "directory" : "squashfs");
		json_kstr(j, "pinned_by", pins[r->pin]);
		json_key(j, "size_bytes");
		if (r->kind == ROOTFS_DIRECTORY)
			json_null(j);
		else
			json_u64(j, r->id.size_bytes);
		json_key(j, "created");
		json_time(j, r->created_ns);
	}
	json_ku64(j, "running", list_running(l, c->name));
	json_end_object(j);
}

int list_format_json(const struct list *l, struct strbuf *out, struct err *e)
{
	struct json_out j = {.pretty = true};
	int r;

	json_begin_object(&j);
	json_key(&j, "containers");
	json_begin_array(&j);
	for (size_t i = 0; i < l->names.n; i++)
		json_container(&j, l, &l->containers[i]);
	json_end_array(&j);
	json_key(&j, "instances");
	json_begin_array(&j);
	for (size_t i = 0; i < l->instances.n; i++)
		json_instance(&j, &l->instances.items[i]);
	json_end_array(&j);
	json_ku64(&j, "debris", l->debris);
	json_end_object(&j);
	r = json_finish(&j, e);
	if (!r) {
		strbuf_add(out, j.buf.data, j.buf.len);
		strbuf_addch(out, '\n');
	}
	json_out_free(&j);
	return r;
}
