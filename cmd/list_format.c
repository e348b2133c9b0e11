/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/list.h"
#include "cmd/table.h"
#include "runtime/base/err.h"
#include "runtime/base/json_out.h"

static bool is_of(const struct instance_record *i, const char *name)
{
	return i->name && !strcmp(i->name, name);
}

size_t list_running(const struct list *l, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < l->instances.n; i++)
		n += is_of(&l->instances.items[i], name);
	return n;
}

/* --- containers --------------------------------------------------------------------------- */

static void add_container(const struct list *l, const struct list_container *c, struct table *t)
{
	const struct container_record *r = &c->record;

	table_add(t, c->name);
	if (!r->image) {
		table_add(t, "(damaged record)");
		table_add(t, NULL);
		table_add(t, NULL);
	} else {
		table_add(t, r->image);
		if (r->kind == ROOTFS_DIRECTORY)
			table_add(t, NULL);
		else
			table_add_size(t, r->id.size_bytes);
		table_add_age(t, r->created_ns, l->now_ns);
	}
	table_addf(t, "%zu", list_running(l, c->name));
}

void list_format_table(const struct list *l, struct strbuf *out)
{
	static const char *const heading[] = {"NAME", "IMAGE", "SIZE", "CREATED", "RUNNING"};
	_table_ struct table t;

	table_init(&t, heading, 5);
	for (size_t i = 0; i < l->names.n; i++)
		add_container(l, &l->containers[i], &t);
	table_format(&t, out);
}

/* --- instances ---------------------------------------------------------------------------- */

static void add_instance(const struct list *l, const struct instance_record *i, const char *name,
			 struct table *t)
{
	_strbuf_ struct strbuf command = STRBUF_INIT;

	for (size_t k = 0; k < i->command.n; k++)
		strbuf_addf(&command, "%s%s", k ? " " : "", i->command.items[k]);
	table_add(t, name);
	table_add(t, i->id);
	table_addf(t, "%d", i->init);
	table_add_age(t, i->started_ns, l->now_ns);
	table_add(t, strbuf_str(&command));
}

/* As enroot's: a line a process, the name on the first of several; not running is the name alone. */
static void add_instances_of(const struct list *l, const char *name, struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < l->instances.n; i++) {
		if (is_of(&l->instances.items[i], name))
			add_instance(l, &l->instances.items[i], n++ ? " " : name, t);
	}
	if (n)
		return;
	table_add(t, name);
	for (int i = 0; i < 4; i++)
		table_add(t, NULL);
}

void list_format_instances(const struct list *l, struct strbuf *out)
{
	static const char *const heading[] = {"NAME", "ID", "PID", "STARTED", "COMMAND"};
	_table_ struct table t;

	table_init(&t, heading, 5);
	for (size_t i = 0; i < l->names.n; i++)
		add_instances_of(l, l->names.items[i], &t);
	for (size_t i = 0; i < l->instances.n; i++) {
		/* Starts of an image. */
		if (!l->instances.items[i].name)
			add_instance(l, &l->instances.items[i], l->instances.items[i].image, &t);
	}
	table_format(&t, out);
}

/* --- JSON --------------------------------------------------------------------------------- */

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
	static const char *const pins[] = {[PIN_LINK] = "link", [PIN_CLONE] = "clone", [PIN_PATH] = "path"};
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
