/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/list.h"
#include "cmd/frame/table.h"

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

/* As enroot does: the name stands on the first of several lines; not running is the name alone. */
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
